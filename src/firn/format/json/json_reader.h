#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "firn/base/bytes.h"
#include "firn/base/clock.h"
#include "firn/base/result.h"
#include "firn/format/json/extra_fields.h"

/// Reads JSON that others wrote: one pass, no tree, no copies of what is not asked for, errors
/// that name the path ("snapshots[3].summary.operation"). Numbers never pass through double.

namespace firn {

enum class JsonKind { kObject, kArray, kString, kNumber, kBool, kNull };

struct JsonNode;

/// One value of a text while it is being visited. Read it once, by one of the Read or Visit
/// functions, or not at all. Text handed out stays valid as long as the document.
class JsonValue {
 public:
  explicit JsonValue(JsonNode& node) : node_(&node) {}
  JsonValue(const JsonValue&) = delete;
  JsonValue& operator=(const JsonValue&) = delete;

  /// Does not consume the value. Errors: kCorrupt if no value stands here.
  Result<JsonKind> Kind() const;
  bool IsNull() const;

  /// Errors of all of these: kCorrupt with path, what was found and what was expected.
  Result<std::string_view> ReadString();
  Result<int64_t> ReadInt64();  ///< A number without fraction and exponent.
  Result<int32_t> ReadInt32();
  Result<bool> ReadBool();
  /// A string, or the text of a number or boolean.
  Result<std::string_view> ReadScalarText();
  /// The text of the value of any kind, checked to be legal JSON.
  Result<std::string_view> ReadRaw();

  /// Call `visit(std::string_view key, JsonValue& value) -> Status` for each member in turn.
  /// Keys may repeat.
  template <typename Visit>
  Status VisitMembers(Visit&& visit) {
    return VisitMembersWith(&visit, [](void* context, std::string_view key, JsonValue& value) {
      return (*static_cast<std::remove_reference_t<Visit>*>(context))(key, value);
    });
  }
  /// Call `visit(JsonValue& element) -> Status` for each element in turn.
  template <typename Visit>
  Status VisitElements(Visit&& visit) {
    return VisitElementsWith(&visit, [](void* context, JsonValue& value) {
      return (*static_cast<std::remove_reference_t<Visit>*>(context))(value);
    });
  }

  /// "snapshots[3].summary"; empty for the root.
  std::string Path() const;
  /// The error with "<path>: " in front.
  Error AddPath(const Error& error) const;
  /// kCorrupt: "<path>: <message>".
  Error MakePathError(std::string_view message) const;
  /// kCorrupt: "<path>: found <value>, expected <what>".
  Error MakeMismatch(std::string_view what) const;

 private:
  using MemberVisitor = Status (*)(void* context, std::string_view key, JsonValue& value);
  using ElementVisitor = Status (*)(void* context, JsonValue& value);
  Status VisitMembersWith(void* context, MemberVisitor visit);
  Status VisitElementsWith(void* context, ElementVisitor visit);

  JsonNode* node_;
};

/// Memory for a JSON text of `size` bytes with the spare room that the reader needs behind it, so
/// that a large text is read from a file without another copy.
class PaddedText {
 public:
  explicit PaddedText(size_t size);
  static PaddedText CopyOf(std::string_view text);

  std::span<std::byte> span() { return buffer_.span(); }
  std::string_view view() const { return buffer_.view(); }

 private:
  Buffer buffer_;
};

/// A text whose structure is indexed. Limits: 4 GiB, 200 levels of nesting.
class JsonDocument {
 public:
  /// Errors: kCorrupt: not JSON (encoding, open strings, unbalanced); kResourceExhausted.
  static Result<JsonDocument> Open(PaddedText text);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  /// Call `visit(JsonValue& root) -> Status`; once more starts anew and ends the validity of text
  /// handed out before. Errors: those of `visit`; kCorrupt if more text follows the root.
  template <typename Visit>
  Status VisitRoot(Visit&& visit) {
    return VisitRootWith(&visit, [](void* context, JsonValue& root) {
      return (*static_cast<std::remove_reference_t<Visit>*>(context))(root);
    });
  }

  /// As VisitRoot, but `visit` may leave the rest of the text unread, and it is not checked.
  template <typename Visit>
  Status PeekRoot(Visit&& visit) {
    return PeekRootWith(&visit, [](void* context, JsonValue& root) {
      return (*static_cast<std::remove_reference_t<Visit>*>(context))(root);
    });
  }

 private:
  struct State;
  using RootVisitor = Status (*)(void* context, JsonValue& root);
  explicit JsonDocument(std::unique_ptr<State> state);
  Status VisitRootWith(void* context, RootVisitor visit);
  Status PeekRootWith(void* context, RootVisitor visit);

  std::unique_ptr<State> state_;
};

/// Parse a small text: `visit(JsonValue& root) -> Status`. Errors get `where` in front.
template <typename Visit>
Status VisitJson(std::string_view text, std::string_view where, Visit&& visit) {
  FIRN_ASSIGN(auto document, JsonDocument::Open(PaddedText::CopyOf(text)), "{}", where);
  FIRN_RETURN_IF_ERROR(document.VisitRoot(visit), "{}", where);
  return {};
}

// Reading into variables. A struct joins by a function `Status ReadJson(JsonValue&, Struct&)`.

Status ReadJson(JsonValue& json, std::string& out);
Status ReadJson(JsonValue& json, int32_t& out);
Status ReadJson(JsonValue& json, int64_t& out);
Status ReadJson(JsonValue& json, bool& out);
/// Milliseconds since 1970 within the years 1 to 9999.
Status ReadJson(JsonValue& json, Timestamp& out);

/// A value kept as its text.
struct RawJson {
  std::string text;
};
Status ReadJson(JsonValue& json, RawJson& out);

template <typename T>
Status ReadJson(JsonValue& json, std::optional<T>& out) {
  return ReadJson(json, out.emplace());
}

template <typename T>
Status ReadJson(JsonValue& json, std::vector<T>& out) {
  out.clear();
  return json.VisitElements(
      [&](JsonValue& element) { return ReadJson(element, out.emplace_back()); });
}

/// A member of an object and the variable that it is read into.
struct JsonMember {
  std::string_view name;
  void* target;
  Status (*read)(JsonValue& json, void* target);
  bool is_required;
  bool takes_null = false;
};

template <typename T>
JsonMember OptionalMember(std::string_view name, T& target) {
  const auto read = [](JsonValue& json, void* out) {
    return ReadJson(json, *static_cast<T*>(out));
  };
  return {name, &target, read, false};
}
template <typename T>
JsonMember RequiredMember(std::string_view name, T& target) {
  JsonMember member = OptionalMember(name, target);
  member.is_required = true;
  return member;
}

/// A member whose null means something: it is read like any other value.
template <typename T>
JsonMember NullableMember(std::string_view name, T& target) {
  JsonMember member = OptionalMember(name, target);
  member.takes_null = true;
  return member;
}

/// Read an object. A null is taken as a missing member. Unknown members go to `extra`.
/// Errors: kCorrupt: a required member is missing, or one stands twice.
Status ReadMembers(JsonValue& json, std::span<const JsonMember> members, ExtraFields& extra);
inline Status ReadMembers(JsonValue& json, std::initializer_list<JsonMember> members,
                          ExtraFields& extra) {
  return ReadMembers(json, std::span(members.begin(), members.size()), extra);
}

/// The keys of one object, to find those that stand twice. Keys must outlive the set.
class JsonKeySet {
 public:
  /// False if `key` is there already.
  bool Insert(std::string_view key);

 private:
  bool ContainsSlowly(std::string_view key) const;

  uint64_t filter_[4] = {};                    // Bits of the keys' hashes: most lookups end here.
  std::vector<std::string_view> few_;          // Searched one by one,
  std::unordered_set<std::string_view> many_;  // until there are too many.
};

/// Call `visit(std::string_view key, std::string_view text) -> Status` for each member of an object
/// of texts. Numbers and booleans count as their text (some writers leave out the quotes).
/// Errors: kCorrupt: other values, or a key twice.
template <typename Visit>
Status VisitStringMap(JsonValue& json, Visit&& visit) {
  JsonKeySet keys;
  return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
    if (!keys.Insert(key)) return value.MakePathError("the key stands twice in its object");
    FIRN_ASSIGN(const std::string_view text, value.ReadScalarText());
    return visit(key, text);
  });
}
Status ReadJson(JsonValue& json, std::vector<std::pair<std::string, std::string>>& out);
Status ReadJson(JsonValue& json, std::map<std::string, std::string, std::less<>>& out);

/// True if `text` is one JSON value: grammar and at most 200 levels; UTF-8 and control characters
/// in strings are not looked at.
bool IsJsonText(std::string_view text);

}  // namespace firn
