#include <algorithm>
#include <bitset>
#include <utility>

#include "firn/ingest/json/json_records_internal.h"

namespace firn {
namespace {

constexpr size_t kRecordBytesMax = size_t{64} << 20;
constexpr size_t kDepthMax = 200;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

enum class Scan { kWhole, kBroken, kTextOut };

// From the opening quote to the closing one. A line cannot end within a string.
Scan ScanString(std::string_view text, size_t& at) {
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') return Scan::kWhole;
    if (c == '\n') return Scan::kBroken;
    const bool is_escape = c == '\\' && at + 1 < text.size() && text[at + 1] != '\n';
    if (is_escape) ++at;
  }
  return Scan::kTextOut;
}

// The brackets of an object that are open, and what stood before the next character: enough to see
// soon that a bracket is missing.
class BracketStack {
 public:
  // False: no value may begin here.
  bool Open(char bracket) {
    const bool is_legal =
        depth_ == 0 || (are_arrays_[depth_] ? before_ == '[' || before_ == ',' : before_ == ':');
    if (!is_legal || depth_ == kDepthMax) return false;
    are_arrays_[++depth_] = bracket == '[';
    before_ = bracket;
    return true;
  }
  bool Close(char bracket) {
    if (are_arrays_[depth_] != (bracket == ']')) return false;
    --depth_;
    before_ = bracket;
    return true;
  }
  void Pass(char c) { before_ = c; }
  bool is_empty() const { return depth_ == 0; }

 private:
  std::bitset<kDepthMax + 1> are_arrays_;
  size_t depth_ = 0;
  char before_ = '\0';
};

// From the brace that begins an object to behind the one that ends it.
Scan ScanObject(std::string_view text, size_t& at) {
  BracketStack brackets;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const Scan scan = ScanString(text, at);
      if (scan != Scan::kWhole) return scan;
      brackets.Pass(c);
    } else if (c == '{' || c == '[') {
      if (!brackets.Open(c)) return Scan::kBroken;
    } else if (c == '}' || c == ']') {
      if (!brackets.Close(c)) return Scan::kBroken;
      if (brackets.is_empty()) {
        ++at;
        return Scan::kWhole;
      }
    } else if (!IsBlank(c) && c != '\n') {
      brackets.Pass(c);
    }
  }
  return Scan::kTextOut;
}

}  // namespace

// To what is no blank; false if the text ends before.
bool JsonSplitter::SkipBlanks(std::string_view text, size_t& at) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\n') {
      ++line_;
      indent_ = 0;
      is_in_indent_ = true;
    } else if (!IsBlank(text[at])) {
      is_in_indent_ = false;
      return true;
    } else if (is_in_indent_) {
      ++indent_;
    }
  }
  return false;
}

// Behind a character that belongs to the array around the objects.
bool JsonSplitter::SkipArrayMark(std::string_view text, size_t& at, bool is_end) {
  const char c = text[at];
  const bool is_first = !std::exchange(has_begun_, true);
  if (is_in_array_) {
    if (c != ',' && c != ']') return false;
    is_in_array_ = c == ',';
    ++at;
    return true;
  }
  if (c != '[' || !is_first) return false;
  size_t next = at + 1;
  while (next < text.size() && (IsBlank(text[next]) || text[next] == '\n'))
    ++next;
  if (next == text.size() && !is_end) {
    has_begun_ = false;  // What follows decides.
    return false;
  }
  if (next < text.size() && text[next] != '{' && text[next] != ']') return false;
  is_in_array_ = true;
  ++at;
  return true;
}

// To the start of the line where an object begins that may be the next record; to the end if there
// is none. False: more text decides.
bool JsonSplitter::FindNextObject(std::string_view text, size_t& at, bool is_end) const {
  while (true) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) break;
    size_t first = ++at;
    while (first < text.size() && IsBlank(text[first]))
      ++first;
    const size_t indent = first - at;
    if (is_in_array_ && first < text.size() && text[first] == ',') {
      ++first;
      while (first < text.size() && IsBlank(text[first]))
        ++first;
    }
    if (first == text.size()) break;
    if (text[first] == '{' && indent <= indent_) return true;
    at = first;
  }
  at = text.size();
  return is_end;
}

JsonSplitter::End JsonSplitter::SplitRecord(std::string_view text, size_t& at, bool is_end,
                                            JsonBlock& block) {
  const size_t begin = at;
  JsonRecord record{.line = line_, .offset = static_cast<uint32_t>(begin)};
  if (text[at] == '{') {
    const Scan scan = ScanObject(text, at);
    if (scan == Scan::kTextOut && !is_end) return End::kTextOut;
    if (scan != Scan::kWhole) record.fault = JsonFault::kBroken;
  } else {
    if (!has_begun_ && !is_end) return End::kTextOut;
    record.fault = JsonFault::kNoObject;
  }
  size_t end = at;
  if (record.fault != JsonFault::kNone) {
    at = begin;
    if (!FindNextObject(text, at, is_end)) return End::kTextOut;
    end = at;
    while (end > begin + 1 && (IsBlank(text[end - 1]) || text[end - 1] == '\n'))
      --end;
    is_in_indent_ = true;
    indent_ = 0;
  }
  line_ += std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  record.size = static_cast<uint32_t>(end - begin);
  block.records.push_back(record);
  return End::kRecord;
}

Status JsonSplitter::Split(std::string text, bool is_end, JsonBlock& block, size_t& text_left) {
  block.text = std::move(text);
  block.records.clear();
  size_t at = 0;
  while (SkipBlanks(block.text, at)) {
    if (SkipArrayMark(block.text, at, is_end)) continue;
    const size_t begin = at;
    const int64_t line = line_;
    const End end = SplitRecord(block.text, at, is_end, block);
    const size_t size = (end == End::kRecord ? at : block.text.size()) - begin;
    if (size > kRecordBytesMax) {
      return MakeError(ErrorCode::kInvalidInput,
                       "line {}: a record that begins here has no end within {} MiB; a bracket "
                       "may be open, or the file is no JSON",
                       line, kRecordBytesMax >> 20);
    }
    if (end == End::kRecord) continue;
    at = begin;
    break;
  }
  text_left = at;
  if (is_end && std::exchange(is_in_array_, false)) {
    block.records.push_back({.line = line_,
                             .offset = static_cast<uint32_t>(at),
                             .size = 0,
                             .fault = JsonFault::kOpenArray});
  }
  return {};
}

}  // namespace firn
