#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/bytes.h"
#include "firn/base/result.h"

/// Gzip (RFC 1952) of whole texts in memory: compressed metadata files.

namespace firn {

/// True if `bytes` starts as gzip does.
bool IsGzip(std::span<const std::byte> bytes);

/// All members of the file one after another.
/// Errors: kCorrupt: broken, or more than `size_max` bytes come out.
Result<Buffer> DecompressGzip(std::span<const std::byte> bytes, size_t size_max);

/// A bound for what metadata of `size` compressed bytes may become: generous for JSON, and far
/// below what a file made to exhaust memory would claim.
size_t MaxInflatedSize(size_t size);

std::string CompressGzip(std::string_view text);

}  // namespace firn
