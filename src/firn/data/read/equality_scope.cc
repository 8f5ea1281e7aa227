#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/keys/key_set_internal.h"
#include "firn/data/read/delete_file_rows_internal.h"
#include "firn/data/read/equality_scope_internal.h"

namespace firn {

std::vector<int32_t> SortedEqualityIds(const DataFile& deletes) {
  std::vector<int32_t> ids = deletes.equality_ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Result<EqualityFields> FindEqualityFields(const TableMetadata& metadata,
                                          const std::vector<int32_t>& equality_ids) {
  if (equality_ids.empty()) {
    return MakeError(ErrorCode::kCorrupt, "the manifest gives no equality ids");
  }
  EqualityFields fields;
  for (const int32_t id : equality_ids) {
    FIRN_ASSIGN(NestedField path, FindFieldPath(metadata, id), "equality id {}", id);
    MakeOptional(path);
    AddFieldPath(fields.merged, path);
    fields.paths.push_back(std::move(path));
  }
  for (const int32_t id : equality_ids)
    fields.places.push_back(FindFieldPlaces(fields.merged, id));
  return fields;
}

Status VisitEqualityKeys(const ReadContext& context, const std::shared_ptr<BudgetPool>& pool,
                         const EqualityFields& fields, const DataFile& deletes,
                         const std::function<Status(std::string_view key)>& visit) {
  // Whatever its manifest tells: without one of them it would delete other rows.
  const std::vector<int32_t> ids = SortedEqualityIds(deletes);
  return VisitDeleteFile(
      context, deletes, {.wanted = fields.merged, .counted_columns = &ids, .pool = pool},
      [&](int64_t, int64_t rows,
          const std::vector<std::shared_ptr<arrow::Array>>& columns) -> Status {
        FIRN_ASSIGN(const auto keys, LeafColumns(columns, fields.places, pool.get()));
        KeyEncoder encoder(keys);
        for (int64_t row = 0; row < rows; ++row)
          FIRN_RETURN_IF_ERROR(visit(encoder.Encode(row)));
        return {};
      });
}

size_t EqualityScopes::Find(const DataFile& deletes) {
  std::vector<int32_t> ids = SortedEqualityIds(deletes);
  uint64_t hash = static_cast<uint64_t>(deletes.partition_spec_id);
  for (const int32_t id : ids)
    hash = hash * 31 + static_cast<uint64_t>(id);
  for (const Value& value : deletes.partition.fields)
    hash = hash * 31 + HashValue(value);
  std::vector<Scope>& scopes = scopes_[hash];
  for (const Scope& scope : scopes) {
    if (scope.equality_ids == ids && scope.spec_id == deletes.partition_spec_id &&
        scope.partition.fields == deletes.partition.fields) {
      return scope.number;
    }
  }
  scopes.push_back({.equality_ids = std::move(ids),
                    .spec_id = deletes.partition_spec_id,
                    .partition = deletes.partition,
                    .number = count_});
  return count_++;
}

}  // namespace firn
