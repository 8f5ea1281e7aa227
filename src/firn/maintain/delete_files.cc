#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "firn/base/log.h"
#include "firn/base/retry.h"
#include "firn/maintain/delete_files_internal.h"

namespace firn {
namespace {

// One request of an object store takes as many.
constexpr size_t kSliceFiles = 1000;

}  // namespace

FileDeleter::FileDeleter(const MaintainContext& context, FileIO& io, size_t parallel_max)
    : context_(context),
      io_(io),
      parallel_max_(parallel_max == 0 ? context.commit.executor->concurrency() : parallel_max) {}

Status FileDeleter::Add(FileToDelete file) {
  batch_.push_back(std::move(file));
  return batch_.size() >= kSliceFiles * parallel_max_ ? Flush() : Status();
}

Status FileDeleter::Flush() {
  const size_t slice_count = (batch_.size() + kSliceFiles - 1) / kSliceFiles;
  std::vector<DeletedFiles> outcomes(slice_count);
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context_.commit.executor, slice_count,
      [&](size_t index) -> Status {
        const size_t begin = index * kSliceFiles;
        DeleteSlice(begin, std::min(begin + kSliceFiles, batch_.size()), outcomes[index]);
        return {};
      },
      context_.commit.cancel, parallel_max_));
  for (const DeletedFiles& outcome : outcomes) {
    for (size_t kind = 0; kind < kFileKindCount; ++kind)
      deleted_.counts[kind] += outcome.counts[kind];
    deleted_.already_gone += outcome.already_gone;
    deleted_.failed += outcome.failed;
    if (!deleted_.first_failure) deleted_.first_failure = outcome.first_failure;
  }
  done_ += static_cast<int64_t>(batch_.size());
  batch_.clear();
  if (context_.progress) context_.progress({.phase = "deleting files", .files_done = done_});
  return {};
}

void FileDeleter::DeleteSlice(size_t begin, size_t end, DeletedFiles& outcome) const {
  std::vector<size_t> open(end - begin);
  std::iota(open.begin(), open.end(), begin);
  std::optional<Error> last;
  const auto attempt = [&]() -> Status {
    std::vector<std::string> uris;
    for (const size_t index : open)
      uris.push_back(batch_[index].path);
    const std::vector<DeleteOutcome> outcomes = io_.DeleteMany(uris);
    std::vector<size_t> again;
    std::optional<Error> busy;
    for (size_t i = 0; i < open.size(); ++i) {
      const DeleteOutcome& one = outcomes[i];
      if (one.status.ok() || one.was_missing || one.status.error().code() == ErrorCode::kNotFound) {
        ++outcome.counts[static_cast<size_t>(batch_[open[i]].kind)];
        outcome.already_gone += one.status.ok() && !one.was_missing ? 0 : 1;
        continue;
      }
      if (one.status.error().code() == ErrorCode::kUnavailable) {
        again.push_back(open[i]);
        if (!busy) busy = one.status.error();
        continue;
      }
      ++outcome.failed;
      if (!outcome.first_failure) outcome.first_failure = one.status.error().Within(one.uri);
      Log(LogLevel::kWarning, "'{}' was not deleted: {}", one.uri, one.status.error().Format());
    }
    open = std::move(again);
    return busy ? Status(*busy) : Status();
  };
  const Status status =
      Retry(RetryPolicy{}, *context_.commit.clock, *context_.commit.random, context_.commit.cancel,
            attempt, [](const Error& error) { return error.code() == ErrorCode::kUnavailable; });
  if (status.ok()) return;
  outcome.failed += static_cast<int64_t>(open.size());
  if (!outcome.first_failure) outcome.first_failure = status.error();
  Log(LogLevel::kWarning, "{} files were not deleted: {}", open.size(), status.error().Format());
}

Result<DeletedFiles> FileDeleter::Finish() {
  if (!batch_.empty()) {
    FIRN_RETURN_IF_ERROR(Flush());
  }
  return std::move(deleted_);
}

}  // namespace firn
