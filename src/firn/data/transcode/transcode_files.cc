#include "firn/data/transcode/transcode_files.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "firn/base/log.h"
#include "firn/base/task_group.h"
#include "firn/data/parquet/chunk_metrics_internal.h"
#include "firn/data/parquet/parquet_file_encoder_internal.h"
#include "firn/data/transcode/transcode_plan_internal.h"
#include "firn/format/metadata/data_location.h"
#include "firn/io/discard_files.h"

// Rows go from input row groups to output row groups, whose columns are made at the same time, each
// as a job on the executor. The largest column of a row group begins first, and while it is
// finished, those of the next row group begin; finished columns are written in the order of the
// schema.
//
// Memory: a job holds the stored bytes of its column from all inputs of the row group, and its
// output until that is written; two row groups are under way. Their size is a share of the budget.

namespace firn {
namespace {

constexpr size_t kRowGroupsMax = 2;
constexpr int64_t kRowGroupShare = 16;
constexpr int64_t kRowGroupBytesMin = int64_t{4} << 20;
// A job takes some times the memory of the largest page, and there is one for each core.
constexpr int64_t kPageShare = 64;
constexpr int64_t kPageBytesMin = int64_t{8} << 20;

class FileTranscoder {
 public:
  FileTranscoder(const WriteContext& context, const DataWriteOptions& options,
                 const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped)
      : context_(context),
        options_(options),
        tasks_(tasks),
        dropped_(dropped),
        jobs_(*context.executor) {}

  ~FileTranscoder() { is_stopping_ = true; }

  Result<std::optional<std::vector<DataFile>>> Run() {
    const Status status = RunAll();
    is_stopping_ = true;
    if (status.ok()) return std::optional(std::move(files_));
    output_ = nullptr;
    std::vector<std::string> uris;
    for (const DataFile& file : files_)
      uris.push_back(file.file_path);
    DiscardFiles(*context_.io, uris, "output of a rewrite that was begun anew");
    // Whether bytes that this does not understand are damaged is for the reader of rows to say.
    const ErrorCode code = status.error().code();
    if (code != ErrorCode::kUnsupported && code != ErrorCode::kCorrupt) return status.error();
    Log(LogLevel::kInfo, "rows are read and written again: {}", status.error().message());
    return std::optional<std::vector<DataFile>>();
  }

 private:
  Status RunAll() {
    FIRN_RETURN_IF_ERROR(Prepare());
    FIRN_RETURN_IF_ERROR(CheckRewrite());
    FIRN_RETURN_IF_ERROR(plan_->Open());
    while (true) {
      while (groups_.size() < kRowGroupsMax) {
        FIRN_ASSIGN(const bool is_started, StartRowGroup());
        if (!is_started) break;
      }
      if (groups_.empty()) return FinishFile();
      FIRN_RETURN_IF_ERROR(WriteRowGroup(*groups_.front()));
      groups_.pop_front();
    }
  }

  Status Prepare() {
    const TableMetadata& metadata = *context_.metadata;
    const WriteProperties properties(metadata, options_.content);
    FIRN_ASSIGN(const ParquetWriteOptions parquet,
                ParquetOptionsFrom(properties, *options_.schema));
    if (!parquet.columns.empty() || parquet.page_version != 1) {
      return MakeError(ErrorCode::kUnsupported,
                       "the table asks for Bloom filters or pages of "
                       "version 2");
    }
    chunk_options_ = MakeChunkOptions(parquet, nullptr);
    chunk_options_.input_page_bytes_max =
        std::max(context_.budget->total_bytes() / kPageShare, kPageBytesMin);
    FIRN_ASSIGN(modes_, MetricsModes(metadata, *options_.schema));
    FIRN_ASSIGN(layout_, MakeParquetLayout(*options_.schema));
    const int64_t row_group_bytes =
        std::min(parquet.row_group_bytes,
                 std::max(context_.budget->total_bytes() / kRowGroupShare, kRowGroupBytesMin));
    FIRN_ASSIGN(TranscodeContext transcode,
                TranscodeContext::Make(context_, layout_, *options_.schema));
    transcode_.emplace(std::move(transcode));
    plan_.emplace(*transcode_, tasks_, dropped_,
                  TranscodePlan::Limits{.row_group_bytes = row_group_bytes,
                                        .file_bytes = options_.target_file_bytes,
                                        .codec = chunk_options_.codec});
    partition_type_ = PartitionType(*options_.spec, metadata.SchemasNewestFirst());
    name_stem_ = fmt::format("00000-0-{}", FormatUuid(MakeUuid(*context_.random)));
    return {};
  }

  // What can be told without opening a file.
  Status CheckRewrite() const {
    FIRN_ASSIGN(const FileFormat format,
                WriteProperties(*context_.metadata, options_.content).Format());
    bool is_parquet = format == FileFormat::kParquet && !layout_.leaves.empty();
    bool has_positions_only = true;
    for (const FileScanTask& task : tasks_) {
      is_parquet &= task.file.file_format == FileFormat::kParquet;
      for (const DeleteFilePtr& deletes : task.deletes)
        has_positions_only &= deletes->file.content == FileContent::kPositionDeletes;
    }
    if (is_parquet && has_positions_only && options_.sort_order.fields.empty()) return {};
    return MakeError(ErrorCode::kUnsupported, "{}",
                     is_parquet ? "rows are sorted, or deleted by keys" : "files are no Parquet");
  }

  // False: none is left, or there is no room for another.
  Result<bool> StartRowGroup() {
    // Stored bytes of inputs and of outputs. One row group may always be under way.
    Result<MemoryReservation> memory = context_.budget->TryReserve(
        std::min(2 * plan_->NextBytes(), context_.budget->total_bytes() / 2));
    if (!memory.ok() && !groups_.empty()) return false;
    FIRN_ASSIGN(std::unique_ptr<OutputRowGroup> group, plan_->Next());
    if (group == nullptr) return false;
    if (memory.ok()) group->memory = std::move(*memory);
    SubmitJobs(std::move(group));
    return true;
  }

  void SubmitJobs(std::unique_ptr<OutputRowGroup> owned) {
    OutputRowGroup& group = *owned;
    groups_.push_back(std::move(owned));
    group.chunks.resize(layout_.leaves.size());
    std::vector<size_t> order(layout_.leaves.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<int64_t> sizes(order.size(), 0);
    for (const InputPart& part : group.parts) {
      for (size_t leaf = 0; leaf < sizes.size(); ++leaf) {
        const ColumnChunk* chunk = part.FindChunk(leaf);
        if (chunk != nullptr) sizes[leaf] += chunk->total_compressed_size;
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&sizes](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    for (const size_t leaf : order)
      jobs_.Submit([this, &group, leaf] { RunJob(group, leaf); });
  }

  void RunJob(OutputRowGroup& group, size_t leaf) {
    Result<EncodedChunk> chunk = MakeError(ErrorCode::kCancelled, "the rewrite was given up");
    if (!is_stopping_ && context_.cancel.Check().ok()) {
      chunk = MakeChunk(layout_, group, leaf, chunk_options_);
    }
    const std::lock_guard lock(mutex_);
    group.chunks[leaf] = std::move(chunk);
  }

  Result<EncodedChunk> TakeChunk(OutputRowGroup& group, size_t leaf) {
    jobs_.WaitFor([&] {
      const std::lock_guard lock(mutex_);
      return group.chunks[leaf].has_value();
    });
    const std::lock_guard lock(mutex_);
    return std::exchange(*group.chunks[leaf], MakeError(ErrorCode::kInternal, "it was taken"));
  }

  Status WriteRowGroup(OutputRowGroup& group) {
    if (output_ == nullptr) FIRN_RETURN_IF_ERROR(BeginFile());
    parquet_->BeginRowGroup(group.rows);
    int64_t bytes = 0;
    for (size_t leaf = 0; leaf < layout_.leaves.size(); ++leaf) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      FIRN_ASSIGN(EncodedChunk chunk, TakeChunk(group, leaf));
      bytes += chunk.metadata.total_compressed_size;
      FIRN_RETURN_IF_ERROR(metrics_->Add(leaf, chunk));
      FIRN_RETURN_IF_ERROR(parquet_->Append(std::move(chunk)));
    }
    plan_->Learn(group.bytes, bytes);
    return group.ends_file ? FinishFile() : Status();
  }

  Status BeginFile() {
    const std::string name = fmt::format("{}-{:05}.parquet", name_stem_, files_.size() + 1);
    const std::string uri = DataFileLocation(*context_.metadata, *options_.spec, *partition_type_,
                                             *options_.partition, name);
    FIRN_ASSIGN(output_, context_.io->Create(uri, {.exclusive = true}));
    parquet_ = std::make_unique<ParquetFileOutput>(
        layout_.footer,
        [file = output_.get()](std::span<const std::byte> bytes) { return file->Append(bytes); });
    metrics_ = std::make_unique<ChunkMetrics>(layout_, modes_);
    return {};
  }

  Status FinishFile() {
    if (output_ == nullptr) return {};
    FIRN_RETURN_IF_ERROR(parquet_->Finish(), "writing '{}'", output_->uri());
    const FileFooter& footer = parquet_->footer();
    DataFile file{.file_path = output_->uri(),
                  .file_format = FileFormat::kParquet,
                  .partition_spec_id = options_.spec->spec_id,
                  .partition = *options_.partition,
                  .record_count = footer.num_rows,
                  .file_size_in_bytes = output_->bytes_written()};
    for (const RowGroup& group : footer.row_groups)
      file.split_offsets.push_back(group.columns[0].start_offset());
    FIRN_ASSIGN(file.metrics, metrics_->Finish(), "metrics of '{}'", file.file_path);
    FIRN_RETURN_IF_ERROR(output_->Publish());
    files_.push_back(std::move(file));
    output_ = nullptr;
    return {};
  }

  const WriteContext& context_;
  const DataWriteOptions& options_;
  const std::vector<FileScanTask>& tasks_;
  const PositionsByFile& dropped_;
  ParquetLayout layout_;
  std::optional<TranscodeContext> transcode_;
  ChunkOptions chunk_options_;
  std::map<int32_t, MetricsMode> modes_;
  TypePtr partition_type_;
  std::string name_stem_;

  std::optional<TranscodePlan> plan_;
  std::deque<std::unique_ptr<OutputRowGroup>> groups_;  // Under way.

  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<ParquetFileOutput> parquet_;
  std::unique_ptr<ChunkMetrics> metrics_;
  std::vector<DataFile> files_;

  std::mutex mutex_;  // Guards the chunks of `groups_`.
  std::atomic<bool> is_stopping_ = false;
  TaskGroup jobs_;  // Ends first.
};

}  // namespace

Result<std::optional<std::vector<DataFile>>> TranscodeDataFiles(
    const WriteContext& context, const DataWriteOptions& options,
    const std::vector<FileScanTask>& tasks, const PositionsByFile& dropped) {
  return FileTranscoder(context, options, tasks, dropped).Run();
}

}  // namespace firn
