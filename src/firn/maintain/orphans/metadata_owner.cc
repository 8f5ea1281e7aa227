#include <algorithm>

#include "firn/base/bytes.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/maintain/orphans/metadata_owner_internal.h"

namespace firn {
namespace {

/// Writers put the UUID behind the version; locations may be long.
constexpr int64_t kHeadBytes = 4096;

/// Plain members of an object, one after the other.
class PlainMembers {
 public:
  explicit PlainMembers(std::string_view text) : rest_(text) {}

  bool Begin() { return Take('{'); }
  /// A name and a value of neither object nor array; false: there is none, or it is not all there.
  bool Next(std::string_view& name, std::string_view& value) {
    if (!is_first_ && !Take(',')) return false;
    is_first_ = false;
    if (!TakeString(name) || !Take(':')) return false;
    SkipBlanks();
    if (rest_.starts_with('"')) return TakeString(value);
    const size_t end = rest_.find_first_of(",}]{[ \t\r\n\"");
    if (end == std::string_view::npos || end == 0) return false;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return true;
  }

 private:
  void SkipBlanks() {
    const size_t begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(begin, rest_.size()));
  }
  bool Take(char symbol) {
    SkipBlanks();
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // What is between the quotes, escapes as they are.
  bool TakeString(std::string_view& text) {
    if (!Take('"')) return false;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        text = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  std::string_view rest_;
  bool is_first_ = true;
};

std::optional<std::string> ReadHead(FileIO& io, const std::string& uri,
                                    std::optional<int64_t> size) {
  const auto file = io.Open(uri, size);
  if (!file.ok()) return std::nullopt;
  std::string head(static_cast<size_t>(kHeadBytes), '\0');
  const auto got = (*file)->ReadAt(0, std::as_writable_bytes(std::span(head)));
  if (!got.ok()) return std::nullopt;
  head.resize(static_cast<size_t>(*got));
  return head;
}

}  // namespace

std::optional<std::string> FindTableUuid(std::string_view head) {
  PlainMembers members(head);
  if (!members.Begin()) return std::nullopt;
  std::string_view name;
  std::string_view value;
  while (members.Next(name, value)) {
    if (name == "table-uuid") return std::string(value);
  }
  return std::nullopt;
}

std::optional<std::string> ReadTableUuid(FileIO& io, const std::string& uri,
                                         std::optional<int64_t> size) {
  const auto head = ReadHead(io, uri, size);
  if (!head) return std::nullopt;
  if (auto uuid = FindTableUuid(*head)) return uuid;
  const auto metadata = LoadTableMetadata(io, uri);
  return metadata.ok() ? std::optional((*metadata)->table_uuid) : std::nullopt;
}

}  // namespace firn
