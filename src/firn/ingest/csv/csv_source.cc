#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "firn/ingest/csv/csv_file_internal.h"
#include "firn/ingest/csv/csv_rows_internal.h"
#include "firn/ingest/input/row_source_internal.h"
#include "firn/ingest/text/text_rows_internal.h"
#include "firn/ingest/text/text_types_internal.h"

namespace firn {
namespace {

class CsvSource final : public RowSource {
 public:
  CsvSource(const IngestContext& context, const IngestRequest& request,
            std::vector<SourceFile> files)
      : run_(context, request, std::move(files)) {}

  Result<std::vector<SourceColumn>> ReadColumns(bool wants_types) override;
  Result<RowStream> OpenRows(const RowTarget& target) override;
  int64_t rejected_rows() const override { return run_.rejected_rows; }
  bool has_own_types() const override { return false; }

 private:
  const IngestRequest& request() const { return run_.request(); }
  Result<std::unique_ptr<CsvFile>> OpenFile(size_t file) const {
    return CsvFile::Open(*run_.context().io, run_.files()[file], request().csv, run_.block_bytes(),
                         run_.pool());
  }
  Status ReadColumnsOf(size_t file, bool wants_types);
  Status LearnTypes(size_t file, CsvFile& csv, const std::vector<size_t>& places);
  Result<std::vector<TextType>> TypesOfBlock(size_t file, const CsvBlock& block,
                                             size_t columns) const;
  size_t PlaceOf(const std::string& name, size_t file);
  SourceColumn MakeColumn(size_t place, bool wants_types) const;
  Result<TextRowJobs> OpenFileRows(size_t file, const RowTarget& target) const;
  Status PlaceField(size_t file, const RowTarget& target, size_t index,
                    CsvFileLayout& layout) const;

  struct Learned {
    std::string name;
    TextType type;
    size_t first_file = 0;
    size_t file_count = 0;
  };

  TextRun run_;
  std::vector<Learned> learned_;  // In the order of first sight.
  std::map<std::string, size_t> places_;
  int64_t sampled_rows_ = 0;
};

size_t CsvSource::PlaceOf(const std::string& name, size_t file) {
  const auto [place, is_new] = places_.emplace(name, learned_.size());
  if (is_new) {
    learned_.push_back({.name = name,
                        .type = TextType(request().infers_decimals),
                        .first_file = file,
                        .file_count = 0});
  }
  ++learned_[place->second].file_count;
  return place->second;
}

Result<std::vector<TextType>> CsvSource::TypesOfBlock(size_t file, const CsvBlock& block,
                                                      size_t columns) const {
  std::vector<TextType> types(columns, TextType(request().infers_decimals));
  const CsvNullTexts nulls(request().csv);
  for (const CsvRecord& record : block.records) {
    const bool is_plain = record.fault == CsvFault::kNone && record.field_count == columns;
    if (!is_plain && !FindRecordFault(block, record, columns, request().csv).empty()) continue;
    const size_t fields = std::min<size_t>(columns, record.field_count);
    for (size_t i = 0; i < fields; ++i) {
      const CsvField& field = block.fields[record.first_field + i];
      const std::string_view text = block.FieldText(field);
      // An empty field is null in all columns but those of text, whatever else means null.
      if ((text.empty() && field.is_quoted == 0) || nulls.IsNull(field, text)) continue;
      types[i].Add(text, {.file = file, .line = record.line});
    }
  }
  return types;
}

Status CsvSource::LearnTypes(size_t file, CsvFile& csv, const std::vector<size_t>& places) {
  const auto next = [&] { return NextOfSample(csv, request().sample_rows, sampled_rows_); };
  return LearnInOrder<std::vector<TextType>>(
      run_, next,
      [this, file, count = places.size()](const CsvBlock& block) {
        return TypesOfBlock(file, block, count);
      },
      [&](const std::vector<TextType>& types) -> Status {
        for (size_t i = 0; i < places.size(); ++i)
          learned_[places[i]].type.Merge(types[i]);
        return {};
      });
}

Status CsvSource::ReadColumnsOf(size_t file, bool wants_types) {
  FIRN_ASSIGN(const auto csv, OpenFile(file));
  std::vector<size_t> places;
  std::set<std::string> names;
  for (const std::string& name : csv->columns()) {
    places.push_back(PlaceOf(name, file));
    names.insert(name);
  }
  if (request().hive_partitions) {
    for (const auto& [key, value] : run_.files()[file].folders) {
      if (!names.insert(key).second) {
        return MakeError(ErrorCode::kInvalidInput,
                         "'{}': column '{}' is in the file and in the names of its folders",
                         run_.files()[file].info.uri, key);
      }
      const size_t place = PlaceOf(key, file);
      if (value) learned_[place].type.Add(*value, {.file = file, .line = 0});
    }
  }
  return wants_types ? LearnTypes(file, *csv, places) : Status();
}

SourceColumn CsvSource::MakeColumn(size_t place, bool wants_types) const {
  const Learned& learned = learned_[place];
  SourceColumn column{.name = learned.name,
                      .type = nullptr,
                      .reason = {},
                      .first_file = learned.first_file,
                      .is_in_all = learned.file_count == run_.files().size()};
  if (!wants_types) return column;
  column.type = learned.type.type();
  column.narrow_type = learned.type.narrow_type();
  column.has_values = learned.type.has_values();
  if (!learned.type.reason_text().empty()) {
    column.reason = fmt::format("'{}' in '{}' line {}", learned.type.reason_text(),
                                run_.files()[learned.type.reason_place().file].info.uri,
                                learned.type.reason_place().line);
  }
  return column;
}

Result<std::vector<SourceColumn>> CsvSource::ReadColumns(bool wants_types) {
  for (size_t file = 0; file < run_.files().size(); ++file)
    FIRN_RETURN_IF_ERROR(ReadColumnsOf(file, wants_types));
  std::vector<SourceColumn> columns;
  for (size_t i = 0; i < learned_.size(); ++i)
    columns.push_back(MakeColumn(i, wants_types));
  return columns;
}

// Where the values of a field of the schema come from in this file.
Status CsvSource::PlaceField(size_t file, const RowTarget& target, size_t index,
                             CsvFileLayout& layout) const {
  const NestedField& field = target.schema->fields()[index];
  const std::string& name = target.source_names[index];
  layout.places.push_back(-1);
  layout.constants.emplace_back();
  if (!name.empty()) {
    const auto found = std::find(layout.columns.begin(), layout.columns.end(), name);
    if (found != layout.columns.end()) {
      layout.places.back() = static_cast<int>(found - layout.columns.begin());
      return {};
    }
    FIRN_ASSIGN(std::optional<Value> value, FolderValue(run_, file, field, name));
    if (value) {
      layout.constants.back() = *std::move(value);
      return {};
    }
  }
  if (field.write_default) layout.constants.back() = *field.write_default;
  if (!field.required || !layout.constants.back().is_null()) return {};
  return MakeError(ErrorCode::kInvalidInput, "the file has no column '{}', which is required",
                   field.name);
}

Result<TextRowJobs> CsvSource::OpenFileRows(size_t file, const RowTarget& target) const {
  FIRN_ASSIGN(std::shared_ptr<CsvFile> csv, OpenFile(file));
  auto layout = std::make_shared<CsvFileLayout>();
  layout->uri = run_.files()[file].info.uri;
  layout->columns = csv->columns();
  layout->schema = target.schema;
  layout->dialect = request().csv;
  for (size_t i = 0; i < target.schema->fields().size(); ++i)
    FIRN_RETURN_IF_ERROR(PlaceField(file, target, i, *layout), "'{}'", layout->uri);
  return MakeRowJobs<CsvFile, CsvFileLayout>(run_, std::move(csv), std::move(layout),
                                             ConvertCsvBlock);
}

Result<RowStream> CsvSource::OpenRows(const RowTarget& target) {
  return OpenTextRows(run_, *target.schema,
                      [this, target](size_t file) { return OpenFileRows(file, target); });
}

}  // namespace

Result<std::unique_ptr<RowSource>> MakeCsvSource(const IngestContext& context,
                                                 const IngestRequest& request,
                                                 std::vector<SourceFile> files) {
  return std::make_unique<CsvSource>(context, request, std::move(files));
}

}  // namespace firn
