#include "firn/format/schema/schema.h"

#include <algorithm>
#include <utility>

#include "firn/base/text.h"

namespace firn {

namespace {

int32_t HighestFieldId(const Type& type) {
  int32_t highest = 0;
  for (const NestedField& field : type.fields()) {
    highest = std::max(highest, field.id);
    if (field.type) highest = std::max(highest, HighestFieldId(*field.type));
  }
  return highest;
}

}  // namespace

// Walks a schema once and fills its index.
class Schema::Indexer {
 public:
  explicit Indexer(Index& index) : index_(index) {}

  void Run(const Type& root) {
    AddChildren(root, "", "", std::nullopt);
    // The short names of Java ("points.x" for "points.element.x") where nothing else is called so.
    for (auto& [name, id] : short_names_)
      index_.by_name.emplace(std::move(name), id);
  }

 private:
  void AddChildren(const Type& type, const std::string& prefix, const std::string& short_prefix,
                   std::optional<int32_t> parent_id) {
    for (const NestedField& field : type.fields()) {
      const std::string name = prefix + field.name;
      const bool is_skipped = ReachesStruct(type, field);
      std::string short_name = short_prefix + field.name;
      index_.by_id.emplace(field.id, Entry{&field, name, parent_id});
      index_.by_name.emplace(name, field.id);
      if (short_name != name) short_names_.emplace_back(short_name, field.id);
      if (!field.type || !field.type->is_nested()) continue;
      AddChildren(*field.type, name + ".", is_skipped ? short_prefix : short_name + ".", field.id);
    }
  }

  // True for the element of a list and the value of a map that are structs.
  static bool ReachesStruct(const Type& parent, const NestedField& field) {
    if (!field.type || field.type->id() != TypeId::kStruct) return false;
    return parent.id() == TypeId::kList ||
           (parent.id() == TypeId::kMap && &field == &parent.value());
  }

  Index& index_;
  std::vector<std::pair<std::string, int32_t>> short_names_;
};

Schema::Schema(int32_t schema_id, std::vector<NestedField> fields,
               std::vector<int32_t> identifier_field_ids, ExtraFields extra)
    : schema_id_(schema_id),
      struct_(Type::Struct(std::move(fields), std::move(extra))),
      identifier_field_ids_(std::move(identifier_field_ids)),
      index_(std::make_shared<Index>()),
      highest_field_id_(HighestFieldId(*struct_)) {}

const Schema::Index& Schema::index() const {
  std::call_once(index_->once, [&] { Indexer(*index_).Run(*struct_); });
  return *index_;
}

const NestedField* Schema::FindField(int32_t id) const {
  const auto found = index().by_id.find(id);
  return found == index().by_id.end() ? nullptr : found->second.field;
}

const NestedField* Schema::FindField(std::string_view full_name) const {
  const auto found = index().by_name.find(std::string(full_name));
  return found == index().by_name.end() ? nullptr : FindField(found->second);
}

Result<const NestedField*> Schema::FindFieldIgnoringCase(std::string_view full_name) const {
  std::optional<int32_t> id;
  std::string_view id_name;
  for (const auto& [name, candidate] : index().by_name) {
    if (!EqualsIgnoreCase(name, full_name)) continue;
    if (id && *id != candidate) {
      return MakeError(ErrorCode::kInvalidInput,
                       "column '{}' is ambiguous when case is ignored: '{}' and '{}' match; "
                       "write it as the schema does",
                       full_name, std::min(id_name, std::string_view(name)),
                       std::max(id_name, std::string_view(name)));
    }
    id = candidate;
    id_name = name;
  }
  return id ? FindField(*id) : nullptr;
}

std::string Schema::FullName(int32_t id) const {
  const auto found = index().by_id.find(id);
  return found == index().by_id.end() ? std::string() : found->second.full_name;
}

std::optional<int32_t> Schema::ParentId(int32_t id) const {
  const auto found = index().by_id.find(id);
  return found == index().by_id.end() ? std::nullopt : found->second.parent_id;
}

std::optional<std::vector<size_t>> Schema::StructPath(int32_t id) const {
  std::vector<size_t> path;
  for (std::optional<int32_t> current = id; current; current = ParentId(*current)) {
    const NestedField* field = FindField(*current);
    if (!field) return std::nullopt;
    const std::optional<int32_t> parent_id = ParentId(*current);
    const Type& parent = parent_id ? *FindField(*parent_id)->type : *struct_;
    if (parent.id() != TypeId::kStruct) return std::nullopt;
    path.push_back(static_cast<size_t>(field - parent.fields().data()));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

bool Schema::IsSameAs(const Schema& other) const {
  const auto sorted = [](std::vector<int32_t> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  return *struct_ == *other.struct_ &&
         sorted(identifier_field_ids_) == sorted(other.identifier_field_ids_);
}

namespace {

// The field with only the selected parts of its type; nullopt if nothing of it is selected.
std::optional<NestedField> SelectField(const NestedField& field, const std::set<int32_t>& ids) {
  if (ids.contains(field.id)) return field;
  if (!field.type->is_nested()) return std::nullopt;
  std::vector<NestedField> selected;
  for (const NestedField& child : field.type->fields()) {
    if (auto kept = SelectField(child, ids)) selected.push_back(*std::move(kept));
  }
  if (selected.empty()) return std::nullopt;
  NestedField result = field;
  if (field.type->id() == TypeId::kStruct) {
    result.type = Type::Struct(std::move(selected));
  } else if (field.type->id() == TypeId::kList) {
    result.type = Type::List(std::move(selected.front()));
  } else if (selected.back().id == field.type->value().id) {
    result.type = Type::Map(field.type->key(), std::move(selected.back()));
  }  // Only (a part of) the key: a map without values is of no use, so all of it stays.
  return result;
}

}  // namespace

Schema SelectFields(const Schema& schema, const std::set<int32_t>& ids) {
  std::vector<NestedField> fields;
  for (const NestedField& field : schema.fields()) {
    if (auto kept = SelectField(field, ids)) fields.push_back(*std::move(kept));
  }
  Schema selected(schema.schema_id(), std::move(fields));
  std::vector<int32_t> identifier_field_ids;
  for (const int32_t id : schema.identifier_field_ids()) {
    if (selected.FindField(id)) identifier_field_ids.push_back(id);
  }
  return Schema(schema.schema_id(), selected.fields(), std::move(identifier_field_ids));
}

}  // namespace firn
