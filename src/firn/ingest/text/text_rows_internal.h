#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/row_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/ingest/input/ordered_jobs_internal.h"
#include "firn/ingest/input/reject_file_internal.h"
#include "firn/ingest/input/row_source_internal.h"

/// What the formats that are text share: files are cut into blocks of records on one thread, in
/// order; what costs (types, values) is done in parallel, block by block, and taken in order.

namespace firn {

/// The files of a run and the means to read them.
class TextRun {
 public:
  TextRun(const IngestContext& context, const IngestRequest& request,
          std::vector<SourceFile> files);

  const IngestContext& context() const { return context_; }
  const IngestRequest& request() const { return request_; }
  const std::vector<SourceFile>& files() const { return files_; }
  Executor& executor() const { return *context_.change.commit.executor; }
  const CancelToken& cancel() const { return context_.change.commit.cancel; }
  arrow::MemoryPool* pool() const { return pool_.get(); }
  size_t jobs_max() const { return jobs_max_; }         ///< Blocks that exist at a time.
  int64_t block_bytes() const { return block_bytes_; }  ///< How large one should be.
  /// Whether a block is so much larger, for one record, that no other is made beside it.
  bool IsLarge(int64_t bytes) const { return bytes > 4 * block_bytes_; }
  void Report(int64_t bytes_done) const;

  /// Rows left out so far.
  int64_t rejected_rows = 0;

 private:
  const IngestContext& context_;
  const IngestRequest& request_;
  std::vector<SourceFile> files_;
  std::shared_ptr<BudgetPool> pool_;
  int64_t total_bytes_ = 0;
  size_t jobs_max_ = 1;
  int64_t block_bytes_ = 0;
};

/// Rows of one block.
struct TextRows {
  std::shared_ptr<arrow::RecordBatch> batch;
  std::vector<RejectedRow> rejected;  ///< In the order of the file.
};

/// A block whose rows are still to be made.
struct TextRowJob {
  int64_t bytes = 0;  ///< Of its text.
  std::function<Result<TextRows>()> convert;
};

/// The blocks of one file; nullopt at the end.
using TextRowJobs = std::function<Result<std::optional<TextRowJob>>()>;

/// All rows of all files. `open_file` opens one, by its place in `run.files()`. Bad rows are dealt
/// with as the request says. Both outlive the stream.
Result<RowStream> OpenTextRows(TextRun& run, const Schema& schema,
                               std::function<Result<TextRowJobs>(size_t file)> open_file);

/// What the folders of a file say about a field that the source calls `name`; nullopt: nothing.
/// Errors: kInvalidInput: no value of the field's type.
Result<std::optional<Value>> FolderValue(const TextRun& run, size_t file, const NestedField& field,
                                         const std::string& name);

/// Call `learn(block)` for each block that `next` gives, in parallel, and `take` with what it
/// learned, in order. `next` returns a null block at the end.
template <typename Learned, typename Next, typename Learn, typename Take>
Status LearnInOrder(const TextRun& run, Next&& next, Learn learn, Take&& take) {
  OrderedJobs<Learned> jobs(run.executor());
  const auto take_one = [&]() -> Status {
    FIRN_ASSIGN(Learned learned, jobs.Take());
    return take(std::move(learned));
  };
  while (true) {
    FIRN_RETURN_IF_ERROR(run.cancel().Check());
    FIRN_ASSIGN(const auto block, next());
    if (block == nullptr) break;
    const bool is_large = run.IsLarge(static_cast<int64_t>(block->text.size()));
    jobs.Start([learn, block] { return learn(*block); });
    while (jobs.size() >= run.jobs_max() || (is_large && jobs.size() > 0))
      FIRN_RETURN_IF_ERROR(take_one());
  }
  while (jobs.size() > 0)
    FIRN_RETURN_IF_ERROR(take_one());
  return {};
}

/// The next block of `file` for inference: cut off, and null, where the request's sample ends.
/// `sampled_rows` counts the rows of all files.
template <typename File>
auto NextOfSample(File& file, std::optional<int64_t> sample, int64_t& sampled_rows)
    -> decltype(file.Next()) {
  if (sample && sampled_rows >= *sample) return typename decltype(file.Next())::ValueType();
  FIRN_ASSIGN(auto block, file.Next());
  if (block == nullptr) return block;
  if (sample) {
    const auto left = static_cast<size_t>(*sample - sampled_rows);
    if (block->records.size() > left) block->records.resize(left);
  }
  sampled_rows += static_cast<int64_t>(block->records.size());
  return block;
}

/// The blocks of `file`, converted by `convert(layout, block, with_text, pool)`.
template <typename File, typename Layout, typename Convert>
TextRowJobs MakeRowJobs(const TextRun& run, std::shared_ptr<File> file,
                        std::shared_ptr<const Layout> layout, Convert convert) {
  const bool with_text = run.request().bad_rows == BadRows::kQuarantine;
  return [file = std::move(file), layout = std::move(layout), convert, with_text,
          pool = run.pool()]() -> Result<std::optional<TextRowJob>> {
    FIRN_ASSIGN(const auto block, file->Next());
    if (block == nullptr) return std::optional<TextRowJob>();
    return std::optional(TextRowJob{.bytes = static_cast<int64_t>(block->text.size()),
                                    .convert = [layout, block, convert, with_text, pool] {
                                      return convert(*layout, *block, with_text, pool);
                                    }});
  };
}

/// "line 7, column 'a': 'x' is no double": where and why, without the file.
std::string DescribeRejected(const RejectedRow& row);

/// The text as messages show it: cut if it is long.
std::string ShortenText(std::string_view text);

/// Which byte of a text that is not UTF-8 is the first wrong one, and what to do.
std::string DescribeUtf8Fault(std::string_view text);

}  // namespace firn
