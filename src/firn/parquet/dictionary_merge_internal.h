#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/parquet/transcode.h"
#include "firn/parquet/value_dictionary_internal.h"

namespace firn {

/// The values of all inputs, each once.
struct MergedDictionary {
  ValueDictionary values;
  /// For each input the number of each value of its own dictionary; of values that no kept row has,
  /// none that there is. Empty where it has no dictionary.
  std::vector<std::vector<uint32_t>> numbers;
};

/// Merge the dictionaries of `inputs`, values of kept rows only, or nullopt if there would be too
/// many or if plain values are smaller. Errors: kCorrupt, naming the input; kUnsupported.
Result<std::optional<MergedDictionary>> MergeDictionaries(const LeafNode& to, ValueOrder order,
                                                          std::span<const ChunkInput> inputs,
                                                          const ChunkOptions& options,
                                                          PageCodec& codec);

/// An input in errors.
std::string NameOf(const ChunkInput& input, size_t index);

/// Call `visit` with each byte array of `bytes`, which were checked, from the first of `count` on.
/// Returns what lies behind them.
template <typename Visit>
std::span<const std::byte> ForEachByteArray(std::span<const std::byte> bytes, size_t count,
                                            const Visit& visit) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    visit(AsText(bytes.subspan(sizeof(length), length)));
    bytes = bytes.subspan(sizeof(length) + length);
  }
  return bytes;
}

}  // namespace firn
