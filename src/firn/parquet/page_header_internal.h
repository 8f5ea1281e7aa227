#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "firn/parquet/footer.h"

namespace firn {

/// Larger pages are neither read nor written: they take several times as much memory.
constexpr int64_t kPageBytesMax = int64_t{1} << 28;
constexpr int64_t kPageValuesMax = int64_t{1} << 26;

enum class PageType { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };

/// The head of a page; what a page type does not have is zero.
struct PageHeader {
  PageType type = PageType::kData;
  int32_t uncompressed_size = 0;
  int32_t compressed_size = 0;
  int32_t num_values = 0;
  ParquetEncoding encoding = ParquetEncoding::kPlain;
  ParquetEncoding definition_encoding = ParquetEncoding::kRle;
  ParquetEncoding repetition_encoding = ParquetEncoding::kRle;
  int32_t null_count = 0;  ///< Version 2, as are the next.
  int32_t row_count = 0;
  int32_t definition_bytes = 0;
  int32_t repetition_bytes = 0;
  bool is_compressed = true;    ///< Version 2 may say no.
  std::optional<uint32_t> crc;  ///< CRC-32 of what follows the head, as it is stored.
};

struct ParsedPageHeader {
  PageHeader header;
  size_t header_bytes = 0;
};

/// Sizes and counts are not negative. Errors: kCorrupt.
Result<ParsedPageHeader> ParsePageHeader(std::span<const std::byte> bytes);

/// Compare `stored`, the bytes of a page as they are in the file, with the checksum of its header,
/// if that has one. Errors: kCorrupt.
Status CheckChecksum(const PageHeader& header, std::span<const std::byte> stored);

/// A dictionary page or a data page.
std::string FormatPageHeader(const PageHeader& header);

}  // namespace firn
