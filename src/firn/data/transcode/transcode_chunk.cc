#include <utility>

#include "firn/data/transcode/transcode_chunk_internal.h"

namespace firn {
namespace {

// Bytes of an input. `to` holds them unless the whole file is in memory.
Result<std::span<const std::byte>> LoadBytes(const TranscodeInput& input, const ByteRange& range,
                                             Buffer& to) {
  const auto size = static_cast<size_t>(range.length);
  if (!input.bytes.empty()) {
    const auto file = input.bytes.span();
    if (range.offset < 0 || static_cast<size_t>(range.offset) > file.size() ||
        size > file.size() - static_cast<size_t>(range.offset)) {
      return MakeError(ErrorCode::kCorrupt, "'{}': a column chunk ends beyond the file",
                       input.task->file.file_path);
    }
    return file.subspan(static_cast<size_t>(range.offset), size);
  }
  to = Buffer(size);
  FIRN_ASSIGN(const int64_t read, input.file->ReadAt(range.offset, to.span()));
  if (read != range.length) {
    return MakeError(ErrorCode::kCorrupt, "'{}': a column chunk ends beyond the file",
                     input.task->file.file_path);
  }
  return to.span();
}

ByteRange StoredRange(const ColumnChunk& chunk) {
  return {.offset = chunk.start_offset(), .length = chunk.total_compressed_size};
}

// The stored bytes of the chunk of `leaf`.
Result<std::span<const std::byte>> LoadChunk(const InputPart& part, size_t leaf, Buffer& to) {
  const ByteRange range = StoredRange(*part.FindChunk(leaf));
  if (part.piece == nullptr || !part.input->bytes.empty()) {
    return LoadBytes(*part.input, range, to);
  }
  CutRowGroup::Chunk& chunk = part.piece->cut->chunks[leaf];
  const std::lock_guard lock(chunk.mutex);
  if (!chunk.bytes.empty()) return std::span<const std::byte>(chunk.bytes.span());
  return LoadBytes(*part.input, range, chunk.bytes);
}

// The only part of a row group, if the chunk of `leaf` can be copied from it.
const InputPart* PartToCopy(const ParquetLayout& layout, const OutputRowGroup& group, size_t leaf,
                            ParquetCodec codec) {
  if (group.parts.size() != 1) return nullptr;
  const InputPart& part = group.parts[0];
  const TranscodeInput& input = *part.input;
  if (input.sources[leaf].shared_nodes > 0 || part.piece != nullptr) return nullptr;
  const ColumnChunk* chunk = part.FindChunk(leaf);
  if (chunk == nullptr ||
      input.kept_rows(part.row_group) != input.footer.row_groups[part.row_group].num_rows) {
    return nullptr;
  }
  const LeafNode& from = (*input.leaves)[static_cast<size_t>(input.sources[leaf].leaf)];
  const bool can_copy = CanCopyChunk(input.footer, from, *chunk, layout.leaves[leaf], codec);
  return can_copy ? &part : nullptr;
}

Result<EncodedChunk> CopyPart(const ParquetLayout& layout, const InputPart& part, size_t leaf) {
  const TranscodeInput& input = *part.input;
  const auto from = static_cast<size_t>(input.sources[leaf].leaf);
  const RowGroup& row_group = input.footer.row_groups[part.row_group];
  const ColumnChunk& chunk = row_group.columns[from];
  Buffer bytes;
  FIRN_ASSIGN(const auto stored, LoadBytes(input, StoredRange(chunk), bytes));
  if (bytes.empty()) bytes = Buffer::CopyOf(stored);
  std::string column_index;
  if (chunk.column_index && chunk.offset_index) {
    Buffer index;
    FIRN_ASSIGN(const auto view, LoadBytes(input, *chunk.column_index, index));
    column_index = AsText(view);
  }
  const ChunkInput copied{
      .leaf = &(*input.leaves)[from], .chunk = &chunk, .row_count = row_group.num_rows};
  FIRN_ASSIGN(EncodedChunk copy,
              CopyChunk(copied, layout.leaves[leaf], std::move(bytes), std::move(column_index)),
              "'{}', column '{}'", input.task->file.file_path, layout.fields[leaf].name);
  return copy;
}

}  // namespace

const ColumnChunk* InputPart::FindChunk(size_t leaf) const {
  const int from = input->sources[leaf].leaf;
  if (from < 0) return nullptr;
  return &input->footer.row_groups[row_group].columns[static_cast<size_t>(from)];
}

const std::vector<RowSpan>* InputPart::kept() const {
  if (piece != nullptr) return &piece->kept;
  if (input->kept.empty() || !input->kept[row_group]) return nullptr;
  return &*input->kept[row_group];
}

Result<EncodedChunk> MakeChunk(const ParquetLayout& layout, const OutputRowGroup& group,
                               size_t leaf, const ChunkOptions& options) {
  if (const InputPart* part = PartToCopy(layout, group, leaf, options.codec)) {
    return CopyPart(layout, *part, leaf);
  }
  std::vector<ChunkInput> inputs;
  std::vector<Buffer> buffers(group.parts.size());
  for (size_t i = 0; i < group.parts.size(); ++i) {
    const TranscodeInput& input = *group.parts[i].input;
    const size_t row_group = group.parts[i].row_group;
    const LeafSource& source = input.sources[leaf];
    ChunkInput chunk{.name = input.task->file.file_path,
                     .row_count = input.footer.row_groups[row_group].num_rows};
    chunk.kept = group.parts[i].kept();
    if (source.leaf >= 0) {
      chunk.leaf = &(*input.leaves)[static_cast<size_t>(source.leaf)];
      chunk.chunk = group.parts[i].FindChunk(leaf);
      chunk.shared_nodes = source.shared_nodes;
      FIRN_ASSIGN(chunk.bytes, LoadChunk(group.parts[i], leaf, buffers[i]));
    } else if (source.generated) {
      chunk.generated = source.generated;
      chunk.generated->first += chunk.generated->step * input.first_rows[row_group];
    } else {
      chunk.constant = source.constant;
    }
    inputs.push_back(chunk);
  }
  FIRN_ASSIGN(EncodedChunk chunk, TranscodeChunk(layout.leaves[leaf], inputs, options),
              "column '{}'", layout.fields[leaf].name);
  return chunk;
}

}  // namespace firn
