#include <utility>

#include <fmt/format.h>

#include "firn/ingest/json/json_types_internal.h"
#include "firn/ingest/text/text_rows_internal.h"

namespace firn {

// Names lie in a deque, where they stay, so that the index can refer to them.
struct JsonType::Fields {
  std::deque<Field> all;
  std::unordered_map<std::string_view, size_t> places;
};

JsonType::JsonType(bool infers_decimals)
    : infers_decimals_(infers_decimals), scalar_(infers_decimals) {}
JsonType::JsonType(JsonType&&) noexcept = default;
JsonType& JsonType::operator=(JsonType&&) noexcept = default;
JsonType::~JsonType() = default;

// Whether the values are all of one shape, which is that of the next one.
bool JsonType::TakeShape(Shape shape, std::string_view shown, const TextPlace& place) {
  if (shape_ == shape) return shape != Shape::kMixed;
  if (shape_ == Shape::kMixed) return false;
  const bool is_first = shape_ == Shape::kNone;
  shape_ = is_first ? shape : Shape::kMixed;
  first_shown_ = shown;
  first_place_ = place;
  if (is_first && shape != Shape::kMixed) return true;
  object_ = nullptr;
  element_ = nullptr;
  return false;
}

Status JsonType::Add(JsonValue& json, const TextPlace& place, size_t& new_fields) {
  FIRN_ASSIGN(const JsonKind kind, json.Kind());
  switch (kind) {
    case JsonKind::kNull:
      return {};
    case JsonKind::kObject:
      return TakeShape(Shape::kObject, "an object", place) ? AddObject(json, place, new_fields)
                                                           : Status();
    case JsonKind::kArray:
      return TakeShape(Shape::kArray, "an array", place) ? AddArray(json, place, new_fields)
                                                         : Status();
    case JsonKind::kString:
    case JsonKind::kNumber:
    case JsonKind::kBool:
      break;
  }
  return AddScalar(json, kind, place);
}

Status JsonType::AddScalar(JsonValue& json, JsonKind kind, const TextPlace& place) {
  FIRN_ASSIGN(const std::string_view text, json.ReadScalarText());
  if (shape_ == Shape::kMixed) return {};
  if (shape_ != Shape::kScalar &&
      !TakeShape(Shape::kScalar, fmt::format("'{}'", ShortenText(text)), place)) {
    return {};
  }
  if (kind == JsonKind::kString) {
    scalar_.AddMarkedText(text, place);
  } else {
    scalar_.Add(text, place);
  }
  return {};
}

JsonType& JsonType::FieldType(std::string_view key, size_t guess) {
  std::deque<Field>& all = object_->all;
  if (guess < all.size() && all[guess].name == key) return all[guess].type;
  const auto known = object_->places.find(key);
  if (known != object_->places.end()) return all[known->second].type;
  all.push_back({std::string(key), JsonType(infers_decimals_)});
  object_->places.emplace(all.back().name, all.size() - 1);
  return all.back().type;
}

Status JsonType::AddObject(JsonValue& json, const TextPlace& place, size_t& new_fields) {
  if (object_ == nullptr) object_ = std::make_unique<Fields>();
  size_t guess = 0;
  return json.VisitMembers([&](std::string_view key, JsonValue& value) -> Status {
    const size_t before = object_->all.size();
    JsonType& type = FieldType(key, guess++);
    new_fields += object_->all.size() - before;
    if (object_->all.size() > kJsonKeysMax) return MakeTooManyKeysError(json.Path());
    if (new_fields > kJsonFieldsMax) return MakeTooManyKeysError("", kJsonFieldsMax);
    return type.Add(value, place, new_fields);
  });
}

Status JsonType::AddArray(JsonValue& json, const TextPlace& place, size_t& new_fields) {
  if (element_ == nullptr) element_ = std::make_unique<JsonType>(infers_decimals_);
  return json.VisitElements(
      [&](JsonValue& element) { return element_->Add(element, place, new_fields); });
}

Status JsonType::Merge(JsonType other, const std::string& path) {
  if (other.shape_ == Shape::kNone) return {};
  if (!TakeShape(other.shape_, other.first_shown_, other.first_place_)) return {};
  if (other.shape_ == Shape::kScalar) scalar_.Merge(other.scalar_);
  if (other.shape_ == Shape::kArray) {
    if (element_ == nullptr) {
      element_ = std::move(other.element_);
    } else {
      FIRN_RETURN_IF_ERROR(element_->Merge(std::move(*other.element_), path + "[]"));
    }
  }
  if (other.shape_ != Shape::kObject) return {};
  if (object_ == nullptr) {
    object_ = std::move(other.object_);
    return {};
  }
  size_t guess = 0;
  for (Field& field : other.object_->all) {
    FIRN_RETURN_IF_ERROR(
        FieldType(field.name, guess++)
            .Merge(std::move(field.type), path.empty() ? field.name : path + "." + field.name));
  }
  if (object_->all.size() > kJsonKeysMax) return MakeTooManyKeysError(path);
  return {};
}

TypePtr JsonType::MakeType(bool is_narrow) const {
  if (shape_ == Shape::kScalar) return is_narrow ? scalar_.narrow_type() : scalar_.type();
  if (shape_ == Shape::kArray) {
    NestedField element;
    element.type = element_->MakeType(is_narrow);
    return Type::List(std::move(element));
  }
  if (shape_ != Shape::kObject || object_->all.empty()) return Type::Primitive(TypeId::kString);
  std::vector<NestedField> fields;
  for (const Field& field : object_->all) {
    NestedField& next = fields.emplace_back();
    next.name = field.name;
    next.type = field.type.MakeType(is_narrow);
  }
  return Type::Struct(std::move(fields));
}

const std::deque<JsonType::Field>& JsonType::fields() const {
  static const std::deque<Field> none;
  return object_ == nullptr ? none : object_->all;
}

size_t JsonType::CountFields() const {
  size_t count = element_ == nullptr ? 0 : element_->CountFields();
  for (const Field& field : fields())
    count += 1 + field.type.CountFields();
  return count;
}

std::vector<JsonTypeReason> JsonType::Reasons() const {
  std::vector<JsonTypeReason> reasons;
  CollectReasons("", reasons);
  return reasons;
}

void JsonType::CollectReasons(const std::string& path, std::vector<JsonTypeReason>& reasons) const {
  if (shape_ == Shape::kMixed) reasons.push_back({path, first_shown_, first_place_});
  if (shape_ == Shape::kScalar && !scalar_.reason_text().empty()) {
    reasons.push_back({path, fmt::format("'{}'", scalar_.reason_text()), scalar_.reason_place()});
  }
  if (shape_ == Shape::kArray) element_->CollectReasons(path + "[]", reasons);
  for (const Field& field : fields())
    field.type.CollectReasons(path.empty() ? field.name : path + "." + field.name, reasons);
}

Error MakeTooManyKeysError(const std::string& path, size_t max) {
  const std::string where = path.empty() ? "the rows" : fmt::format("the objects at '{}'", path);
  return MakeError(ErrorCode::kInvalidInput,
                   "{} have more than {} distinct keys, which are too many for columns; give a "
                   "schema (--schema), where a map with string keys takes any",
                   where, max);
}

}  // namespace firn
