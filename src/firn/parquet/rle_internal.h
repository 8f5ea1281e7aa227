#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firn/base/result.h"
#include "firn/parquet/compression_internal.h"

/// Parquet's hybrid of run lengths and bit packing, for levels and dictionary indices.

namespace firn {

/// Bits that numbers up to `largest` take.
int BitWidth(uint64_t largest);

/// Decode `out.size()` numbers of `bit_width` (0 to 32) bits. At least PageBuffer::kSlack bytes
/// behind `in` can be read. Errors: kCorrupt.
Status DecodeRle(std::span<const std::byte> in, int bit_width, std::span<uint32_t> out);
Status DecodeRle(std::span<const std::byte> in, int bit_width, std::span<uint8_t> out);

/// If the first run has `count` numbers or more: its number.
std::optional<uint32_t> SingleRun(std::span<const std::byte> in, int bit_width, size_t count);

/// Append the numbers to `out`.
void EncodeRle(std::span<const uint32_t> numbers, int bit_width, PageBuffer& out);
void EncodeRle(std::span<const uint8_t> numbers, int bit_width, PageBuffer& out);
/// Append one run of `count` times `number`.
void EncodeRun(uint32_t number, size_t count, int bit_width, PageBuffer& out);

}  // namespace firn
