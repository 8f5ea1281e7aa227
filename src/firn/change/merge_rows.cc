#include "firn/change/merge_rows.h"

#include <algorithm>
#include <utility>

#include "firn/format/schema/column_lookup.h"
#include "firn/scan/scan.h"

namespace firn {
namespace {

Result<int32_t> FindKeyColumn(const Schema& schema, const std::string& name) {
  FIRN_ASSIGN(const NestedField* field, FindColumn(schema, name), "key");
  if (!field->type->is_primitive() || !schema.StructPath(field->id)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "column '{}' cannot be part of a key: it is {}, expected a primitive column "
                     "outside lists and maps",
                     name,
                     field->type->is_primitive() ? "inside a list or a map"
                                                 : "of type " + FormatType(*field->type));
  }
  return field->id;
}

Result<std::vector<int32_t>> ChooseKey(const Schema& schema, const std::vector<std::string>& key) {
  if (key.empty() && schema.identifier_field_ids().empty()) {
    return Error(ErrorCode::kInvalidInput,
                 "no key: name the columns by which rows are matched (--key a,b), or set the "
                 "table's identifier fields");
  }
  if (key.empty()) return schema.identifier_field_ids();
  std::vector<int32_t> ids;
  for (const std::string& name : key) {
    FIRN_ASSIGN(const int32_t id, FindKeyColumn(schema, name));
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      return MakeError(ErrorCode::kInvalidInput, "key column '{}' is given twice", name);
    }
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<FileScanTask>> PlanCandidates(const ChangeContext& context, const Table& table,
                                                 SnapshotId head, const ExpressionPtr& condition) {
  ScanOptions scan;
  scan.snapshot_id = head;
  scan.schema = table.metadata->current_schema();
  scan.filter = condition;
  const CommitContext& commit = context.commit;
  return PlanAllFiles(*table.io, *table.metadata, scan, *commit.executor, commit.cancel);
}

}  // namespace

Result<MergeRowsResult> MergeRows(const ChangeContext& context, const Table& table, RowStream rows,
                                  const MergeRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(ReplaceRowsRequest replace,
              PrepareReplacement(metadata, "merge", request.mode, request));
  KeyedRowsOptions options{.duplicates = request.duplicates};
  FIRN_ASSIGN(options.key_ids, ChooseKey(*metadata.current_schema(), request.key));
  const ReadContext read = context.ReadFrom(table);
  FIRN_ASSIGN(const auto keyed, KeyedRows::Read(read, options, std::move(rows)));
  replace.condition = keyed->Condition();
  if (replace.head) {
    FIRN_ASSIGN(replace.files, PlanCandidates(context, table, *replace.head, replace.condition));
  }
  FIRN_ASSIGN(replace.positions, keyed->Find(replace.files));
  const int64_t updated = keyed->found_keys();
  const int64_t inserted = keyed->row_count() - updated;
  replace.has_lineage = keyed->has_lineage();
  if (keyed->row_count() > 0) {
    FIRN_ASSIGN(replace.rows, keyed->Take());
  }
  replace.is_update = true;
  MergeRowsResult result;
  FIRN_ASSIGN(static_cast<ReplaceRowsResult&>(result),
              ReplaceRows(context, table, std::move(replace)));
  if (!result.is_repeat) {
    result.updated_rows = updated;
    result.inserted_rows = inserted;
  }
  return result;
}

}  // namespace firn
