#include "firn/data/transcode_files.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "firn/base/log.h"
#include "firn/base/task_group.h"
#include "firn/data/parquet_file_writer_internal.h"
#include "firn/data/transcode_input_internal.h"
#include "firn/data/transcode_metrics_internal.h"
#include "firn/format/data_location.h"
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
// Larger row groups of the input are read as rows, which streams them.
constexpr int64_t kInputRowGroupShare = 4;
// What is kept of the inputs between the look at their footers and their turn.
constexpr int64_t kKeptShare = 8;
constexpr int64_t kChunkFooterBytes = 400;

// A row group of an input.
struct InputPart {
  std::shared_ptr<TranscodeInput> input;
  size_t row_group = 0;
};

struct OutputRowGroup {
  std::vector<InputPart> parts;
  int64_t rows = 0;
  int64_t bytes = 0;  // Stored, of the inputs.
  bool ends_file = false;
  std::vector<std::optional<Result<EncodedChunk>>> chunks;  // By leaf.
  MemoryReservation memory;
};

// The stored bytes of one column chunk.
Result<std::span<const std::byte>> LoadChunk(const TranscodeInput& input, const ColumnChunk& chunk,
                                             Buffer& to) {
  const int64_t offset = chunk.start_offset();
  const auto size = static_cast<size_t>(chunk.total_compressed_size);
  if (!input.bytes.empty()) {
    const auto file = input.bytes.span();
    if (offset < 0 || static_cast<size_t>(offset) > file.size() ||
        size > file.size() - static_cast<size_t>(offset)) {
      return MakeError(ErrorCode::kCorrupt, "a column chunk ends beyond the file");
    }
    return file.subspan(static_cast<size_t>(offset), size);
  }
  to = Buffer(size);
  FIRN_ASSIGN(const int64_t read, input.file->ReadAt(offset, to.span()));
  if (read != chunk.total_compressed_size) {
    return MakeError(ErrorCode::kCorrupt, "a column chunk ends beyond the file");
  }
  return to.span();
}

Result<EncodedChunk> MakeChunk(const TranscodeLayout& layout, const OutputRowGroup& group,
                               size_t leaf, const ChunkOptions& options) {
  std::vector<ChunkInput> inputs;
  std::vector<Buffer> buffers(group.parts.size());
  for (size_t i = 0; i < group.parts.size(); ++i) {
    const TranscodeInput& input = *group.parts[i].input;
    const size_t row_group = group.parts[i].row_group;
    const TranscodeInput::Source& source = input.sources[leaf];
    ChunkInput chunk{.row_count = input.footer.row_groups[row_group].num_rows};
    if (!input.kept.empty() && input.kept[row_group]) chunk.kept = &*input.kept[row_group];
    if (source.leaf >= 0) {
      const auto from = static_cast<size_t>(source.leaf);
      chunk.leaf = &input.leaves[from];
      chunk.chunk = &input.footer.row_groups[row_group].columns[from];
      FIRN_ASSIGN(chunk.bytes, LoadChunk(input, *chunk.chunk, buffers[i]), "'{}'",
                  input.task->file.file_path);
    } else if (source.generated) {
      chunk.generated = source.generated;
      chunk.generated->first += chunk.generated->step * input.first_rows[row_group];
    }
    inputs.push_back(chunk);
  }
  FIRN_ASSIGN(EncodedChunk chunk, TranscodeChunk(layout.leaves[leaf], inputs, options),
              "column '{}'", layout.fields[leaf].name);
  return chunk;
}

ParquetCodec CodecOf(const std::string& name) {
  if (name == "gzip") return ParquetCodec::kGzip;
  if (name == "lz4") return ParquetCodec::kLz4Raw;
  if (name == "snappy") return ParquetCodec::kSnappy;
  if (name == "zstd") return ParquetCodec::kZstd;
  if (name == "brotli") return ParquetCodec::kBrotli;
  return ParquetCodec::kUncompressed;
}

class FileTranscoder {
 public:
  FileTranscoder(const WriteContext& context, const DataWriteOptions& options,
                 const std::vector<FileScanTask>& tasks)
      : context_(context),
        options_(options),
        tasks_(tasks),
        read_({.io = context.io,
               .metadata = context.metadata,
               .executor = context.executor,
               .budget = context.budget,
               .cancel = context.cancel}),
        pool_(BudgetPool::Make(context.budget->total_bytes())),
        jobs_(*context.executor) {}

  ~FileTranscoder() { is_stopping_ = true; }

  Result<std::optional<std::vector<DataFile>>> Run() {
    const Status status = RunAll();
    is_stopping_ = true;
    if (status.ok() && fits_) return std::optional(std::move(files_));
    output_ = nullptr;
    std::vector<std::string> uris;
    for (const DataFile& file : files_)
      uris.push_back(file.file_path);
    DiscardFiles(*context_.io, uris, "output of a rewrite that was begun anew");
    if (status.ok()) return std::optional<std::vector<DataFile>>();
    // Whether bytes that this does not understand are damaged is for the reader of rows to say.
    const ErrorCode code = status.error().code();
    if (code != ErrorCode::kUnsupported && code != ErrorCode::kCorrupt) return status.error();
    Log(LogLevel::kInfo, "rows are read and written again: {}", status.error().message());
    return std::optional<std::vector<DataFile>>();
  }

 private:
  Status RunAll() {
    FIRN_RETURN_IF_ERROR(Prepare());
    if (!fits_) return {};
    FIRN_RETURN_IF_ERROR(OpenAll());
    if (!fits_) return {};
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
    FIRN_ASSIGN(const ParquetWriteOptions parquet, ParquetOptionsFrom(metadata));
    chunk_options_ = {.codec = CodecOf(parquet.codec),
                      .compression_level = parquet.compression_level,
                      .page_bytes = parquet.page_bytes,
                      .page_rows = parquet.page_rows,
                      .dictionary_bytes_max = parquet.dictionary_bytes};
    row_group_bytes_ =
        std::min(parquet.row_group_bytes,
                 std::max(context_.budget->total_bytes() / kRowGroupShare, kRowGroupBytesMin));
    FIRN_ASSIGN(modes_, MetricsModes(metadata, *options_.schema));
    FIRN_ASSIGN(layout_, MakeTranscodeLayout(*options_.schema, metadata));
    partition_type_ = PartitionType(*options_.spec, metadata.SchemasNewestFirst());
    name_stem_ = fmt::format("00000-0-{}", FormatUuid(MakeUuid(*context_.random)));
    fits_ = chunk_options_.codec != ParquetCodec::kBrotli && !layout_.leaves.empty();
    for (const FileScanTask& task : tasks_) {
      fits_ &= task.file.file_format == FileFormat::kParquet;
      for (const DeleteFilePtr& deletes : task.deletes)
        fits_ &= deletes->file.content == FileContent::kPositionDeletes;
    }
    return {};
  }

  // Look at all footers before anything is written.
  Status OpenAll() {
    inputs_.resize(tasks_.size());
    deleted_.resize(tasks_.size());
    PositionDeletes deletes(read_, pool_, tasks_);
    std::atomic<bool> fits = true;
    std::atomic<int64_t> kept_bytes = 0;
    std::atomic<int64_t> input_bytes = 0;
    FIRN_RETURN_IF_ERROR(ParallelFor(
        *context_.executor, tasks_.size(),
        [&](size_t i) -> Status {
          if (!fits) return {};
          FIRN_ASSIGN(deleted_[i], deletes.Load(tasks_[i]));
          FIRN_ASSIGN(auto input,
                      OpenTranscodeInput(context_, layout_, tasks_[i], deleted_[i].get()));
          if (input == nullptr) {
            fits = false;
            return {};
          }
          int64_t bytes = static_cast<int64_t>(input->bytes.size());
          for (size_t j = 0; j < input->footer.row_groups.size(); ++j) {
            const int64_t stored = input->stored_bytes(j);
            input_bytes += stored;
            if (stored > context_.budget->total_bytes() / kInputRowGroupShare) fits = false;
            bytes += static_cast<int64_t>(layout_.leaves.size()) * kChunkFooterBytes;
          }
          input->file = nullptr;  // Opened again when it is its turn: there may be very many.
          if ((kept_bytes += bytes) > context_.budget->total_bytes() / kKeptShare) return {};
          inputs_[i] = std::move(input);
          return {};
        },
        context_.cancel));
    fits_ = fits;
    remaining_bytes_ = input_bytes;
    return {};
  }

  Result<std::shared_ptr<TranscodeInput>> TakeInput(size_t index) {
    std::shared_ptr<TranscodeInput> input = std::move(inputs_[index]);
    if (input == nullptr) {
      FIRN_ASSIGN(input,
                  OpenTranscodeInput(context_, layout_, tasks_[index], deleted_[index].get()));
      if (input == nullptr) {
        return MakeError(ErrorCode::kCorrupt, "'{}' has changed while it was read",
                         tasks_[index].file.file_path);
      }
    } else if (input->bytes.empty()) {
      const DataFile& file = tasks_[index].file;
      FIRN_ASSIGN(input->file, context_.io->Open(file.file_path, file.file_size_in_bytes));
    }
    deleted_[index] = nullptr;
    return input;
  }

  // Where the next row group of the output ends, and whether its file does.
  int64_t BytesForRowGroup() {
    if (file_bytes_left_ <= 0) {
      // What is left is dealt out evenly, so that the last file is not a small one.
      const double left = static_cast<double>(remaining_bytes_) * ratio_;
      const auto target = static_cast<double>(options_.target_file_bytes);
      const double files = target > 0 ? std::max(1.0, std::round(left / target)) : 1.0;
      file_bytes_left_ = static_cast<int64_t>(static_cast<double>(remaining_bytes_) / files);
    }
    // Evenly too.
    const int64_t groups =
        std::max<int64_t>(1, (file_bytes_left_ + row_group_bytes_ - 1) / row_group_bytes_);
    return file_bytes_left_ / groups;
  }

  Result<bool> StartRowGroup() {
    auto group = std::make_unique<OutputRowGroup>();
    const int64_t bytes_max = BytesForRowGroup();
    // Stored bytes of inputs and of outputs. One row group may always be under way.
    Result<MemoryReservation> memory =
        context_.budget->TryReserve(std::min(2 * bytes_max, context_.budget->total_bytes() / 2));
    if (!memory.ok() && !groups_.empty()) return false;
    if (memory.ok()) group->memory = std::move(*memory);
    while (next_input_ < tasks_.size()) {
      if (open_ == nullptr) {
        FIRN_ASSIGN(open_, TakeInput(next_input_));
        next_row_group_ = 0;
      }
      if (next_row_group_ == open_->footer.row_groups.size()) {
        open_ = nullptr;
        ++next_input_;
        continue;
      }
      const int64_t bytes = open_->stored_bytes(next_row_group_);
      if (group->rows > 0 && group->bytes + bytes / 2 > bytes_max) break;
      const int64_t rows = open_->kept_rows(next_row_group_);
      remaining_bytes_ -= bytes;
      if (rows > 0) {
        group->parts.push_back({open_, next_row_group_});
        group->rows += rows;
        group->bytes += bytes;
      }
      ++next_row_group_;
    }
    if (group->rows == 0) return false;
    file_bytes_left_ -= group->bytes;
    // Rounding by whole row groups of the input leaves a rest.
    if (file_bytes_left_ < bytes_max / 2) file_bytes_left_ = 0;
    group->ends_file = file_bytes_left_ <= 0;
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
        const int from = part.input->sources[leaf].leaf;
        if (from < 0) continue;
        sizes[leaf] += part.input->footer.row_groups[part.row_group]
                           .columns[static_cast<size_t>(from)]
                           .total_compressed_size;
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
    bytes_in_ += group.bytes;
    bytes_out_ += bytes;
    ratio_ = static_cast<double>(bytes_out_) / static_cast<double>(std::max<int64_t>(bytes_in_, 1));
    return group.ends_file ? FinishFile() : Status();
  }

  Status BeginFile() {
    const std::string name = fmt::format("{}-{:05}.parquet", name_stem_, files_.size() + 1);
    const std::string uri = DataFileLocation(*context_.metadata, *options_.spec, *partition_type_,
                                             *options_.partition, name);
    FIRN_ASSIGN(output_, context_.io->Create(uri, {.exclusive = true}));
    parquet_ = std::make_unique<ParquetFileOutput>(layout_.footer, *output_);
    metrics_ = std::make_unique<TranscodeMetrics>(layout_, modes_);
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
                  .file_size_in_bytes = output_->bytes_written(),
                  .sort_order_id = options_.sort_order_id};
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
  const ReadContext read_;
  std::shared_ptr<BudgetPool> pool_;
  TranscodeLayout layout_;
  ChunkOptions chunk_options_;
  std::map<int32_t, MetricsMode> modes_;
  TypePtr partition_type_;
  std::string name_stem_;
  int64_t row_group_bytes_ = 0;
  bool fits_ = true;

  std::vector<std::shared_ptr<TranscodeInput>> inputs_;  // Null: to be opened again.
  std::vector<std::shared_ptr<const PositionSet>> deleted_;
  std::shared_ptr<TranscodeInput> open_;
  size_t next_input_ = 0;
  size_t next_row_group_ = 0;

  // How much goes where: stored bytes of the inputs, and what became of those written so far.
  int64_t remaining_bytes_ = 0;
  int64_t file_bytes_left_ = 0;
  int64_t bytes_in_ = 0;
  int64_t bytes_out_ = 0;
  double ratio_ = 1;

  std::deque<std::unique_ptr<OutputRowGroup>> groups_;  // Under way.

  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<ParquetFileOutput> parquet_;
  std::unique_ptr<TranscodeMetrics> metrics_;
  std::vector<DataFile> files_;

  std::mutex mutex_;  // Guards the chunks of `groups_`.
  std::atomic<bool> is_stopping_ = false;
  TaskGroup jobs_;  // Ends first.
};

}  // namespace

Result<std::optional<std::vector<DataFile>>> TranscodeDataFiles(
    const WriteContext& context, const DataWriteOptions& options,
    const std::vector<FileScanTask>& tasks) {
  return FileTranscoder(context, options, tasks).Run();
}

}  // namespace firn
