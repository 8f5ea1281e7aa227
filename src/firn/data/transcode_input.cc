#include <utility>

#include "firn/data/transcode_input_internal.h"

namespace firn {
namespace {

// Smaller files are read whole, at once.
constexpr int64_t kSmallFileBytes = int64_t{512} << 10;

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

Status ReadInput(const WriteContext& context, TranscodeInput& input) {
  const DataFile& data_file = input.task->file;
  FIRN_ASSIGN(input.file, context.io->Open(data_file.file_path, data_file.file_size_in_bytes));
  FIRN_ASSIGN(const int64_t size, input.file->Size());
  if (size > kSmallFileBytes) {
    FIRN_ASSIGN(input.footer, ReadFooter(*input.file, size));
    return {};
  }
  input.bytes = Buffer(static_cast<size_t>(size));
  FIRN_ASSIGN(const int64_t read, input.file->ReadAt(0, input.bytes.span()));
  if (read != size) {
    return MakeError(ErrorCode::kCorrupt, "the file has {} bytes, expected {}", read, size);
  }
  FIRN_ASSIGN(input.footer, ReadFooter(input.bytes.span()));
  input.file = nullptr;
  return {};
}

}  // namespace

int64_t TranscodeInput::kept_rows(size_t row_group) const {
  if (kept.empty() || !kept[row_group]) return footer.row_groups[row_group].num_rows;
  int64_t rows = 0;
  for (const RowSpan& span : *kept[row_group])
    rows += span.end - span.begin;
  return rows;
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
                                                           const PositionSet* deleted) {
  const std::string& path = task.file.file_path;
  auto input = std::make_shared<TranscodeInput>();
  input->task = &task;
  FIRN_RETURN_IF_ERROR(ReadInput(context.write, *input), "'{}'", path);
  FIRN_ASSIGN(input->leaves, LeavesOf(input->footer.schema), "'{}'", path);
  FIRN_ASSIGN(input->sources, FindLeafSources(context, task, input->footer, input->leaves), "'{}'",
              path);
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
