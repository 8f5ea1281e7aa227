#include "firn/format/metadata/snapshot.h"

#include <limits>

#include "firn/base/check.h"
#include "firn/base/number.h"

namespace firn {

Summary::Summary(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries)
    Set(entry.key, entry.value);
}

Summary::Entry Summary::operator[](size_t index) const {
  const size_t begin = index == 0 ? 0 : ends_[2 * index - 1];
  const size_t middle = ends_[2 * index];
  const std::string_view text = text_;
  return {text.substr(begin, middle - begin), text.substr(middle, ends_[2 * index + 1] - middle)};
}

std::optional<std::string_view> Summary::Find(std::string_view key) const {
  for (const auto& [candidate, value] : *this) {
    if (candidate == key) return value;
  }
  return std::nullopt;
}

std::optional<int64_t> Summary::FindNumber(std::string_view key) const {
  const auto text = Find(key);
  return text ? ParseInt64(*text) : std::nullopt;
}

void Summary::Set(std::string_view key, std::string_view value) {
  if (!Find(key)) return Append(key, value);
  Summary changed;
  for (const auto& [old_key, old_value] : *this)
    changed.Append(old_key, old_key == key ? value : old_value);
  *this = std::move(changed);
}

void Summary::Append(std::string_view key, std::string_view value) {
  FIRN_CHECK(text_.size() + key.size() + value.size() <= std::numeric_limits<uint32_t>::max());
  text_ += key;
  ends_.push_back(static_cast<uint32_t>(text_.size()));
  text_ += value;
  ends_.push_back(static_cast<uint32_t>(text_.size()));
}

void Summary::Remove(std::string_view key) {
  if (!Find(key)) return;
  Summary changed;
  for (const auto& [old_key, old_value] : *this) {
    if (old_key != key) changed.Append(old_key, old_value);
  }
  *this = std::move(changed);
}

void Summary::Reserve(size_t text_bytes, size_t entries) {
  text_.reserve(text_bytes);
  ends_.reserve(2 * entries);
}

}  // namespace firn
