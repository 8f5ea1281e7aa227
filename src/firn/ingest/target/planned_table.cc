#include <utility>

#include "firn/ingest/target/planned_table_internal.h"

namespace firn {
namespace {

Result<TableMetadata> Apply(const TableMetadata& metadata, const std::vector<TableUpdate>& updates,
                            Clock& clock) {
  return ApplyUpdates(&metadata, "", updates, clock.Now());
}

// A column that came with the plan: another writer may have been given its id meanwhile.
Status CheckNewColumns(const TableMetadata& written, const TableMetadata& now,
                       int32_t last_known_id) {
  const SchemaPtr before = written.current_schema();
  const SchemaPtr after = now.current_schema();
  for (int32_t id = last_known_id + 1; id <= before->highest_field_id(); ++id) {
    const NestedField* column = before->FindField(id);
    if (column == nullptr) continue;
    const NestedField* found = after->FindField(id);
    const bool is_same = found != nullptr && before->FullName(id) == after->FullName(id) &&
                         *found->type == *column->type;
    if (is_same) continue;
    return MakeError(ErrorCode::kCommitConflict,
                     "another writer changed the table's columns while rows with the new column "
                     "'{}' were written; run the operation again",
                     before->FullName(id));
  }
  return {};
}

Status CheckSame(const TableMetadata& written, const TableMetadata& now) {
  const bool is_same = written.current_schema()->IsSameAs(*now.current_schema()) &&
                       written.default_spec_id == now.default_spec_id &&
                       written.default_spec()->fields == now.default_spec()->fields &&
                       written.format_version == now.format_version;
  if (is_same) return {};
  return Error(ErrorCode::kCommitConflict,
               "another writer changed columns or partitions of the table while rows were written "
               "to replace it; run the operation again");
}

}  // namespace

Result<PlannedTable> PlanTable(const Table& table, const PlanUpdates& plan, ReplannedFit fit,
                               Clock& clock) {
  FIRN_ASSIGN(const std::vector<TableUpdate> updates, plan(*table.metadata));
  FIRN_ASSIGN(TableMetadata planned, Apply(*table.metadata, updates, clock));
  const auto written = std::make_shared<const TableMetadata>(std::move(planned));
  const int32_t last_known_id = table.metadata->last_column_id;
  PlannedTable result{.table = table, .changes = nullptr};
  result.table.metadata = written;
  result.changes = [plan, fit, written, last_known_id, clock = &clock](
                       const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    FIRN_ASSIGN(std::vector<TableUpdate> again, plan(metadata));
    FIRN_ASSIGN(const TableMetadata now, Apply(metadata, again, *clock));
    FIRN_RETURN_IF_ERROR(fit == ReplannedFit::kSame
                             ? CheckSame(*written, now)
                             : CheckNewColumns(*written, now, last_known_id));
    return again;
  };
  return result;
}

}  // namespace firn
