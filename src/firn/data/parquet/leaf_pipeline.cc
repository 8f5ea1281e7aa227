#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "firn/data/parquet/leaf_pipeline_internal.h"

namespace firn {
namespace {

// Batches whose rows are not encoded yet.
constexpr size_t kBatchesMax = 3;
// A job has this many values at least.
constexpr int64_t kJobValues = 8192;

}  // namespace

LeafPipeline::LeafPipeline(const ParquetLayout& layout, const std::vector<NestedField>& fields,
                           const std::vector<ChunkOptions>& options, PageCodecPool& codecs,
                           Executor* executor)
    : layout_(layout), options_(options), codecs_(codecs) {
  for (LeafShredder& shredder : LeafShredder::ForLeaves(fields, layout.leaves))
    leaves_.emplace_back(std::move(shredder));
  if (executor != nullptr) jobs_.emplace(*executor);
}

LeafPipeline::~LeafPipeline() { is_stopping_ = true; }

Status LeafPipeline::Begin(int64_t rows_expected) {
  for (size_t i = 0; i < leaves_.size(); ++i) {
    FIRN_ASSIGN(leaves_[i].writer,
                ChunkWriter::Make(layout_.leaves[i], options_[i], rows_expected));
  }
  sizes_ = {};
  rows_taken_ = 0;
  return {};
}

void LeafPipeline::Submit(std::function<void()> task) {
  if (jobs_) {
    jobs_->Submit(std::move(task));
  } else {
    task();
  }
}

template <typename Ready>
void LeafPipeline::WaitFor(const Ready& is_ready) {
  if (!jobs_) return;  // All is done at once.
  jobs_->WaitFor([&] {
    const std::lock_guard lock(mutex_);
    return is_ready();
  });
}

Status LeafPipeline::status() {
  const std::lock_guard lock(mutex_);
  return status_;
}

Status LeafPipeline::Add(std::vector<std::shared_ptr<arrow::Array>> columns, int64_t rows,
                         int64_t bytes) {
  while (batches_.size() >= kBatchesMax)
    FIRN_RETURN_IF_ERROR(TakeOldest());
  rows_taken_ += rows;
  auto batch = std::make_shared<Batch>();
  batch->columns = std::move(columns);
  batch->leaves_left = leaves_.size();
  batch->bytes = bytes;
  waiting_bytes_ += bytes;
  batch->sizes.rows = rows_taken_;
  batches_.push_back(batch);
  {
    const std::lock_guard lock(mutex_);
    for (Leaf& leaf : leaves_)
      leaf.waiting.push_back(batch);
  }
  const auto step =
      static_cast<size_t>(std::max<int64_t>(kJobValues / std::max<int64_t>(rows, 1), 1));
  for (size_t begin = 0; begin < leaves_.size(); begin += step) {
    const size_t end = std::min(begin + step, leaves_.size());
    Submit([this, begin, end] {
      for (size_t i = begin; i < end; ++i)
        EncodeLeaf(i);
    });
  }
  while (waiting_bytes_ > waiting_bytes_max_ && !batches_.empty())
    FIRN_RETURN_IF_ERROR(TakeOldest());
  // The first rows tell how large rows are.
  return batches_.size() != 1 || sizes_.rows > 0 ? Status() : TakeOldest();
}

// Rows that wait for a leaf are encoded by one job at a time.
void LeafPipeline::EncodeLeaf(size_t index) {
  Leaf& leaf = leaves_[index];
  std::unique_lock lock(mutex_);
  if (leaf.is_running) return;
  leaf.is_running = true;
  while (!leaf.waiting.empty()) {
    const std::shared_ptr<Batch> batch = std::move(leaf.waiting.front());
    leaf.waiting.pop_front();
    const bool is_lost = !status_.ok();
    lock.unlock();
    Status encoded = is_lost || is_stopping_ ? Status() : EncodeBatch(leaf, *batch);
    lock.lock();
    if (!encoded.ok() && status_.ok()) status_ = std::move(encoded);
    batch->sizes.file_bytes += leaf.writer->estimated_bytes();
    batch->sizes.held_bytes += leaf.writer->held_bytes();
    if (--batch->leaves_left > 0) continue;
    // Its memory may be what the next rows wait for.
    std::vector<std::shared_ptr<arrow::Array>> done = std::move(batch->columns);
    lock.unlock();
    done.clear();
    lock.lock();
  }
  leaf.is_running = false;
}

Status LeafPipeline::EncodeBatch(Leaf& leaf, const Batch& batch) {
  const auto column = static_cast<size_t>(leaf.shredder.column());
  return leaf.shredder.Shred(*batch.columns[column],
                             [&](const LeafRows& rows) { return leaf.writer->Add(rows, codecs_); });
}

Status LeafPipeline::TakeOldest() {
  const std::shared_ptr<Batch> oldest = batches_.front();
  WaitFor([&] { return oldest->leaves_left == 0; });
  batches_.pop_front();
  waiting_bytes_ -= oldest->bytes;
  sizes_ = oldest->sizes;
  return status();
}

void LeafPipeline::FinishLeaf(size_t index) {
  Leaf& leaf = leaves_[index];
  Result<EncodedChunk> chunk = MakeError(ErrorCode::kCancelled, "the file was given up");
  if (!is_stopping_) chunk = leaf.writer->Finish(codecs_);
  leaf.writer = nullptr;
  const std::lock_guard lock(mutex_);
  leaf.chunk = std::move(chunk);
}

Status LeafPipeline::Finish(const std::function<Status(size_t leaf, EncodedChunk chunk)>& take) {
  while (!batches_.empty())
    FIRN_RETURN_IF_ERROR(TakeOldest());
  for (size_t i = 0; i < leaves_.size(); ++i) {
    leaves_[i].chunk = std::nullopt;
  }
  for (size_t i = 0; i < leaves_.size(); ++i)
    Submit([this, i] { FinishLeaf(i); });
  for (size_t i = 0; i < leaves_.size(); ++i) {
    WaitFor([&] { return leaves_[i].chunk.has_value(); });
    FIRN_ASSIGN(EncodedChunk chunk, std::move(*leaves_[i].chunk), "column '{}'",
                layout_.fields[i].name);
    leaves_[i].chunk = std::nullopt;
    FIRN_RETURN_IF_ERROR(take(i, std::move(chunk)));
  }
  sizes_ = {};
  rows_taken_ = 0;
  return {};
}

}  // namespace firn
