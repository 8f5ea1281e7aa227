#include <algorithm>
#include <utility>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/column_resolver_internal.h"
#include "firn/data/columns/variant_column_internal.h"

namespace firn {
namespace {

class Resolver {
 public:
  explicit Resolver(const ResolveContext& context) : context_(context) {}

  Result<ColumnPlan> Resolve(const NestedField& target, const std::vector<FileField>& siblings) {
    const FileField* file = FindFileField(siblings, target.id);
    if (target.type->id() == TypeId::kUnknown) return Constant(target, {});
    if (file != nullptr) FIRN_RETURN_IF_ERROR(CheckAlone(*file, siblings));
    return file == nullptr ? ResolveMissing(target) : ResolvePresent(target, *file);
  }

  const std::set<int>& leaves() const { return leaves_; }

 private:
  // Which of two columns with one id is meant cannot be known.
  static Status CheckAlone(const FileField& file, const std::vector<FileField>& siblings) {
    const auto other = std::find_if(siblings.begin(), siblings.end(), [&](const FileField& field) {
      return field.id == file.id && &field != &file;
    });
    if (other == siblings.end()) return {};
    return MakeError(ErrorCode::kCorrupt,
                     "the file's columns '{}' and '{}' have the same field id {}", file.name,
                     other->name, *file.id);
  }

  Result<ColumnPlan> Constant(const NestedField& target, Value value) {
    FIRN_ASSIGN(auto arrow_type, ToArrowType(*target.type));
    ColumnPlan plan;
    plan.target = target;
    plan.arrow_type = std::move(arrow_type);
    plan.constant = std::move(value);
    return plan;
  }

  // Steps 2 to 5 of reference 2.10.
  Result<ColumnPlan> ResolveMissing(const NestedField& target) {
    const auto identity = context_.identity_values.find(target.id);
    if (identity != context_.identity_values.end()) return Constant(target, identity->second);
    FIRN_RETURN_IF_ERROR(CheckUncounted(target));
    if (target.initial_default && !target.initial_default->is_null()) {
      if (target.type->id() == TypeId::kStruct) return ResolveMissingStruct(target);
      return Constant(target, *target.initial_default);
    }
    if (target.required) {
      return MakeError(ErrorCode::kCorrupt,
                       "column '{}' (field id {}) is required but the file lacks it and the schema "
                       "gives no initial default",
                       target.name, target.id);
    }
    return Constant(target, {});
  }

  // What stands in for a column would hide that a file is damaged, or not the one it should be.
  Status CheckUncounted(const NestedField& target) const {
    // A name may have gone to another column since the counts were made.
    if (context_.counted_columns == nullptr || context_.is_mapped_by_name) return {};
    for (const NestedField& child : target.type->fields())
      FIRN_RETURN_IF_ERROR(CheckUncounted(child), "column '{}'", target.name);
    if (!std::ranges::binary_search(*context_.counted_columns, target.id)) return {};
    return MakeError(
        ErrorCode::kCorrupt,
        "column '{}' (field id {}): the file lacks it, but its manifest tells some "
        "of its values: the file is damaged or not the one that was committed, or the manifest "
        "is wrong, which 'firn repair-metrics' corrects",
        target.name, target.id);
  }

  // A default of `{}`: each child takes its own default.
  Result<ColumnPlan> ResolveMissingStruct(const NestedField& target) {
    FIRN_ASSIGN(ColumnPlan plan, Constant(target, {}));
    plan.source = ColumnPlan::Source::kMissingStruct;
    const auto* values = target.initial_default->get_if<std::shared_ptr<const StructValue>>();
    for (size_t i = 0; i < target.type->fields().size(); ++i) {
      NestedField child = target.type->fields()[i];
      const bool has_value =
          values != nullptr && i < (*values)->fields.size() && !(*values)->fields[i].is_null();
      if (has_value) child.initial_default = (*values)->fields[i];
      FIRN_ASSIGN(ColumnPlan child_plan, ResolveMissing(child), "column '{}'", target.name);
      plan.children.push_back(std::move(child_plan));
    }
    return plan;
  }

  Result<ColumnPlan> ResolvePresent(const NestedField& target, const FileField& file) {
    FIRN_ASSIGN(ColumnPlan plan, Constant(target, {}));
    plan.source = ColumnPlan::Source::kFile;
    plan.file_field = &file;
    const TypeId id = target.type->id();
    if (id == TypeId::kStruct) return ResolveStruct(std::move(plan), file);
    if (id == TypeId::kList) {
      if (!IsListLike(*file.type) || file.children.size() != 1) return Mismatch(target, file);
      return ResolveParts(std::move(plan), file);
    }
    if (id == TypeId::kMap) {
      const bool is_map = file.type->id() == arrow::Type::MAP && file.children.size() == 2;
      return is_map ? ResolveParts(std::move(plan), file) : Mismatch(target, file);
    }
    const bool fits = id == TypeId::kVariant
                          ? IsVariantGroup(file)
                          : file.children.empty() && CanConvertColumn(*file.type, *target.type);
    if (!fits) return Mismatch(target, file);
    Select(file);
    return plan;
  }

  Result<ColumnPlan> ResolveStruct(ColumnPlan plan, const FileField& file) {
    if (file.type->id() != arrow::Type::STRUCT) return Mismatch(plan.target, file);
    const bool is_unmapped = context_.is_mapped_by_name && !file.children.empty() &&
                             std::none_of(file.children.begin(), file.children.end(),
                                          [](const FileField& field) { return field.id; });
    if (is_unmapped && !plan.target.type->fields().empty()) {
      return MakeError(
          ErrorCode::kCorrupt,
          "column '{}': the file has no field ids and 'schema.name-mapping.default' "
          "maps no field of this struct, such as '{}'; add nested names to the mapping",
          plan.target.name, file.children[0].name);
    }
    if (!context_.prunes_nested) Select(file);
    const size_t before = leaves_.size();
    for (const NestedField& child : plan.target.type->fields()) {
      FIRN_ASSIGN(ColumnPlan child_plan, Resolve(child, file.children), "column '{}'",
                  plan.target.name);
      plan.children.push_back(std::move(child_plan));
    }
    if (leaves_.size() == before) SelectCheapestLeaf(file);  // Tells where the struct is null.
    return plan;
  }

  // The element of a list, or key and value of a map: matched by place, as their ids cannot change.
  Result<ColumnPlan> ResolveParts(ColumnPlan plan, const FileField& file) {
    const std::vector<NestedField>& parts = plan.target.type->fields();
    for (size_t i = 0; i < parts.size(); ++i) {
      const FileField& file_part = file.children[i];
      if (parts[i].type->id() == TypeId::kUnknown) {
        Select(file_part);
        FIRN_ASSIGN(ColumnPlan part, Constant(parts[i], {}));
        plan.children.push_back(std::move(part));
        continue;
      }
      FIRN_ASSIGN(ColumnPlan part, ResolvePresent(parts[i], file_part), "column '{}'",
                  plan.target.name);
      if (plan.target.type->id() == TypeId::kMap && i == 0) Select(file_part);
      plan.children.push_back(std::move(part));
    }
    return plan;
  }

  void Select(const FileField& file) {
    for (int leaf = file.first_leaf; leaf < file.leaf_end; ++leaf)
      leaves_.insert(leaf);
  }

  void SelectCheapestLeaf(const FileField& file) {
    if (file.children.empty()) {
      Select(file);
      return;
    }
    const auto cheap =
        std::find_if(file.children.begin(), file.children.end(), [](const FileField& child) {
          return child.children.empty() && arrow::is_fixed_width(child.type->id());
        });
    SelectCheapestLeaf(cheap == file.children.end() ? file.children[0] : *cheap);
  }

  Error Mismatch(const NestedField& target, const FileField& file) {
    return MakeError(ErrorCode::kCorrupt,
                     "column '{}' (field id {}) is stored as {}, expected {} or a type that may be "
                     "promoted to it",
                     target.name, target.id, file.type->ToString(), FormatType(*target.type));
  }

  const ResolveContext& context_;
  std::set<int> leaves_;
};

bool IsRead(const FileField& field, const std::set<int>& leaves) {
  const auto first = leaves.lower_bound(field.first_leaf);
  return first != leaves.end() && *first < field.leaf_end;
}

// Tell each planned column its place among those siblings that are read.
void AssignFileIndices(std::vector<ColumnPlan>& plans, const std::vector<FileField>& siblings,
                       const std::set<int>& leaves) {
  for (ColumnPlan& plan : plans) {
    if (plan.source != ColumnPlan::Source::kFile) continue;
    plan.file_index = 0;
    for (const FileField& sibling : siblings) {
      if (&sibling == plan.file_field) break;
      if (IsRead(sibling, leaves)) ++plan.file_index;
    }
    AssignFileIndices(plan.children, plan.file_field->children, leaves);
  }
}

}  // namespace

Result<ReadPlan> ResolveColumns(const std::vector<NestedField>& wanted,
                                const std::vector<FileField>& fields,
                                const ResolveContext& context) {
  Resolver resolver(context);
  ReadPlan plan;
  for (const NestedField& field : wanted) {
    FIRN_ASSIGN(ColumnPlan column, resolver.Resolve(field, fields));
    plan.columns.push_back(std::move(column));
  }
  plan.leaves = resolver.leaves();
  plan.is_exact = context.is_exact;
  AssignFileIndices(plan.columns, fields, plan.leaves);
  return plan;
}

Result<bool> AssignFieldIds(std::vector<FileField>& fields, const NameMapping* mapping,
                            bool matches_names) {
  if (matches_names) DropFieldIds(fields);
  if (HasFieldIds(fields) || fields.empty()) return false;
  if (mapping == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "no column carries a field id and the table has no name mapping; set the "
                     "table property 'schema.name-mapping.default'");
  }
  ApplyNameMapping(fields, mapping->fields);
  return true;
}

}  // namespace firn
