#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "firn/ingest/input/row_source_internal.h"
#include "firn/ingest/json/json_file_internal.h"
#include "firn/ingest/json/json_rows_internal.h"
#include "firn/ingest/json/json_types_internal.h"
#include "firn/ingest/text/text_rows_internal.h"

namespace firn {
namespace {

constexpr size_t kReasonsShownMax = 3;

// What one block has to say about the columns.
struct BlockColumns {
  JsonType rows;                  // If types are wanted,
  std::vector<std::string> keys;  // else the keys of the rows.
};

class JsonSource final : public RowSource {
 public:
  JsonSource(const IngestContext& context, const IngestRequest& request,
             std::vector<SourceFile> files)
      : run_(context, request, std::move(files)), rows_(request.infers_decimals) {}

  Result<std::vector<SourceColumn>> ReadColumns(bool wants_types) override;
  Result<RowStream> OpenRows(const RowTarget& target) override;
  int64_t rejected_rows() const override { return run_.rejected_rows; }
  bool has_own_types() const override { return false; }

 private:
  const IngestRequest& request() const { return run_.request(); }
  const std::string& UriOf(size_t file) const { return run_.files()[file].info.uri; }
  Result<std::unique_ptr<JsonFile>> OpenFile(size_t file) const {
    return JsonFile::Open(*run_.context().io, run_.files()[file], run_.block_bytes(), run_.pool());
  }
  Status LearnFile(size_t file, bool wants_types);
  Status TakeColumns(BlockColumns columns);
  Status CheckRecords() const;
  Status AddFolders(bool wants_types, std::vector<SourceColumn>& columns) const;
  std::string DescribeReasons(const JsonType& type) const;
  Result<TextRowJobs> OpenFileRows(size_t file, const RowTarget& target) const;

  TextRun run_;
  JsonType rows_;
  std::vector<std::string> keys_;  // In the order of first sight.
  std::set<std::string, std::less<>> known_keys_;
  int64_t sampled_rows_ = 0;
};

// Call `visit(root)` for each record that is JSON; what is not becomes a bad row later.
template <typename Visit>
Status VisitRecords(const JsonBlock& block, bool is_checked_first, Visit&& visit) {
  for (const JsonRecord& record : block.records) {
    if (record.fault != JsonFault::kNone) continue;
    auto document = JsonDocument::Open(PaddedText::CopyOf(block.RecordText(record)));
    Status status = document.ok() ? Status() : document.error();
    if (status.ok() && is_checked_first) {
      status = document->VisitRoot([](JsonValue& root) -> Status {
        const auto text = root.ReadRaw();
        return text.ok() ? Status() : text.error();
      });
    }
    if (status.ok()) {
      status = document->VisitRoot([&](JsonValue& root) { return visit(record, root); });
    }
    if (!status.ok() && status.error().code() != ErrorCode::kCorrupt) return status.error();
  }
  return {};
}

Result<BlockColumns> TypesOfBlock(size_t file, const JsonBlock& block, bool infers_decimals) {
  BlockColumns columns{.rows = JsonType(infers_decimals), .keys = {}};
  size_t new_fields = 0;
  FIRN_RETURN_IF_ERROR(VisitRecords(block, true, [&](const JsonRecord& record, JsonValue& root) {
    return columns.rows.Add(root, {.file = file, .line = record.line}, new_fields);
  }));
  return columns;
}

Result<BlockColumns> KeysOfBlock(const JsonBlock& block) {
  BlockColumns columns;
  std::set<std::string, std::less<>> known;
  FIRN_RETURN_IF_ERROR(VisitRecords(block, false, [&](const JsonRecord&, JsonValue& root) {
    return root.VisitMembers([&](std::string_view key, JsonValue&) -> Status {
      if (known.find(key) != known.end()) return {};
      columns.keys.emplace_back(key);
      known.emplace(key);
      return known.size() > kJsonKeysMax ? MakeTooManyKeysError("") : Status();
    });
  }));
  return columns;
}

Status JsonSource::TakeColumns(BlockColumns columns) {
  for (std::string& key : columns.keys) {
    if (known_keys_.insert(key).second) keys_.push_back(std::move(key));
  }
  if (keys_.size() > kJsonKeysMax) return MakeTooManyKeysError("");
  FIRN_RETURN_IF_ERROR(rows_.Merge(std::move(columns.rows)));
  if (rows_.CountFields() > kJsonFieldsMax) return MakeTooManyKeysError("", kJsonFieldsMax);
  return {};
}

Status JsonSource::LearnFile(size_t file, bool wants_types) {
  FIRN_ASSIGN(const auto json, OpenFile(file));
  // A table that is there is asked for each key.
  std::optional<int64_t> sample;
  if (wants_types) sample = request().sample_rows;
  const auto next = [&] { return NextOfSample(*json, sample, sampled_rows_); };
  return LearnInOrder<BlockColumns>(
      run_, next,
      [file, wants_types, infers_decimals = request().infers_decimals](const JsonBlock& block) {
        return wants_types ? TypesOfBlock(file, block, infers_decimals) : KeysOfBlock(block);
      },
      [&](BlockColumns columns) { return TakeColumns(std::move(columns)); });
}

// No row tells a column: perhaps there are none, or what should be rows is something else.
Status JsonSource::CheckRecords() const {
  JsonFileLayout layout;
  layout.schema = std::make_shared<const Schema>();
  for (size_t file = 0; file < run_.files().size(); ++file) {
    layout.uri = UriOf(file);
    FIRN_ASSIGN(const auto json, OpenFile(file));
    while (true) {
      FIRN_ASSIGN(const auto block, json->Next());
      if (block == nullptr) break;
      FIRN_ASSIGN(const TextRows rows, ConvertJsonBlock(layout, *block, false, run_.pool()));
      if (rows.rejected.empty()) continue;
      return MakeError(ErrorCode::kInvalidInput, "'{}' {}; no row of the source tells a column",
                       layout.uri, DescribeRejected(rows.rejected.front()));
    }
  }
  return {};
}

std::string JsonSource::DescribeReasons(const JsonType& type) const {
  std::vector<std::string> shown;
  for (const JsonTypeReason& reason : type.Reasons()) {
    if (shown.size() == kReasonsShownMax) {
      shown.emplace_back("...");
      break;
    }
    const std::string where = reason.path.empty() ? "" : fmt::format(" at '{}'", reason.path);
    shown.push_back(fmt::format("{}{} in '{}' line {}", reason.shown, where,
                                UriOf(reason.place.file), reason.place.line));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

// Folders called key=value are columns too.
Status JsonSource::AddFolders(bool wants_types, std::vector<SourceColumn>& columns) const {
  if (!request().hive_partitions) return {};
  const size_t own_columns = columns.size();
  std::vector<TextType> types;
  for (size_t file = 0; file < run_.files().size(); ++file) {
    for (const auto& [key, value] : run_.files()[file].folders) {
      const auto found =
          std::find_if(columns.begin(), columns.end(),
                       [&name = key](const SourceColumn& column) { return column.name == name; });
      const auto place = static_cast<size_t>(found - columns.begin());
      if (place < own_columns) {
        return MakeError(ErrorCode::kInvalidInput,
                         "'{}': column '{}' is in the files and in the names of their folders",
                         UriOf(file), key);
      }
      if (place == columns.size()) {
        columns.push_back({.name = key, .type = nullptr, .reason = {}, .first_file = file});
        types.emplace_back(request().infers_decimals);
      }
      if (value) types[place - own_columns].Add(*value, {.file = file, .line = 0});
    }
  }
  for (size_t i = 0; wants_types && i < types.size(); ++i) {
    columns[own_columns + i].type = types[i].type();
    columns[own_columns + i].narrow_type = types[i].narrow_type();
  }
  return {};
}

Result<std::vector<SourceColumn>> JsonSource::ReadColumns(bool wants_types) {
  for (size_t file = 0; file < run_.files().size(); ++file)
    FIRN_RETURN_IF_ERROR(LearnFile(file, wants_types));
  std::vector<SourceColumn> columns;
  for (const std::string& key : keys_)
    columns.push_back({.name = key, .type = nullptr, .reason = {}});
  for (const JsonType::Field& field : rows_.fields()) {
    columns.push_back({.name = field.name,
                       .type = field.type.type(),
                       .narrow_type = field.type.narrow_type(),
                       .reason = DescribeReasons(field.type),
                       .has_values = field.type.has_values()});
  }
  // A table that is there may do without them.
  const bool needs_columns =
      wants_types && (!request().evolves || request().bad_rows == BadRows::kFail);
  if (columns.empty() && needs_columns) FIRN_RETURN_IF_ERROR(CheckRecords());
  FIRN_RETURN_IF_ERROR(AddFolders(wants_types, columns));
  return columns;
}

Result<TextRowJobs> JsonSource::OpenFileRows(size_t file, const RowTarget& target) const {
  auto layout = std::make_shared<JsonFileLayout>();
  layout->uri = UriOf(file);
  layout->schema = target.schema;
  const std::vector<NestedField>& fields = target.schema->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string& name = target.source_names[i];
    layout->targets.push_back(MakeJsonTarget(fields[i].type));
    layout->defaults.push_back(fields[i].write_default.value_or(Value()));
    if (name.empty()) continue;
    FIRN_ASSIGN(std::optional<Value> value, FolderValue(run_, file, fields[i], name), "'{}'",
                layout->uri);
    if (value) {
      layout->defaults.back() = *std::move(value);
    } else {
      layout->names.Add(name, i);
    }
  }
  FIRN_ASSIGN(std::shared_ptr<JsonFile> json, OpenFile(file));
  return MakeRowJobs<JsonFile, JsonFileLayout>(run_, std::move(json), std::move(layout),
                                               ConvertJsonBlock);
}

Result<RowStream> JsonSource::OpenRows(const RowTarget& target) {
  return OpenTextRows(run_, *target.schema,
                      [this, target](size_t file) { return OpenFileRows(file, target); });
}

}  // namespace

Result<std::unique_ptr<RowSource>> MakeJsonSource(const IngestContext& context,
                                                  const IngestRequest& request,
                                                  std::vector<SourceFile> files) {
  return std::make_unique<JsonSource>(context, request, std::move(files));
}

}  // namespace firn
