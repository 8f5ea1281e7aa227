#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/data/arrow_types.h"
#include "firn/data/batch_stream.h"
#include "firn/data/budget_pool.h"
#include "firn/ingest/csv_file_internal.h"
#include "firn/ingest/csv_rows_internal.h"
#include "firn/ingest/ordered_jobs_internal.h"
#include "firn/ingest/row_source_internal.h"
#include "firn/ingest/text_types_internal.h"

// Blocks are cut into records on one thread, in order; what costs (types, values) is done in
// parallel, block by block.

namespace firn {
namespace {

constexpr int64_t kBlockBytesMax = int64_t{4} << 20;
constexpr int64_t kBlockBytesMin = int64_t{128} << 10;
// A block, its fields and its columns take this many times its text; and so many exist at a time.
constexpr int64_t kBlockShare = 8;

class CsvSource final : public RowSource {
 public:
  CsvSource(const IngestContext& context, const IngestRequest& request,
            std::vector<SourceFile> files)
      : context_(context),
        request_(request),
        files_(std::move(files)),
        pool_(BudgetPool::Make(context.change.budget->total_bytes())) {
    for (const SourceFile& file : files_)
      total_bytes_ += file.info.size;
    jobs_max_ = executor().concurrency() + 1;
    const int64_t share = context.change.budget->total_bytes() /
                          (4 * kBlockShare * static_cast<int64_t>(jobs_max_ + 1));
    block_bytes_ = std::clamp(share, kBlockBytesMin, kBlockBytesMax);
  }

  Result<std::vector<SourceColumn>> ReadColumns(bool wants_types) override;
  Result<RowStream> OpenRows(const RowTarget& target) override;
  int64_t rejected_rows() const override { return rejected_rows_; }
  bool has_own_types() const override { return false; }

 private:
  friend class CsvRowStream;

  Executor& executor() const { return *context_.change.commit.executor; }
  const CancelToken& cancel() const { return context_.change.commit.cancel; }
  Result<std::unique_ptr<CsvFile>> OpenFile(size_t file) const {
    return CsvFile::Open(*context_.io, files_[file], request_.csv, block_bytes_, pool_.get());
  }
  void Report(int64_t bytes) const {
    if (context_.progress) context_.progress(bytes, total_bytes_);
  }

  Status ReadColumnsOf(size_t file, bool wants_types);
  Status LearnTypes(size_t file, CsvFile& csv, const std::vector<size_t>& places);
  Result<std::vector<TextType>> TypesOfBlock(size_t file, const CsvBlock& block,
                                             size_t columns) const;
  size_t PlaceOf(const std::string& name, size_t file);
  SourceColumn MakeColumn(size_t place, bool wants_types) const;

  struct Learned {
    std::string name;
    TextType type;
    size_t first_file = 0;
    size_t file_count = 0;
  };

  const IngestContext& context_;
  const IngestRequest& request_;
  std::vector<SourceFile> files_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t total_bytes_ = 0;
  size_t jobs_max_ = 1;
  int64_t block_bytes_ = kBlockBytesMin;
  std::vector<Learned> learned_;  // In the order of first sight.
  std::map<std::string, size_t> places_;
  int64_t sampled_rows_ = 0;
  int64_t rejected_rows_ = 0;
};

size_t CsvSource::PlaceOf(const std::string& name, size_t file) {
  const auto [place, is_new] = places_.emplace(name, learned_.size());
  if (is_new) {
    learned_.push_back({.name = name,
                        .type = TextType(request_.infers_decimals),
                        .first_file = file,
                        .file_count = 0});
  }
  ++learned_[place->second].file_count;
  return place->second;
}

Result<std::vector<TextType>> CsvSource::TypesOfBlock(size_t file, const CsvBlock& block,
                                                      size_t columns) const {
  std::vector<TextType> types(columns, TextType(request_.infers_decimals));
  for (const CsvRecord& record : block.records) {
    if (record.fault != CsvFault::kNone || record.field_count != columns) continue;
    for (size_t i = 0; i < columns; ++i) {
      const CsvField& field = block.fields[record.first_field + i];
      const std::string_view text = block.FieldText(field);
      if (IsNullText(request_.csv, field, text)) continue;
      types[i].Add(text, {.file = file, .line = record.line});
    }
  }
  return types;
}

Status CsvSource::LearnTypes(size_t file, CsvFile& csv, const std::vector<size_t>& places) {
  OrderedJobs<std::vector<TextType>> jobs(executor());
  const auto take = [&]() -> Status {
    FIRN_ASSIGN(const std::vector<TextType> types, jobs.Take());
    for (size_t i = 0; i < places.size(); ++i)
      learned_[places[i]].type.Merge(types[i]);
    return {};
  };
  while (!request_.sample_rows || sampled_rows_ < *request_.sample_rows) {
    FIRN_RETURN_IF_ERROR(cancel().Check());
    FIRN_ASSIGN(const std::shared_ptr<CsvBlock> block, csv.Next());
    if (block == nullptr) break;
    if (request_.sample_rows) {
      const auto left = static_cast<size_t>(*request_.sample_rows - sampled_rows_);
      if (block->records.size() > left) block->records.resize(left);
    }
    sampled_rows_ += static_cast<int64_t>(block->records.size());
    jobs.Start(
        [this, file, block, count = places.size()] { return TypesOfBlock(file, *block, count); });
    if (jobs.size() >= jobs_max_) FIRN_RETURN_IF_ERROR(take());
  }
  while (jobs.size() > 0)
    FIRN_RETURN_IF_ERROR(take());
  return {};
}

Status CsvSource::ReadColumnsOf(size_t file, bool wants_types) {
  FIRN_ASSIGN(const auto csv, OpenFile(file));
  std::vector<size_t> places;
  std::set<std::string> names;
  for (const std::string& name : csv->columns()) {
    places.push_back(PlaceOf(name, file));
    names.insert(name);
  }
  if (request_.hive_partitions) {
    for (const auto& [key, value] : files_[file].folders) {
      if (!names.insert(key).second) {
        return MakeError(ErrorCode::kInvalidInput,
                         "'{}': column '{}' is in the file and in the names of its folders",
                         files_[file].info.uri, key);
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
                      .is_in_all = learned.file_count == files_.size()};
  if (!wants_types) return column;
  column.type = learned.type.type();
  if (!learned.type.reason_text().empty()) {
    column.reason = fmt::format("'{}' in '{}' line {}", learned.type.reason_text(),
                                files_[learned.type.reason_place().file].info.uri,
                                learned.type.reason_place().line);
  }
  return column;
}

Result<std::vector<SourceColumn>> CsvSource::ReadColumns(bool wants_types) {
  for (size_t file = 0; file < files_.size(); ++file)
    FIRN_RETURN_IF_ERROR(ReadColumnsOf(file, wants_types));
  std::vector<SourceColumn> columns;
  for (size_t i = 0; i < learned_.size(); ++i)
    columns.push_back(MakeColumn(i, wants_types));
  return columns;
}

class CsvRowStream final : public BatchStream {
 public:
  CsvRowStream(CsvSource& source, RowTarget target, std::shared_ptr<arrow::Schema> schema)
      : source_(source),
        target_(std::move(target)),
        schema_(std::move(schema)),
        jobs_(source.executor()) {
    if (source.request_.bad_rows == BadRows::kQuarantine) {
      rejects_ = std::make_unique<RejectFile>(*source.context_.io, source.request_.reject_file);
    }
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_RETURN_IF_ERROR(source_.cancel().Check());
      while (jobs_.size() < source_.jobs_max_ && next_file_ <= source_.files_.size()) {
        FIRN_RETURN_IF_ERROR(StartBlock());
      }
      if (jobs_.size() == 0) break;
      FIRN_ASSIGN(CsvRows rows, jobs_.Take());
      FIRN_RETURN_IF_ERROR(HandleRejected(rows.rejected));
      if (rows.batch->num_rows() > 0) return rows.batch;
    }
    if (rejects_ != nullptr) FIRN_RETURN_IF_ERROR(rejects_->Publish());
    return std::shared_ptr<arrow::RecordBatch>();
  }

 private:
  // Start a job for the next block; if there is none, go on to the next file.
  Status StartBlock() {
    if (csv_ == nullptr) {
      if (next_file_ == source_.files_.size()) {
        ++next_file_;
        return {};
      }
      FIRN_RETURN_IF_ERROR(OpenNextFile());
    }
    FIRN_ASSIGN(const std::shared_ptr<CsvBlock> block, csv_->Next());
    if (block == nullptr) {
      csv_ = nullptr;
      return {};
    }
    done_bytes_ += static_cast<int64_t>(block->text.size());
    source_.Report(done_bytes_);
    const bool with_text = rejects_ != nullptr;
    jobs_.Start([layout = layout_, block, with_text, pool = source_.pool_] {
      return ConvertCsvBlock(*layout, *block, with_text, pool.get());
    });
    return {};
  }

  Status OpenNextFile() {
    const SourceFile& file = source_.files_[next_file_];
    FIRN_ASSIGN(csv_, source_.OpenFile(next_file_));
    ++next_file_;
    auto layout = std::make_shared<CsvFileLayout>();
    layout->uri = file.info.uri;
    layout->columns = csv_->columns();
    layout->schema = target_.schema;
    layout->dialect = source_.request_.csv;
    for (size_t i = 0; i < target_.schema->fields().size(); ++i) {
      FIRN_RETURN_IF_ERROR(PlaceField(file, i, *layout), "'{}'", file.info.uri);
    }
    layout_ = std::move(layout);
    return {};
  }

  // Where the values of a field of the schema come from in this file.
  Status PlaceField(const SourceFile& file, size_t index, CsvFileLayout& layout) const {
    const NestedField& field = target_.schema->fields()[index];
    const std::string& name = target_.source_names[index];
    layout.places.push_back(-1);
    layout.constants.emplace_back();
    if (!name.empty()) {
      const auto found = std::find(layout.columns.begin(), layout.columns.end(), name);
      if (found != layout.columns.end()) {
        layout.places.back() = static_cast<int>(found - layout.columns.begin());
        return {};
      }
      for (const auto& [key, value] : file.folders) {
        if (!source_.request_.hive_partitions || key != name || !value) continue;
        FIRN_ASSIGN(layout.constants.back(), ParseValue(*value, *field.type), "folder '{}={}'", key,
                    *value);
        return {};
      }
    }
    if (field.write_default) layout.constants.back() = *field.write_default;
    if (!field.required || !layout.constants.back().is_null()) return {};
    return MakeError(ErrorCode::kInvalidInput, "the file has no column '{}', which is required",
                     field.name);
  }

  Status HandleRejected(const std::vector<RejectedRow>& rejected) {
    for (const RejectedRow& row : rejected) {
      if (source_.request_.bad_rows == BadRows::kFail) {
        return MakeError(ErrorCode::kInvalidInput,
                         "'{}' {}; nothing was loaded (--bad-rows skip or quarantine leaves such "
                         "rows out)",
                         row.file, DescribeRejected(row));
      }
      ++source_.rejected_rows_;
      if (rejects_ != nullptr) FIRN_RETURN_IF_ERROR(rejects_->Add(row));
    }
    return {};
  }

  CsvSource& source_;
  RowTarget target_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t next_file_ = 0;
  std::unique_ptr<CsvFile> csv_;
  std::shared_ptr<const CsvFileLayout> layout_;
  std::unique_ptr<RejectFile> rejects_;
  int64_t done_bytes_ = 0;
  OrderedJobs<CsvRows> jobs_;
};

Result<RowStream> CsvSource::OpenRows(const RowTarget& target) {
  FIRN_ASSIGN(auto schema, ToArrowSchema(target.schema->fields()));
  return ExportBatches(std::make_unique<CsvRowStream>(*this, target, std::move(schema)));
}

}  // namespace

Result<std::unique_ptr<RowSource>> MakeCsvSource(const IngestContext& context,
                                                 const IngestRequest& request,
                                                 std::vector<SourceFile> files) {
  return std::make_unique<CsvSource>(context, request, std::move(files));
}

}  // namespace firn
