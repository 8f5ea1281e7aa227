#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "firn/maintain/expiry/unused_layout_internal.h"

namespace firn {
namespace {

Result<std::set<int32_t>> FindUsedSpecs(const MaintainContext& context, FileIO& io,
                                        const TableMetadata& metadata,
                                        const std::vector<const Snapshot*>& kept) {
  std::set<int32_t> used = {metadata.default_spec_id};
  std::mutex mutex;
  const auto read = [&](size_t index) -> Status {
    {
      const std::lock_guard lock(mutex);
      if (used.size() == metadata.partition_specs.size()) return {};
    }
    FIRN_ASSIGN(const auto manifests, ReadManifests(io, *kept[index]));
    const std::lock_guard lock(mutex);
    for (const ManifestFile& manifest : manifests)
      used.insert(manifest.partition_spec_id);
    return {};
  };
  if (metadata.partition_specs.size() > 1) {
    FIRN_RETURN_IF_ERROR(
        ParallelFor(*context.commit.executor, kept.size(), read, context.commit.cancel));
  }
  return used;
}

std::set<int32_t> FindUsedSchemas(const TableMetadata& metadata,
                                  const std::vector<const Snapshot*>& kept,
                                  const std::set<int32_t>& used_specs) {
  std::set<int32_t> used = {metadata.current_schema_id};
  for (const Snapshot* snapshot : kept) {
    if (snapshot->schema_id) {
      used.insert(*snapshot->schema_id);
      continue;
    }
    for (const SchemaPtr& schema : metadata.schemas)
      used.insert(schema->schema_id());
    return used;
  }
  const std::vector<SchemaPtr> newest_first = metadata.SchemasNewestFirst();
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    if (!used_specs.contains(spec->spec_id)) continue;
    for (const PartitionField& field : spec->fields) {
      const auto source = std::find_if(
          newest_first.begin(), newest_first.end(),
          [&](const SchemaPtr& schema) { return schema->FindField(field.source_id()) != nullptr; });
      // The one that partition types come from.
      if (source != newest_first.end()) used.insert((*source)->schema_id());
    }
  }
  return used;
}

}  // namespace

Result<UnusedLayout> FindUnusedLayout(const MaintainContext& context, FileIO& io,
                                      const TableMetadata& metadata,
                                      const std::vector<const Snapshot*>& kept) {
  FIRN_ASSIGN(const auto used_specs, FindUsedSpecs(context, io, metadata, kept));
  const auto used_schemas = FindUsedSchemas(metadata, kept, used_specs);
  UnusedLayout unused;
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    if (!used_specs.contains(spec->spec_id)) unused.spec_ids.push_back(spec->spec_id);
  }
  for (const SchemaPtr& schema : metadata.schemas) {
    if (!used_schemas.contains(schema->schema_id())) {
      unused.schema_ids.push_back(schema->schema_id());
    }
  }
  return unused;
}

}  // namespace firn
