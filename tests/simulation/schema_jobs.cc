#include <algorithm>
#include <utility>

#include "firn/catalog/table_evolution.h"

#include "actor.h"

// What rows consist of and where they go, while others write them.

namespace firn::simulation {
namespace {

using Plan = std::function<Result<std::vector<TableUpdate>>(const TableMetadata&)>;

/// Nothing is done where another one did the same before, or what it needs is gone.
JobResult Change(Worker& worker, const Operation& operation, const Plan& plan) {
  const auto changed = worker.Change([&](const TableMetadata& metadata) {
    worker.Dawdle();
    return plan(metadata);
  });
  if (!changed.ok()) return worker.ExcuseLate(operation, changed.error());
  return std::optional<SnapshotId>();
}

/// The column `field_id`, whatever it is called by then, changes as `make` says of its name.
Plan ChangeColumn(
    int32_t field_id,
    std::function<Result<SchemaChange>(const TableMetadata&, std::string name)> make) {
  return [field_id, make = std::move(make)](
             const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    const std::string name = ColumnName(metadata, field_id);
    if (name.empty()) return MakeError(ErrorCode::kNotFound, "column {} is gone", field_id);
    FIRN_ASSIGN(const SchemaChange change, make(metadata, name));
    return PlanSchemaChange(metadata, std::vector<SchemaChange>{change});
  };
}

/// A column that came later and for which `is_wanted` holds; null: there is none.
const NestedField* ChooseColumn(Worker& worker, const TableMetadata& metadata,
                                const std::function<bool(const NestedField&)>& is_wanted) {
  std::vector<const NestedField*> found;
  for (const NestedField& field : metadata.current_schema()->fields()) {
    if (field.id != kIdField && field.id != kCatField && is_wanted(field)) found.push_back(&field);
  }
  if (found.empty()) return nullptr;
  // Several want the newest one.
  const bool is_meeting = worker.scene().focus == Focus::kColumns;
  return worker.Chance(is_meeting ? 90 : 50) ? found.back()
                                             : found[worker.random().Below(found.size())];
}

bool IsAny(const NestedField&) { return true; }

/// Neither a column nor a partition field is called so.
bool IsFreeName(const TableMetadata& metadata, const std::string& name) {
  const auto is_named = [&](const PartitionField& part) { return part.name == name; };
  const auto& specs = metadata.partition_specs;
  return metadata.current_schema()->FindField(name) == nullptr &&
         std::none_of(specs.begin(), specs.end(), [&](const PartitionSpecPtr& spec) {
           return std::any_of(spec->fields.begin(), spec->fields.end(), is_named);
         });
}

/// Some are called as another one was before, but not where text files name their columns.
JobResult AddColumns(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  constexpr TypeId kTypes[] = {TypeId::kInt, TypeId::kFloat, TypeId::kLong, TypeId::kDate,
                               TypeId::kDate};
  AddColumn added;
  added.path = {fmt::format("c{}", operation.number)};
  added.type = Type::Primitive(kTypes[worker.random().Below(5)]);
  const bool is_free = IsFreeName(*table.metadata, "cat");
  if (is_free && !worker.scene().has_parquet && worker.Chance(50)) {
    added.path = {"cat"};
    added.type = Type::Primitive(TypeId::kString);
  }
  added.doc = fmt::format("by operation {}", operation.number);
  operation.added_doc = added.doc;
  operation.is_done = [doc = added.doc](const TableMetadata& metadata) {
    const auto& fields = metadata.current_schema()->fields();
    return std::any_of(fields.begin(), fields.end(),
                       [&](const NestedField& field) { return field.doc == doc; });
  };
  return Change(worker, operation, [added](const TableMetadata& metadata) {
    return PlanSchemaChange(metadata, std::vector<SchemaChange>{added});
  });
}

JobResult DropAColumn(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const TableMetadata& metadata = *table.metadata;
  const NestedField* chosen = ChooseColumn(
      worker, metadata, [&](const NestedField& field) { return !IsSource(metadata, field.id); });
  if (chosen == nullptr) return std::optional<SnapshotId>();
  const int32_t id = chosen->id;
  worker.HoldCommit(operation, Focus::kColumns,
                    [&worker, id] { return IsSource(worker.judge().metadata(), id); });
  operation.changes_column = [id](const NestedField& before, const NestedField* now) {
    return before.id == id && now == nullptr;
  };
  return Change(worker, operation, ChangeColumn(id, [](const auto&, std::string name) {
                  return Result<SchemaChange>(SchemaChange(DropColumn{std::move(name)}));
                }));
}

JobResult Rename(Worker& worker, const Operation& operation, int32_t id,
                 const std::string& new_name) {
  return Change(
      worker, operation, ChangeColumn(id, [new_name](const auto&, std::string name) {
        return Result<SchemaChange>(SchemaChange(RenameColumn{std::move(name), new_name}));
      }));
}

ColumnChange Renaming(int32_t id, const std::string& new_name) {
  return [id, new_name](const NestedField& before, const NestedField* now) {
    NestedField expected = before;
    expected.name = new_name;
    return before.id == id && now != nullptr && *now == expected;
  };
}

/// Also the column that conditions are about.
JobResult RenameAColumn(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const NestedField* chosen = ChooseColumn(worker, *table.metadata, IsAny);
  std::string new_name = fmt::format("r{}", operation.number);
  int32_t id = kCatField;
  if (chosen != nullptr && worker.Chance(50)) {
    id = chosen->id;
  } else {
    new_name = ColumnName(*table.metadata, kCatField) == "cat" ? "kind" : "cat";
  }
  if (table.metadata->current_schema()->FindField(new_name) != nullptr) {
    return std::optional<SnapshotId>();
  }
  operation.changes_column = Renaming(id, new_name);
  return Rename(worker, operation, id, new_name);
}

bool CanWiden(const NestedField& field) {
  return field.type->id() == TypeId::kInt || field.type->id() == TypeId::kFloat;
}

JobResult WidenAColumn(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const NestedField* chosen = ChooseColumn(worker, *table.metadata, CanWiden);
  if (chosen == nullptr) return std::optional<SnapshotId>();
  const int32_t id = chosen->id;
  const TypePtr type =
      Type::Primitive(chosen->type->id() == TypeId::kInt ? TypeId::kLong : TypeId::kDouble);
  operation.changes_column = [id, type](const NestedField& before, const NestedField* now) {
    NestedField expected = before;
    expected.type = type;
    return before.id == id && now != nullptr && *now == expected;
  };
  return Change(worker, operation, ChangeColumn(id, [type](const auto&, std::string name) {
                  AlterColumn change;
                  change.column = std::move(name);
                  change.type = type;
                  return Result<SchemaChange>(SchemaChange(change));
                }));
}

JobResult MoveAColumn(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const NestedField* chosen = ChooseColumn(worker, *table.metadata, IsAny);
  const int32_t id = chosen == nullptr || worker.Chance(30) ? kCatField : chosen->id;
  return Change(worker, operation, ChangeColumn(id, [](const auto&, std::string name) {
                  AlterColumn change;
                  change.column = std::move(name);
                  change.position = ColumnPosition{ColumnPosition::Kind::kFirst, ""};
                  return Result<SchemaChange>(SchemaChange(change));
                }));
}

bool CanBucket(const NestedField& field) {
  return field.type->id() == TypeId::kInt || field.type->id() == TypeId::kLong;
}

/// A field comes, or goes if it is there.
JobResult ChangeSpec(Worker& worker, Operation& operation) {
  if (!worker.scene().has_changing_spec) return AddColumns(worker, operation);
  FIRN_ASSIGN(const Table table, worker.Load());
  const auto width = static_cast<int32_t>(2 + worker.random().Below(5));
  const NestedField* other = ChooseColumn(worker, *table.metadata, CanBucket);
  PartitionTerm term{.column = "id", .transform = {TransformKind::kBucket, width, {}}, .name = {}};
  int32_t id = kIdField;
  // A field that comes back has the name that it had, which may be that of another column.
  const NestedField* named = table.metadata->current_schema()->FindField("cat");
  if (worker.Chance(30) && (named == nullptr || named->id == kCatField)) {
    id = kCatField;
    term.transform = {};
  } else if (other != nullptr && worker.Chance(50)) {
    id = other->id;
  }
  return Change(
      worker, operation,
      [term, id](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
        PartitionTerm now = term;
        now.column = ColumnName(metadata, id);
        if (now.column.empty()) return MakeError(ErrorCode::kNotFound, "column {} is gone", id);
        auto added =
            PlanPartitionChange(metadata, std::vector<PartitionChange>{AddPartitionField{now}});
        if (added.ok()) return added;
        return PlanPartitionChange(metadata, std::vector<PartitionChange>{DropPartitionField{now}});
      });
}

JobResult SetOrder(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  const NestedField* other = ChooseColumn(worker, *table.metadata, IsAny);
  std::vector<int32_t> ids;
  if (worker.Chance(50)) ids.push_back(kCatField);
  if (other != nullptr && worker.Chance(40)) ids.push_back(other->id);
  const bool is_descending = worker.Chance(50);
  return Change(
      worker, operation,
      [ids, is_descending](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
        std::vector<SortTerm> terms;
        for (const int32_t id : ids) {
          SortTerm& term = terms.emplace_back();
          term.column = ColumnName(metadata, id);
          term.is_descending = is_descending;
          if (!term.column.empty()) continue;
          return MakeError(ErrorCode::kNotFound, "column {} is gone", id);
        }
        return PlanSortOrder(metadata, terms);
      });
}

JobResult SetIdentifiers(Worker& worker, Operation& operation) {
  SetIdentifierFields change;
  if (worker.Chance(60)) change.columns = {"id"};
  return Change(worker, operation, [change](const TableMetadata& metadata) {
    return PlanSchemaChange(metadata, std::vector<SchemaChange>{change});
  });
}

}  // namespace

const std::vector<Job>& SchemaJobs() {
  static const std::vector<Job> kJobs = {
      {"add a column", 2, AddColumns},       {"drop a column", 2, DropAColumn},
      {"rename a column", 1, RenameAColumn}, {"widen a column", 1, WidenAColumn},
      {"move a column", 1, MoveAColumn},     {"change the spec", 2, ChangeSpec},
      {"set the sort order", 1, SetOrder},   {"set identifiers", 1, SetIdentifiers},
  };
  return kJobs;
}

}  // namespace firn::simulation
