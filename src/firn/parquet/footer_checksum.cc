#include <optional>

#include <fmt/format.h>

#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/parquet/footer_checksum_internal.h"

namespace firn {
namespace {

// As the compact protocol has it: the value is the next field and a text of eight bytes; then the
// entry ends, and so do the entries, since the name of the writer comes next.
constexpr std::string_view kValueHead = "\x18\x08";
constexpr std::string_view kEntryEnd{"\0\x18", 2};
constexpr std::string_view kWriter = "firn ";

// Where the digits are.
std::optional<size_t> FindDigits(std::string_view footer) {
  const size_t key = footer.rfind(kFooterChecksumKey);
  if (key == std::string_view::npos) return std::nullopt;
  const std::string_view rest = footer.substr(key + kFooterChecksumKey.size());
  const size_t end = kValueHead.size() + kFooterChecksumBlank.size();
  const bool is_entry =
      rest.starts_with(kValueHead) && rest.size() > end && rest.substr(end).starts_with(kEntryEnd);
  if (!is_entry) return std::nullopt;
  // The length of the name is one byte.
  const size_t name = end + kEntryEnd.size() + 1;
  if (rest.size() < name || !IsFooterWriter(rest.substr(name))) return std::nullopt;
  return key + kFooterChecksumKey.size() + kValueHead.size();
}

std::string ChecksumOf(std::string_view footer, size_t digits) {
  uint32_t crc = HashCrc32(AsBytes(footer.substr(0, digits)));
  crc = HashCrc32(AsBytes(kFooterChecksumBlank), crc);
  crc = HashCrc32(AsBytes(footer.substr(digits + kFooterChecksumBlank.size())), crc);
  return fmt::format("{:08x}", crc);
}

}  // namespace

bool IsFooterWriter(std::string_view created_by) { return created_by.starts_with(kWriter); }

bool HasFooterChecksum(std::span<const std::byte> footer) {
  return FindDigits(AsText(footer)).has_value();
}

Status CheckFooterChecksum(std::span<const std::byte> footer) {
  const std::string_view text = AsText(footer);
  const std::optional<size_t> digits = FindDigits(text);
  if (!digits) return {};
  const std::string_view found = text.substr(*digits, kFooterChecksumBlank.size());
  const std::string expected = ChecksumOf(text, *digits);
  if (found == expected) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "the footer is damaged: its checksum is {}, it tells {}; get the file from a "
                   "backup, or from the store that it was copied from",
                   expected, found);
}

void SealFooter(std::string& footer) {
  const std::optional<size_t> digits = FindDigits(footer);
  if (!digits) return;
  footer.replace(*digits, kFooterChecksumBlank.size(), ChecksumOf(footer, *digits));
}

}  // namespace firn
