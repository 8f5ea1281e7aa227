#include <utility>

#include "firn/catalog/table_evolution.h"

#include "random_rows.h"
#include "steps.h"

namespace firn::round_trip {
namespace {

using Updates = Result<std::vector<TableUpdate>>;

/// Commit what was planned. The spec forbids a lot, and what it forbids is refused.
void Commit(Trial& trial, const Updates& updates, std::string_view what) {
  if (!updates.ok()) {
    trial.Note("{}: {}", what, updates.error().Format());
    trial.Count("refusals");
    if (updates.error().code() != ErrorCode::kInvalidInput) trial.Expect(updates, what);
    return;
  }
  trial.Note("{}", what);
  if (updates->empty()) return;
  const auto requirements = MakeRequirements(trial.metadata(), *updates);
  trial.Expect(trial.catalog().Commit(trial.table().name, requirements, *updates), what);
}

void ChangeSchema(Trial& trial, SchemaChange change, std::string_view what) {
  const std::vector<SchemaChange> changes = {std::move(change)};
  Commit(trial, PlanSchemaChange(trial.metadata(), changes), what);
}

/// The full name of a column, or of a field of a struct.
std::string ChooseField(Trial& trial) {
  const auto& fields = trial.schema().fields();
  const NestedField& field = fields[trial.random().Below(fields.size())];
  if (field.type->id() != TypeId::kStruct || trial.Chance(50)) return field.name;
  const auto& parts = field.type->fields();
  return field.name + "." + parts[trial.random().Below(parts.size())].name;
}

void Add(Trial& trial) {
  AddColumn added;
  const std::string parent = ChooseField(trial);
  const NestedField* found = trial.schema().FindField(parent);
  if (found != nullptr && found->type->id() == TypeId::kStruct && trial.Chance(60)) {
    added.path.push_back(parent);
  }
  added.path.push_back(fmt::format("a{}", trial.metadata().last_column_id));
  const int version = trial.metadata().format_version;
  added.type = DrawType(trial.random(), version);
  const bool has_default = version >= 3 && added.type->is_primitive() && trial.Chance(60);
  if (has_default) added.default_value = DrawValue(trial.random(), *added.type);
  added.is_required = has_default && trial.Chance(50);
  if (trial.Chance(30)) added.position = ColumnPosition{};
  const std::string what =
      fmt::format("add {} {}{}", fmt::join(added.path, "."), FormatType(*added.type),
                  has_default ? " default " + FormatValue(*added.default_value, *added.type) : "");
  ChangeSchema(trial, std::move(added), what);
}

void Drop(Trial& trial) {
  const std::string column = ChooseField(trial);
  ChangeSchema(trial, DropColumn{column}, "drop " + column);
}

void Rename(Trial& trial) {
  const std::string column = ChooseField(trial);
  const std::string name = fmt::format("r{}", trial.random().Below(8));
  ChangeSchema(trial, RenameColumn{column, name}, fmt::format("rename {} to {}", column, name));
}

void Move(Trial& trial) {
  AlterColumn change;
  change.column = ChooseField(trial);
  change.position = ColumnPosition{};
  ChangeSchema(trial, change, "move " + change.column + " to the front");
}

void Relax(Trial& trial) {
  AlterColumn change;
  change.column = ChooseField(trial);
  change.is_optional = true;
  ChangeSchema(trial, change, "make " + change.column + " optional");
}

void Widen(Trial& trial) {
  AlterColumn change;
  change.column = ChooseField(trial);
  const NestedField* field = trial.schema().FindField(change.column);
  if (field == nullptr) return;
  const Type& type = *field->type;
  if (type.id() == TypeId::kInt) change.type = Type::Primitive(TypeId::kLong);
  if (type.id() == TypeId::kFloat) change.type = Type::Primitive(TypeId::kDouble);
  if (type.id() == TypeId::kDate) change.type = Type::Primitive(TypeId::kTimestamp);
  if (type.id() == TypeId::kDecimal && type.precision() < 38) {
    change.type = Type::Decimal(type.precision() + 1 +
                                    static_cast<int32_t>(trial.random().Below(
                                        static_cast<uint64_t>(38 - type.precision()))),
                                type.scale());
  }
  if (change.type == nullptr) return;
  ChangeSchema(trial, change,
               fmt::format("widen {} to {}", change.column, FormatType(*change.type)));
}

void ChangeSpec(Trial& trial) {
  const NestedField* column = trial.ChooseColumn();
  if (column == nullptr) return;
  constexpr TransformKind kKinds[] = {TransformKind::kIdentity, TransformKind::kBucket,
                                      TransformKind::kTruncate, TransformKind::kYear,
                                      TransformKind::kMonth,    TransformKind::kDay,
                                      TransformKind::kHour};
  PartitionTerm term{.column = column->name, .transform = {}, .name = {}};
  term.transform.kind = kKinds[trial.random().Below(std::size(kKinds))];
  if (term.transform.kind == TransformKind::kBucket ||
      term.transform.kind == TransformKind::kTruncate) {
    term.transform.width = static_cast<int32_t>(1 + trial.random().Below(6));
  }
  PartitionChange change = AddPartitionField{term};
  const auto& fields = trial.metadata().default_spec()->fields;
  std::string what = "add partition field " + FormatPartitionTerm(term);
  if (!fields.empty() && trial.Chance(50)) {
    term.column = fields[trial.random().Below(fields.size())].name;
    term.transform = {};
    change = DropPartitionField{term};
    what = "drop partition field " + term.column;
  }
  Commit(trial, PlanPartitionChange(trial.metadata(), std::vector<PartitionChange>{change}), what);
}

void ChangeSortOrder(Trial& trial) {
  const NestedField* column = trial.ChooseColumn();
  if (column == nullptr) return;
  SortTerm term;
  term.column = column->name;
  term.is_descending = trial.Chance(50);
  Commit(trial, PlanSortOrder(trial.metadata(), {term}), "sort by " + FormatSortTerm(term));
}

void Upgrade(Trial& trial) {
  const int version = std::min(trial.metadata().format_version + 1, 3);
  Commit(trial, PlanUpgrade(trial.metadata(), version, trial.random()),
         fmt::format("upgrade to version {}", version));
}

}  // namespace

const std::vector<Step>& LayoutSteps() {
  static const std::vector<Step> kSteps = {{"add", 3, Add},         {"drop", 1, Drop},
                                           {"rename", 1, Rename},   {"move", 1, Move},
                                           {"optional", 1, Relax},  {"widen", 2, Widen},
                                           {"spec", 2, ChangeSpec}, {"sort", 1, ChangeSortOrder},
                                           {"upgrade", 1, Upgrade}};
  return kSteps;
}

}  // namespace firn::round_trip
