#include <set>
#include <utility>

#include "firn/base/text.h"
#include "firn/format/variant/variant.h"
#include "firn/ingest/json/json_values_internal.h"
#include "firn/ingest/text/text_rows_internal.h"

namespace firn {
namespace {

constexpr char kMissing[] = "the value is missing, but the field is required";
constexpr char kTwice[] = "the key stands twice in its object";

bool TakesNumbers(TypeId id) {
  return id == TypeId::kInt || id == TypeId::kLong || id == TypeId::kFloat ||
         id == TypeId::kDouble || id == TypeId::kDecimal;
}

bool HasEqualKeys(const std::vector<std::pair<Value, Value>>& entries) {
  const auto is_less = [](const Value* a, const Value* b) { return CompareValues(*a, *b) < 0; };
  std::set<const Value*, decltype(is_less)> keys(is_less);
  for (const auto& [key, value] : entries) {
    if (!keys.insert(&key).second) return true;
  }
  return false;
}

}  // namespace

size_t JsonFieldNames::Find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? kNone : found->second;
}

size_t JsonFieldNames::FindIgnoringCase(std::string_view name) const {
  const size_t exact = Find(name);
  if (exact != kNone) return exact;
  size_t only = kNone;
  for (const auto& [other, place] : places_) {
    if (!EqualsIgnoreCase(other, name)) continue;
    if (only != kNone) return kNone;
    only = place;
  }
  return only;
}

JsonTarget MakeJsonTarget(const TypePtr& type) {
  JsonTarget target{.type = type, .children = {}, .names = {}};
  for (const NestedField& field : type->fields()) {
    target.names.Add(field.name, target.children.size());
    target.children.push_back(MakeJsonTarget(field.type));
  }
  return target;
}

Error JsonValueReader::MakeFault(std::string path, std::string reason) {
  fault_ = {std::move(path), std::move(reason)};
  return Error(ErrorCode::kInvalidInput, fault_.reason);
}

Error JsonValueReader::MakeFault(const JsonValue& json, std::string reason) {
  return MakeFault(json.Path(), std::move(reason));
}

Error JsonValueReader::MakeMismatch(JsonValue& json, const Type& type) {
  const Result<JsonKind> kind = json.Kind();
  if (!kind.ok()) return kind.error();
  std::string shown = *kind == JsonKind::kObject ? "an object" : "an array";
  if (*kind != JsonKind::kObject && *kind != JsonKind::kArray) {
    const Result<std::string_view> text = json.ReadScalarText();
    if (!text.ok()) return text.error();
    shown = fmt::format("'{}'", ShortenText(*text));
  }
  return MakeFault(json, fmt::format("{} is no {}", shown, ShortenText(FormatType(type))));
}

Status JsonValueReader::Read(JsonValue& json, const JsonTarget& target, Value& out) {
  FIRN_ASSIGN(const JsonKind kind, json.Kind());
  out = Value();
  if (kind == JsonKind::kNull) return {};
  const Type& type = *target.type;
  const bool is_nested = kind == JsonKind::kObject || kind == JsonKind::kArray;
  if (type.id() == TypeId::kString) {
    FIRN_ASSIGN(const std::string_view text, is_nested ? json.ReadRaw() : json.ReadScalarText());
    out = std::string(text);
    return {};
  }
  if (type.id() == TypeId::kVariant) return ReadVariant(json, out);
  if (type.id() == TypeId::kStruct && kind == JsonKind::kObject) {
    return ReadStruct(json, target, out);
  }
  if (type.id() == TypeId::kList && kind == JsonKind::kArray) return ReadList(json, target, out);
  if (type.id() == TypeId::kMap && is_nested) return ReadMap(json, kind, target, out);
  if (type.is_nested() || is_nested) return MakeMismatch(json, type);
  return ReadScalar(json, kind, type, out);
}

Status JsonValueReader::ReadScalar(JsonValue& json, JsonKind kind, const Type& type, Value& out) {
  const bool fits = kind == JsonKind::kString ||
                    (kind == JsonKind::kNumber && TakesNumbers(type.id())) ||
                    (kind == JsonKind::kBool && type.id() == TypeId::kBoolean);
  if (!fits) return MakeMismatch(json, type);
  FIRN_ASSIGN(const std::string_view text, json.ReadScalarText());
  Result<Value> value = ParseValue(text, type);
  if (!value.ok()) {
    return MakeFault(json, fmt::format("'{}' is no {}", ShortenText(text), FormatType(type)));
  }
  out = *std::move(value);
  return {};
}

// Of any kind but null, which stands for no value.
Status JsonValueReader::ReadVariant(JsonValue& json, Value& out) {
  FIRN_ASSIGN(const std::string_view text, json.ReadRaw());
  const auto variant = VariantFromJson(text);
  if (!variant.ok()) return MakeFault(json, variant.error().message());
  out = BinaryValue{JoinVariant(variant->metadata, variant->value)};
  return {};
}

Status JsonValueReader::ReadStruct(JsonValue& json, const JsonTarget& target, Value& out) {
  const std::vector<NestedField>& fields = target.type->fields();
  std::vector<Value> values(fields.size());
  std::vector<uint8_t> are_seen(fields.size(), 0);
  auto read_field = [&](std::string_view key, JsonValue& value) -> Status {
    const size_t place = target.names.FindIgnoringCase(key);
    if (place == JsonFieldNames::kNone) {
      return MakeFault(value, fmt::format("the table has no such field in {}",
                                          ShortenText(FormatType(*target.type))));
    }
    if (std::exchange(are_seen[place], uint8_t{1}) != 0) return MakeFault(value, kTwice);
    FIRN_RETURN_IF_ERROR(Read(value, target.children[place], values[place]));
    if (!values[place].is_null() || !fields[place].required) return {};
    return MakeFault(value, kMissing);
  };
  FIRN_RETURN_IF_ERROR(json.VisitMembers(read_field));
  for (size_t i = 0; i < fields.size(); ++i) {
    if (are_seen[i] != 0) continue;
    if (fields[i].write_default) values[i] = *fields[i].write_default;
    if (values[i].is_null() && fields[i].required) {
      return MakeFault(fmt::format("{}.{}", json.Path(), fields[i].name), kMissing);
    }
  }
  out = Value::Struct(std::move(values));
  return {};
}

Status JsonValueReader::ReadList(JsonValue& json, const JsonTarget& target, Value& out) {
  std::vector<Value> elements;
  auto read_element = [&](JsonValue& element) -> Status {
    FIRN_RETURN_IF_ERROR(Read(element, target.children[0], elements.emplace_back()));
    if (!elements.back().is_null() || !target.type->element().required) return {};
    return MakeFault(element, kMissing);
  };
  FIRN_RETURN_IF_ERROR(json.VisitElements(read_element));
  out = Value::List(std::move(elements));
  return {};
}

// {"key": ..., "value": ...}
Status JsonValueReader::ReadEntry(JsonValue& json, const JsonTarget& target,
                                  std::pair<Value, Value>& out) {
  bool has_key = false;
  bool has_value = false;
  FIRN_RETURN_IF_ERROR(json.VisitMembers([&](std::string_view name, JsonValue& value) -> Status {
    if (name != "key" && name != "value") {
      return MakeFault(value, "an entry of a map has other keys than 'key' and 'value'");
    }
    const bool is_key = name == "key";
    if (std::exchange(is_key ? has_key : has_value, true)) return MakeFault(value, kTwice);
    return Read(value, target.children[is_key ? 0 : 1], is_key ? out.first : out.second);
  }));
  if (out.first.is_null()) return MakeFault(json, "an entry of a map has no 'key'");
  if (!has_value) return MakeFault(json, "an entry of a map has no 'value'");
  return {};
}

Status JsonValueReader::ReadMap(JsonValue& json, JsonKind kind, const JsonTarget& target,
                                Value& out) {
  std::vector<std::pair<Value, Value>> entries;
  const auto check_value = [&](const JsonValue& entry) -> Status {
    if (!entries.back().second.is_null() || !target.type->value().required) return {};
    return MakeFault(entry, kMissing);
  };
  auto read_entry = [&](JsonValue& entry) -> Status {
    FIRN_ASSIGN(const JsonKind entry_kind, entry.Kind());
    if (entry_kind != JsonKind::kObject) return MakeMismatch(entry, *target.type);
    FIRN_RETURN_IF_ERROR(ReadEntry(entry, target, entries.emplace_back()));
    return check_value(entry);
  };
  auto read_member = [&](std::string_view key, JsonValue& value) -> Status {
    entries.emplace_back(std::string(key), Value());
    FIRN_RETURN_IF_ERROR(Read(value, target.children[1], entries.back().second));
    return check_value(value);
  };
  if (kind == JsonKind::kArray) {
    FIRN_RETURN_IF_ERROR(json.VisitElements(read_entry));
  } else if (target.type->key().type->id() == TypeId::kString) {
    FIRN_RETURN_IF_ERROR(json.VisitMembers(read_member));
  } else {
    return MakeMismatch(json, *target.type);
  }
  if (HasEqualKeys(entries)) return MakeFault(json, "a key of the map stands twice");
  out = Value::Map(std::move(entries));
  return {};
}

}  // namespace firn
