#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firn/parquet/footer.h"

namespace firn {

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
  int32_t definition_bytes = 0;  ///< Version 2.
  int32_t repetition_bytes = 0;  ///< Version 2.
  bool is_compressed = true;     ///< Version 2 may say no.
};

struct ParsedPageHeader {
  PageHeader header;
  size_t header_bytes = 0;
};

/// Sizes and counts are not negative. Errors: kCorrupt.
Result<ParsedPageHeader> ParsePageHeader(std::span<const std::byte> bytes);

/// A dictionary page or a data page of version 1.
std::string FormatPageHeader(const PageHeader& header);

}  // namespace firn
