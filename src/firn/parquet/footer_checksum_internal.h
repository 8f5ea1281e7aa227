#pragma once

#include <span>
#include <string>
#include <string_view>

#include "firn/base/result.h"

/// Parquet has checksums of pages but none of the footer, where a flipped bit may give a column
/// another field id, type or minimum that is as well-formed as the true one. Footers that firn
/// writes end their key-value metadata with one.

namespace firn {

inline constexpr std::string_view kFooterChecksumKey = "firn.footer.crc32";
/// Stands for the checksum until it is known, and while it is computed.
inline constexpr std::string_view kFooterChecksumBlank = "00000000";

/// True if `created_by` is what firn writes there.
bool IsFooterWriter(std::string_view created_by);

/// True if the footer was written by firn and carries a checksum. A copy of the entry that another
/// writer took over with the rest of the metadata is none.
bool HasFooterChecksum(std::span<const std::byte> footer);

/// Errors: kCorrupt: the checksum is not that of the footer.
Status CheckFooterChecksum(std::span<const std::byte> footer);

/// Put the checksum where the blank stands. `footer` is left alone if it has none.
void SealFooter(std::string& footer);

}  // namespace firn
