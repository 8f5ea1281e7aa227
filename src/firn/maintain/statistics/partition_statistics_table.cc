#include "firn/maintain/statistics/partition_statistics_table.h"

#include <algorithm>
#include <utility>

#include "firn/data/value_file.h"
#include "firn/maintain/statistics/partition_totals_internal.h"

namespace firn {

TypePtr PartitionStatisticsTableType(const TableMetadata& metadata) {
  std::vector<NestedField> fields = PartitionStatisticsSchema(metadata).fields();
  const auto next =
      std::max_element(fields.begin(), fields.end(),
                       [](const NestedField& a, const NestedField& b) { return a.id < b.id; });
  fields.insert(fields.begin(), NestedField{.id = next->id + 1,
                                            .name = "snapshot_id",
                                            .type = Type::Primitive(TypeId::kLong),
                                            .required = true});
  return Type::Struct(std::move(fields));
}

Status VisitPartitionStatistics(const ReadContext& context, const Snapshot* snapshot,
                                const std::function<Status(StructValue&&)>& visit) {
  if (snapshot == nullptr) return {};
  const TableMetadata& metadata = *context.metadata;
  for (const Snapshot* ancestor : AncestorsOf(metadata, snapshot->snapshot_id)) {
    const auto file =
        std::find_if(metadata.partition_statistics.begin(), metadata.partition_statistics.end(),
                     [&](const PartitionStatisticsFile& known) {
                       return known.snapshot_id == ancestor->snapshot_id;
                     });
    if (file == metadata.partition_statistics.end()) continue;
    return ReadValueFile(context, file->path, file->file_size_in_bytes,
                         PartitionStatisticsSchema(metadata), [&](StructValue&& row) {
                           row.fields.insert(row.fields.begin(), Value(file->snapshot_id));
                           return visit(std::move(row));
                         });
  }
  return {};
}

}  // namespace firn
