#include "firn/change/delete_keys.h"

#include <algorithm>
#include <utility>

#include "firn/data/deletes/equality_delete_writer.h"

namespace firn {
namespace {

bool HoldsSources(const std::vector<int32_t>& key_ids, const PartitionSpec& spec) {
  return std::all_of(spec.fields.begin(), spec.fields.end(), [&](const PartitionField& field) {
    return field.transform.kind == TransformKind::kVoid ||
           std::find(key_ids.begin(), key_ids.end(), field.source_id()) != key_ids.end();
  });
}

Result<PartitionSpecPtr> ChooseSpec(const TableMetadata& metadata,
                                    const std::vector<int32_t>& key_ids) {
  PartitionSpecPtr spec = metadata.default_spec();
  if (HoldsSources(key_ids, *spec)) return spec;
  for (const PartitionSpecPtr& other : metadata.partition_specs) {
    if (other->is_unpartitioned()) return other;
  }
  return Error(ErrorCode::kInvalidInput,
               "deletes of this key would apply to all partitions, which takes a partition spec "
               "without fields in the table; add the partition columns to the key");
}

}  // namespace

Result<CommitResult> DeleteKeys(const ChangeContext& context, const Table& table, RowStream keys,
                                const DeleteKeysRequest& request) {
  EqualityDeleteOptions options{.equality_ids = request.key_ids};
  FIRN_ASSIGN(options.spec, ChooseSpec(*table.metadata, request.key_ids));
  ChangeFilesRequest change;
  FIRN_ASSIGN(change.added_delete_files,
              WriteEqualityDeletes(context.WriteTo(table), options, std::move(keys)));
  if (change.added_delete_files.empty()) return CommitResult{.table = table};
  change.SnapshotOptions::operator=(request);
  Result<CommitResult> committed = CommitChangeFiles(context.commit, table, change);
  if (!committed.ok() && committed.error().code() != ErrorCode::kCommitUnknown) {
    DiscardOutputs(*table.io, change.added_delete_files);
  }
  return committed;
}

}  // namespace firn
