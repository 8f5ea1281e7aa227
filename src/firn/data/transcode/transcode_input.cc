#include <algorithm>
#include <utility>

#include "firn/data/read/committed_file_internal.h"
#include "firn/data/transcode/transcode_input_internal.h"
#include "firn/parquet/footer.h"

namespace firn {
namespace {

// Smaller files are read whole, at once.
constexpr int64_t kSmallFileBytes = int64_t{512} << 10;
// Larger footers are left to the reader of rows.
constexpr int64_t kFooterShare = 8;

// The rows of [begin, begin + rows) that are not deleted, counted from `begin`.
std::optional<std::vector<RowSpan>> KeptRows(const PositionSet& deleted, int64_t begin,
                                             int64_t rows) {
  const std::vector<int64_t> positions = deleted.InRange(begin, begin + rows);
  if (positions.empty()) return std::nullopt;
  std::vector<RowSpan> kept;
  int64_t next = 0;
  for (const int64_t position : positions) {
    const int64_t row = position - begin;
    if (row > next) kept.push_back({next, row});
    next = row + 1;
  }
  if (next < rows) kept.push_back({next, rows});
  return kept;
}

Result<Buffer> ReadWhole(InputFile& file, int64_t size) {
  Buffer bytes(static_cast<size_t>(size));
  FIRN_ASSIGN(const int64_t read, file.ReadAt(0, bytes.span()));
  if (read == size) return bytes;
  return MakeError(ErrorCode::kCorrupt, "the file has {} bytes, expected {}", read, size);
}

// Footers of all inputs are looked at, several at a time.
int64_t FooterBytesMax(const WriteContext& context) {
  return std::min(kReadFooterBytesMax,
                  context.budget->total_bytes() / kFooterShare / kFooterMemoryFactor);
}

Status ReadInput(const WriteContext& context, TranscodeInput& input, Buffer kept) {
  const DataFile& data_file = input.task->file;
  int64_t size = data_file.file_size_in_bytes;
  const bool is_kept_whole = !kept.empty() && std::ssize(kept.span()) == size;
  if (!is_kept_whole) {
    FIRN_ASSIGN(input.file, context.io->Open(data_file.file_path, size));
    FIRN_ASSIGN(size, input.file->Size());
    FIRN_RETURN_IF_ERROR(CheckCommittedSize(data_file, size));
  }
  if (size > kSmallFileBytes) {
    input.tail = std::move(kept);
    if (input.tail.empty()) {
      FIRN_ASSIGN(input.tail, ReadTail(*input.file, size, FooterBytesMax(context)));
    }
    FIRN_ASSIGN(input.footer, ReadFooter(input.tail.span(), size));
    return {};
  }
  input.bytes = std::move(kept);
  if (input.bytes.empty()) {
    FIRN_ASSIGN(input.bytes, ReadWhole(*input.file, size));
  }
  FIRN_ASSIGN(input.footer, ReadFooter(input.bytes.span()));
  input.file = nullptr;
  return {};
}

// A row group of the output may hold very many footers of small files.
void DropNames(FileFooter& footer) {
  footer.schema = {};
  footer.key_value_metadata = {};
  for (RowGroup& group : footer.row_groups) {
    for (ColumnChunk& chunk : group.columns)
      chunk.path_in_schema = {};
  }
}

}  // namespace

int64_t TranscodeInput::kept_rows(size_t row_group) const {
  if (kept.empty() || !kept[row_group]) return footer.row_groups[row_group].num_rows;
  int64_t rows = 0;
  for (const RowSpan& span : *kept[row_group])
    rows += span.end - span.begin;
  return rows;
}

int64_t TranscodeInput::footer_memory() const {
  constexpr int64_t kChunkBytes = 500;
  return static_cast<int64_t>(footer.row_groups.size() * leaves->size()) * kChunkBytes;
}

int64_t TranscodeInput::stored_bytes(size_t row_group) const {
  int64_t sum = 0;
  for (const LeafSource& source : sources) {
    if (source.leaf < 0) continue;
    sum += footer.row_groups[row_group]
               .columns[static_cast<size_t>(source.leaf)]
               .total_compressed_size;
  }
  return sum;
}

Result<std::shared_ptr<TranscodeInput>> OpenTranscodeInput(const TranscodeContext& context,
                                                           const FileScanTask& task,
                                                           const PositionSet* deleted,
                                                           Buffer kept) {
  const std::string& path = task.file.file_path;
  auto input = std::make_shared<TranscodeInput>();
  input->task = &task;
  FIRN_RETURN_IF_ERROR(ReadInput(context.write, *input, std::move(kept)), "'{}'", path);
  FIRN_ASSIGN(input->leaves, context.leaves->Find(input->footer.schema), "'{}'", path);
  FIRN_ASSIGN(input->sources, FindLeafSources(context, task, input->footer, *input->leaves), "'{}'",
              path);
  DropNames(input->footer);
  int64_t row = 0;
  for (const RowGroup& group : input->footer.row_groups) {
    input->first_rows.push_back(row);
    if (deleted != nullptr) input->kept.push_back(KeptRows(*deleted, row, group.num_rows));
    row += group.num_rows;
  }
  if (row != task.file.record_count) {
    return MakeError(ErrorCode::kCorrupt, "'{}': the footer tells {} rows, the manifest {}", path,
                     row, task.file.record_count);
  }
  return input;
}

}  // namespace firn
