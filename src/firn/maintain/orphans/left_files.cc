#include "firn/base/log.h"
#include "firn/base/utf8.h"
#include "firn/maintain/orphans/left_files_internal.h"

namespace firn {
namespace {

// With "\xff" for each byte that is not part of a character.
std::string EscapeBytes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto character = DecodeUtf8(text);
    const size_t size = character ? character->size : 1;
    if (character) {
      out += text.substr(0, size);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

bool LeftFiles::Leaves(std::string_view uri) {
  if (IsValidUtf8(uri)) return false;
  if (count_++ == 0) first_ = EscapeBytes(uri);
  return true;
}

void LeftFiles::Warn() const {
  if (count_ == 0) return;
  Log(LogLevel::kWarning,
      "{} files have names that are not UTF-8, such as '{}': they stay, since no list could name "
      "them; look at them yourself",
      count_, first_);
}

}  // namespace firn
