#pragma once

#include <memory>
#include <string>

#include "firn/parquet/footer.h"
#include "firn/parquet/transcode.h"

namespace firn {

/// Whether the bytes of `chunk`, with all its rows, can stand in a file of `footer`'s kind as they
/// are: same levels, the codec that is wanted, and statistics that tell what the values would.
/// Chunks of floats cannot, since no footer counts NaN. Requires CanTranscode.
bool CanCopyChunk(const FileFooter& file, const LeafNode& from, const ColumnChunk& chunk,
                  const LeafNode& to, ParquetCodec codec);

/// The chunk of `input`, whose stored bytes are `bytes`, as a chunk of leaf `to`. Its pages are
/// counted, not decompressed. `column_index`: the file's, or empty. Errors: kCorrupt.
Result<EncodedChunk> CopyChunk(const ChunkInput& input, const LeafNode& to, Buffer bytes,
                               std::string column_index);

}  // namespace firn
