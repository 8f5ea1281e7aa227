#include <algorithm>

#include "firn/data/columns/file_leaves_internal.h"
#include "firn/data/columns/variant_column_internal.h"

namespace firn {
namespace {

using Kind = LeafMeaning::Kind;
using Elements = std::vector<SchemaElement>;
using Mapped = std::vector<MappedField>;

// Gives ids to a schema by name, at every depth; parts of lists and maps match "element", "key" and
// "value", whatever the file calls them.
class NameMapper {
 public:
  explicit NameMapper(Elements& schema) : schema_(schema) {}

  void Run(const Mapped& names) { MapChildren(schema_[0].num_children, names); }

 private:
  void MapChildren(int32_t count, const Mapped& names) {
    for (int32_t i = 0; i < count; ++i)
      MapNode(schema_[next_].name, names);
  }

  // The next node, called `name` in the mapping, and all below it.
  void MapNode(std::string_view name, const Mapped& names) {
    SchemaElement& node = schema_[next_++];
    const MappedField* mapped = FindMappedField(names, name);
    if (mapped != nullptr) node.field_id = mapped->field_id;
    if (node.type) return;
    static const Mapped kNoNames;
    MapGroup(node, mapped == nullptr ? kNoNames : mapped->fields);
  }

  void MapGroup(const SchemaElement& node, const Mapped& names) {
    const bool is_list = node.meaning.kind == Kind::kList;
    const bool is_map = node.meaning.kind == Kind::kMap;
    const bool is_repeated =
        node.num_children == 1 && schema_[next_].repetition == FieldRepetition::kRepeated;
    if (!is_repeated || (!is_list && !is_map)) return MapChildren(node.num_children, names);
    const int32_t parts = schema_[next_].num_children;
    if (is_list && (schema_[next_].type || parts != 1)) return MapNode("element", names);
    ++next_;  // The repeated group.
    if (is_list) return MapNode("element", names);
    for (int32_t i = 0; i < parts; ++i)
      MapNode(i == 0 ? "key" : "value", names);
  }

  Elements& schema_;
  size_t next_ = 1;  // Behind the root.
};

class LeafFinder {
 public:
  explicit LeafFinder(const Elements& schema) : schema_(schema) {}

  Result<FileLeaves> Find() {
    for (int32_t i = 0; i < schema_[0].num_children; ++i) {
      FIRN_RETURN_IF_ERROR(AddNode(schema_[0], next_));
    }
    return std::move(found_);
  }

 private:
  // The next node, a child of `group`, of whose children `first` is the first.
  Status AddNode(const SchemaElement& group, size_t first) {
    const SchemaElement& node = schema_[next_++];
    if (node.field_id) found_.ids.insert(*node.field_id);
    if (!node.type) {
      const size_t first_child = next_;
      for (int32_t i = 0; i < node.num_children; ++i)
        FIRN_RETURN_IF_ERROR(AddNode(node, first_child));
      return {};
    }
    const size_t leaf = leaf_count_++;
    if (node.field_id) return AddLeaf({*node.field_id, ""}, leaf);
    if (group.field_id && IsVariant(group, first)) {
      return AddLeaf({*group.field_id, node.name}, leaf);
    }
    return {};
  }

  Status AddLeaf(LeafKey key, size_t leaf) {
    const int32_t id = key.first;
    if (found_.leaves.emplace(std::move(key), leaf).second) return {};
    return MakeError(ErrorCode::kUnsupported, "two leaves have the field id {}", id);
  }

  bool IsVariant(const SchemaElement& group, size_t first) const {
    if (group.num_children != 2) return false;
    const SchemaElement& a = schema_[first];
    const SchemaElement& b = schema_[first + 1];
    if (!a.type || !b.type) return false;
    return (a.name == kVariantMetadata && b.name == kVariantValue) ||
           (a.name == kVariantValue && b.name == kVariantMetadata);
  }

  const Elements& schema_;
  size_t next_ = 1;  // Behind the root.
  size_t leaf_count_ = 0;
  FileLeaves found_;
};

}  // namespace

std::vector<LeafPath> LeafPathsOf(const std::vector<SchemaElement>& schema) {
  std::vector<LeafPath> paths;
  LeafPath path;
  std::vector<int32_t> open = {schema[0].num_children};  // Children that are still to come.
  for (size_t i = 1; i < schema.size(); ++i) {
    --open.back();
    path.push_back(schema[i].field_id);
    if (schema[i].type) paths.push_back(path);
    open.push_back(schema[i].type ? 0 : schema[i].num_children);
    while (!path.empty() && open.back() == 0) {
      open.pop_back();
      path.pop_back();
    }
  }
  return paths;
}

size_t CountShared(const LeafPath& a, const LeafPath& b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

LeafKey KeyOf(const NestedField& field, const LeafNode& leaf) {
  return {field.id, field.type->id() == TypeId::kVariant ? leaf.element.name : ""};
}

Result<FileLeaves> FindFileLeaves(std::vector<SchemaElement> schema, const NameMapping* names) {
  for (SchemaElement& node : schema)
    if (node.field_id && *node.field_id < 0) node.field_id.reset();
  const bool has_ids = std::any_of(schema.begin() + 1, schema.end(), [](const SchemaElement& node) {
    return node.field_id.has_value();
  });
  if (!has_ids) {
    if (names == nullptr) {
      return MakeError(ErrorCode::kUnsupported,
                       "no column carries a field id and the table has no name mapping");
    }
    NameMapper(schema).Run(names->fields);
  }
  FIRN_ASSIGN(FileLeaves found, LeafFinder(schema).Find());
  found.paths = LeafPathsOf(schema);
  return found;
}

}  // namespace firn
