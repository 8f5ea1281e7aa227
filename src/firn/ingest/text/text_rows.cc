#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>

#include "firn/base/utf8.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/ingest/text/text_rows_internal.h"

namespace firn {
namespace {

// The columns of a block are made one after the other: it should stay in the processor's cache.
constexpr int64_t kBlockBytesMax = int64_t{1} << 20;
constexpr int64_t kBlockBytesMin = int64_t{128} << 10;
// A block, what is found in it and its columns take this many times its text.
constexpr int64_t kBlockShare = 8;
constexpr size_t kShownBytesMax = 60;

class TextRowStream final : public BatchStream {
 public:
  TextRowStream(TextRun& run, std::shared_ptr<arrow::Schema> schema,
                std::function<Result<TextRowJobs>(size_t file)> open_file)
      : run_(run),
        schema_(std::move(schema)),
        open_file_(std::move(open_file)),
        jobs_(run.executor()) {
    if (run.request().bad_rows == BadRows::kQuarantine) {
      rejects_ = std::make_unique<RejectFile>(*run.context().io, run.request().reject_file);
    }
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_RETURN_IF_ERROR(run_.cancel().Check());
      while (jobs_.size() < run_.jobs_max() && next_file_ <= run_.files().size() && !is_large_) {
        FIRN_RETURN_IF_ERROR(StartBlock());
      }
      if (jobs_.size() == 0) break;
      FIRN_ASSIGN(TextRows rows, jobs_.Take());
      is_large_ = is_large_ && jobs_.size() > 0;
      FIRN_RETURN_IF_ERROR(HandleRejected(rows.rejected));
      if (rows.batch->num_rows() > 0) return rows.batch;
    }
    if (rejects_ != nullptr) FIRN_RETURN_IF_ERROR(rejects_->Publish());
    return std::shared_ptr<arrow::RecordBatch>();
  }

 private:
  // Start a job for the next block; if there is none, go on to the next file.
  Status StartBlock() {
    if (!file_) {
      if (next_file_ == run_.files().size()) {
        ++next_file_;
        return {};
      }
      FIRN_ASSIGN(file_, open_file_(next_file_++));
    }
    FIRN_ASSIGN(std::optional<TextRowJob> job, file_());
    if (!job) {
      file_ = nullptr;
      return {};
    }
    done_bytes_ += job->bytes;
    run_.Report(done_bytes_);
    is_large_ = run_.IsLarge(job->bytes);
    jobs_.Start(std::move(job->convert));
    return {};
  }

  Status HandleRejected(const std::vector<RejectedRow>& rejected) {
    for (const RejectedRow& row : rejected) {
      if (run_.request().bad_rows == BadRows::kFail) {
        return MakeError(ErrorCode::kInvalidInput,
                         "'{}' {}; nothing was loaded (--bad-rows skip or quarantine leaves such "
                         "rows out)",
                         row.file, DescribeRejected(row));
      }
      ++run_.rejected_rows;
      if (rejects_ != nullptr) FIRN_RETURN_IF_ERROR(rejects_->Add(row));
    }
    return {};
  }

  TextRun& run_;
  std::shared_ptr<arrow::Schema> schema_;
  std::function<Result<TextRowJobs>(size_t file)> open_file_;
  size_t next_file_ = 0;
  TextRowJobs file_;  // Null between files.
  std::unique_ptr<RejectFile> rejects_;
  int64_t done_bytes_ = 0;
  bool is_large_ = false;  // The block that was started last.
  OrderedJobs<TextRows> jobs_;
};

}  // namespace

TextRun::TextRun(const IngestContext& context, const IngestRequest& request,
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

void TextRun::Report(int64_t bytes_done) const {
  if (context_.progress) context_.progress(bytes_done, total_bytes_);
}

Result<RowStream> OpenTextRows(TextRun& run, const Schema& schema,
                               std::function<Result<TextRowJobs>(size_t file)> open_file) {
  FIRN_ASSIGN(auto arrow_schema, ToArrowSchema(schema.fields()));
  return ExportBatches(
      std::make_unique<TextRowStream>(run, std::move(arrow_schema), std::move(open_file)));
}

Result<std::optional<Value>> FolderValue(const TextRun& run, size_t file, const NestedField& field,
                                         const std::string& name) {
  if (!run.request().hive_partitions) return std::optional<Value>();
  for (const auto& [key, value] : run.files()[file].folders) {
    if (key != name || !value) continue;
    FIRN_ASSIGN(Value parsed, ParseValue(*value, *field.type), "folder '{}={}'", key, *value);
    return std::optional(std::move(parsed));
  }
  return std::optional<Value>();
}

std::string DescribeRejected(const RejectedRow& row) {
  if (row.column.empty()) return fmt::format("line {}: {}", row.line, row.reason);
  return fmt::format("line {}, column '{}': {}", row.line, row.column, row.reason);
}

std::string ShortenText(std::string_view text) {
  if (text.size() <= kShownBytesMax) return std::string(text);
  return std::string(TakeCodePoints(text, kShownBytesMax - 3)) + "...";
}

std::string DescribeUtf8Fault(std::string_view text) {
  size_t at = 0;
  for (auto next = DecodeUtf8(text); next; next = DecodeUtf8(text.substr(at)))
    at += next->size;
  const auto byte =
      static_cast<unsigned>(static_cast<unsigned char>(at < text.size() ? text[at] : 0));
  return fmt::format(
      "byte {} of the text is 0x{:02x}, which is not UTF-8 there; say what the file "
      "is (--encoding)",
      at, byte);
}

}  // namespace firn
