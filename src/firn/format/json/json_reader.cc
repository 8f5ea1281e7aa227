#include "firn/format/json/json_reader.h"

#include <charconv>
#include <cstring>
#include <limits>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

namespace firn {

namespace ondemand = simdjson::ondemand;

// A value and the way to it. Nodes lie on the stack of the Visit functions.
struct JsonNode {
  std::string_view raw;    // The token, without blanks behind; of a container its bracket.
  ondemand::value* value;  // Null for a root that is no container.
  ondemand::document* document;
  const JsonNode* parent;
  std::string_view key;  // Of a member.
  size_t index;          // Of an element.
  int depth;
};

namespace {

constexpr int kMaxDepth = 200;
constexpr size_t kMaxShown = 40;

std::string_view TrimRight(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

Error MakeJsonError(simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) {
    return MakeError(ErrorCode::kResourceExhausted, "no memory for the index of the JSON text");
  }
  if (code == simdjson::CAPACITY) {
    return MakeError(ErrorCode::kCorrupt, "the JSON text is too large, expected less than 4 GiB");
  }
  if (code == simdjson::EMPTY)
    return MakeError(ErrorCode::kCorrupt, "found nothing, expected JSON");
  return MakeError(ErrorCode::kCorrupt, "not JSON: {}", simdjson::error_message(code));
}

std::string Shorten(std::string_view text) {
  if (text.size() <= kMaxShown) return std::string(text);
  size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string Describe(std::string_view raw) {
  if (raw.empty()) return "nothing";
  if (raw.front() == '{') return "an object";
  if (raw.front() == '[') return "an array";
  return Shorten(raw);
}

std::optional<JsonKind> KindOf(std::string_view raw) {
  if (raw.empty()) return std::nullopt;
  switch (raw.front()) {
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '"':
      return raw.size() >= 2 && raw.back() == '"' ? std::optional(JsonKind::kString) : std::nullopt;
    case 't':
    case 'f':
      return raw == "true" || raw == "false" ? std::optional(JsonKind::kBool) : std::nullopt;
    case 'n':
      return raw == "null" ? std::optional(JsonKind::kNull) : std::nullopt;
    default:
      return IsJsonText(raw) ? std::optional(JsonKind::kNumber) : std::nullopt;
  }
}

// The number behind a backslash-u at `at`; 0 if there is none.
unsigned ReadUnicodeEscape(std::string_view text, size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned value = 0;
  std::from_chars(text.data() + at + 2, text.data() + at + 6, value, 16);
  return value;
}

// The library turns such an escape into some other character without a word.
bool HasHalfSurrogatePair(std::string_view text) {
  for (size_t at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
    const unsigned first = ReadUnicodeEscape(text, at) & 0xFC00U;
    if (first == 0xDC00) return true;
    if (first == 0xD800) {
      at += 6;
      if ((ReadUnicodeEscape(text, at) & 0xFC00U) != 0xDC00) return true;
    }
    at += first == 0 ? 2 : 6;
  }
  return false;
}

// The key between its quotes, with escapes resolved.
Result<std::string_view> ReadKey(ondemand::field& field) {
  const char* const begin = field.key().raw();
  const char* end = begin;  // A quote ends it for sure: the index has seen the string closed.
  bool has_escapes = false;
  while (*end != '"') {
    has_escapes |= *end == '\\';
    end += *end == '\\' ? 2 : 1;
  }
  const std::string_view raw(begin, static_cast<size_t>(end - begin));
  if (!has_escapes) return raw;
  std::string_view key;
  if (const auto code = field.unescaped_key().get(key)) return MakeJsonError(code);
  if (HasHalfSurrogatePair(raw)) {
    return MakeError(ErrorCode::kCorrupt, "a \\u escape in a key names half of a surrogate pair");
  }
  return key;
}

}  // namespace

Result<JsonKind> JsonValue::Kind() const {
  const auto kind = KindOf(node_->raw);
  if (!kind) return MakeMismatch("a JSON value");
  return *kind;
}

bool JsonValue::IsNull() const { return node_->raw == "null"; }

Result<std::string_view> JsonValue::ReadString() {
  const std::string_view raw = node_->raw;
  if (KindOf(raw) != JsonKind::kString) return MakeMismatch("a string");
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  if (std::memchr(inside.data(), '\\', inside.size()) == nullptr) return inside;
  if (HasHalfSurrogatePair(inside)) {
    return MakePathError("a \\u escape names half of a surrogate pair");
  }
  std::string_view text;
  const auto code =
      node_->value ? node_->value->get_string().get(text) : node_->document->get_string().get(text);
  if (code) return AddPath(MakeJsonError(code));
  return text;
}

Result<int64_t> JsonValue::ReadInt64() {
  const std::string_view raw = node_->raw;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (KindOf(raw) != JsonKind::kNumber) return MakeMismatch("a whole number");
  if (error == std::errc::result_out_of_range) return MakeMismatch("a number of 64 bits");
  if (error != std::errc() || end != raw.data() + raw.size()) {
    return MakeMismatch("a number without fraction or exponent");
  }
  return value;
}

Result<int32_t> JsonValue::ReadInt32() {
  FIRN_ASSIGN(const int64_t value, ReadInt64());
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    return MakeMismatch("a number of 32 bits");
  }
  return static_cast<int32_t>(value);
}

Result<bool> JsonValue::ReadBool() {
  if (KindOf(node_->raw) != JsonKind::kBool) return MakeMismatch("true or false");
  return node_->raw == "true";
}

Result<std::string_view> JsonValue::ReadScalarText() {
  const auto kind = KindOf(node_->raw);
  if (kind == JsonKind::kNumber || kind == JsonKind::kBool) return node_->raw;
  return ReadString();
}

Result<std::string_view> JsonValue::ReadRaw() {
  FIRN_ASSIGN(const JsonKind kind, Kind());
  if (kind != JsonKind::kObject && kind != JsonKind::kArray) return node_->raw;
  std::string_view raw;
  simdjson::error_code code = simdjson::SUCCESS;
  if (kind == JsonKind::kObject) {
    ondemand::object object;
    code = node_->value->get_object().get(object);
    if (!code) code = object.raw_json().get(raw);
  } else {
    ondemand::array array;
    code = node_->value->get_array().get(array);
    if (!code) code = array.raw_json().get(raw);
  }
  if (code) return AddPath(MakeJsonError(code));
  raw = TrimRight(raw);
  if (!IsJsonText(raw)) return MakePathError("not JSON, or nested deeper than 200 levels");
  return raw;
}

Status JsonValue::VisitMembersWith(void* context, MemberVisitor visit) {
  if (node_->raw.empty() || node_->raw.front() != '{') return MakeMismatch("an object");
  if (node_->depth >= kMaxDepth) return MakePathError("nested deeper than 200 levels");
  ondemand::object object;
  if (const auto code = node_->value->get_object().get(object)) {
    return AddPath(MakeJsonError(code));
  }
  for (auto item : object) {
    ondemand::field field;
    if (const auto code = std::move(item).get(field)) return AddPath(MakeJsonError(code));
    FIRN_ASSIGN(const std::string_view key, ReadKey(field), "{}", Path());
    JsonNode child{TrimRight(field.value().raw_json_token()),
                   &field.value(),
                   node_->document,
                   node_,
                   key,
                   0,
                   node_->depth + 1};
    JsonValue value(child);
    FIRN_RETURN_IF_ERROR(visit(context, key, value));
  }
  return {};
}

Status JsonValue::VisitElementsWith(void* context, ElementVisitor visit) {
  if (node_->raw.empty() || node_->raw.front() != '[') return MakeMismatch("an array");
  if (node_->depth >= kMaxDepth) return MakePathError("nested deeper than 200 levels");
  ondemand::array array;
  if (const auto code = node_->value->get_array().get(array)) {
    return AddPath(MakeJsonError(code));
  }
  size_t index = 0;
  for (auto item : array) {
    ondemand::value element;
    if (const auto code = std::move(item).get(element)) {
      return AddPath(MakeJsonError(code));
    }
    JsonNode child{TrimRight(element.raw_json_token()),
                   &element,
                   node_->document,
                   node_,
                   {},
                   index++,
                   node_->depth + 1};
    JsonValue value(child);
    FIRN_RETURN_IF_ERROR(visit(context, value));
  }
  return {};
}

std::string JsonValue::Path() const {
  std::vector<const JsonNode*> nodes;
  for (const JsonNode* node = node_; node->parent != nullptr; node = node->parent)
    nodes.push_back(node);
  std::string path;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if ((*node)->parent->raw.starts_with('[')) {
      path += fmt::format("[{}]", (*node)->index);
      continue;
    }
    if (!path.empty()) path += '.';
    path += Shorten((*node)->key);
  }
  return path;
}

Error JsonValue::AddPath(const Error& error) const {
  const std::string path = Path();
  return path.empty() ? error : error.Within(path);
}

Error JsonValue::MakePathError(std::string_view message) const {
  return AddPath(Error(ErrorCode::kCorrupt, std::string(message)));
}

Error JsonValue::MakeMismatch(std::string_view what) const {
  return MakePathError(fmt::format("found {}, expected {}", Describe(node_->raw), what));
}

PaddedText::PaddedText(size_t size) : buffer_(size + simdjson::SIMDJSON_PADDING) {
  std::memset(buffer_.data() + size, 0, simdjson::SIMDJSON_PADDING);
  buffer_.Truncate(size);
}

PaddedText PaddedText::CopyOf(std::string_view text) {
  PaddedText padded(text.size());
  if (!text.empty()) std::memcpy(padded.span().data(), text.data(), text.size());
  return padded;
}

struct JsonDocument::State {
  explicit State(PaddedText padded) : text(std::move(padded)) {}
  PaddedText text;
  ondemand::parser parser;
  ondemand::document document;
  bool is_scalar = false;  // Never moves the document, so its end is not seen there.
};

JsonDocument::JsonDocument(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::Open(PaddedText text) {
  auto state = std::make_unique<State>(std::move(text));
  const std::string_view view = state->text.view();
  const auto code =
      state->parser.iterate(view.data(), view.size(), view.size() + simdjson::SIMDJSON_PADDING)
          .get(state->document);
  if (code) return MakeJsonError(code);
  return JsonDocument(std::move(state));
}

Status JsonDocument::PeekRootWith(void* context, RootVisitor visit) {
  ondemand::document& document = state_->document;
  document.rewind();
  std::string_view raw;
  if (const auto code = document.raw_json_token().get(raw)) return MakeJsonError(code);
  JsonNode node{TrimRight(raw), nullptr, &document, nullptr, {}, 0, 0};
  ondemand::value root;
  state_->is_scalar = true;
  if (node.raw.starts_with('{') || node.raw.starts_with('[')) {
    if (const auto code = document.get_value().get(root)) return MakeJsonError(code);
    node.value = &root;
    state_->is_scalar = false;
  } else if (node.raw.end() != TrimRight(state_->text.view()).end()) {
    return MakeError(ErrorCode::kCorrupt, "not JSON: more text follows the end of the value");
  }
  JsonValue value(node);
  return visit(context, value);
}

Status JsonDocument::VisitRootWith(void* context, RootVisitor visit) {
  FIRN_RETURN_IF_ERROR(PeekRootWith(context, visit));
  if (state_->document.current_location().error() != simdjson::OUT_OF_BOUNDS &&
      !state_->is_scalar) {
    return MakeError(ErrorCode::kCorrupt, "not JSON: more text follows the end of the value");
  }
  return {};
}

Status ReadJson(JsonValue& json, std::string& out) {
  FIRN_ASSIGN(out, json.ReadString());
  return {};
}
Status ReadJson(JsonValue& json, int32_t& out) {
  FIRN_ASSIGN(out, json.ReadInt32());
  return {};
}
Status ReadJson(JsonValue& json, int64_t& out) {
  FIRN_ASSIGN(out, json.ReadInt64());
  return {};
}
Status ReadJson(JsonValue& json, RawJson& out) {
  FIRN_ASSIGN(out.text, json.ReadRaw());
  return {};
}
Status ReadJson(JsonValue& json, bool& out) {
  FIRN_ASSIGN(out, json.ReadBool());
  return {};
}

Status ReadJson(JsonValue& json, Timestamp& out) {
  constexpr int64_t kYear1 = -62'135'596'800'000;
  constexpr int64_t kYear10000 = 253'402'300'800'000;
  FIRN_ASSIGN(const int64_t value, json.ReadInt64());
  if (value < kYear1 || value >= kYear10000) {
    return json.MakeMismatch("milliseconds since 1970 within the years 1 to 9999");
  }
  out = Timestamp(std::chrono::milliseconds(value));
  return {};
}

Status ReadMembers(JsonValue& json, std::span<const JsonMember> members, ExtraFields& extra) {
  FIRN_CHECK(members.size() <= 64);
  uint64_t seen = 0;
  JsonKeySet unknown;
  FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
    size_t i = 0;
    while (i < members.size() && members[i].name != key)
      ++i;
    const bool is_known = i < members.size();
    if (is_known ? ((seen >> i) & 1U) != 0 : !unknown.Insert(key)) {
      return value.MakePathError("the key stands twice in its object");
    }
    if (!is_known) {
      FIRN_ASSIGN(const std::string_view raw, value.ReadRaw());
      extra.emplace_back(key, raw);
      return {};
    }
    if (value.IsNull() && !members[i].takes_null) return {};
    seen |= uint64_t{1} << i;
    return members[i].read(value, members[i].target);
  }));
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].is_required && ((seen >> i) & 1U) == 0) {
      return json.MakePathError(fmt::format("required field '{}' is missing", members[i].name));
    }
  }
  return {};
}

bool JsonKeySet::Insert(std::string_view key) {
  constexpr size_t kFew = 64;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(key[i]); };
  uint64_t hash = key.size();
  if (!key.empty()) {
    hash = hash * 31 + byte(0) * 7U + byte(key.size() / 2) * 131U + byte(key.size() - 1) * 17U;
  }
  hash = (hash * 0x9E3779B97F4A7C15U) >> 56U;
  uint64_t& word = filter_[hash >> 6U];
  const uint64_t bit = uint64_t{1} << (hash & 63U);
  if ((word & bit) != 0 && ContainsSlowly(key)) return false;
  word |= bit;
  if (many_.empty() && few_.size() < kFew) {
    few_.push_back(key);
  } else {
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    many_.insert(key);
  }
  return true;
}

bool JsonKeySet::ContainsSlowly(std::string_view key) const {
  if (!many_.empty()) return many_.contains(key);
  for (const std::string_view other : few_) {
    if (other == key) return true;
  }
  return false;
}

Status ReadJson(JsonValue& json, std::vector<std::pair<std::string, std::string>>& out) {
  return VisitStringMap(json, [&](std::string_view key, std::string_view text) -> Status {
    out.emplace_back(key, text);
    return {};
  });
}

Status ReadJson(JsonValue& json, std::map<std::string, std::string, std::less<>>& out) {
  return VisitStringMap(json, [&](std::string_view key, std::string_view text) -> Status {
    out.emplace(key, text);
    return {};
  });
}

}  // namespace firn
