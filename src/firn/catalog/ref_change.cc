#include "firn/catalog/ref_change.h"

#include <utility>

#include <fmt/format.h>

namespace firn {
namespace {

std::string_view TypeName(RefType type) { return type == RefType::kBranch ? "branch" : "tag"; }

std::string ListRefs(const TableMetadata& metadata) {
  std::vector<std::string_view> names;
  for (const auto& [name, ref] : metadata.refs)
    names.push_back(name);
  if (names.empty()) return "the table has none";
  return fmt::format("branches and tags: {}", fmt::join(names, ", "));
}

Status CheckType(const std::string& name, RefType found, RefType expected) {
  if (found == expected) return {};
  return MakeError(ErrorCode::kInvalidInput, "'{}' is a {}, expected a {}", name, TypeName(found),
                   TypeName(expected));
}

Error MissingRef(const TableMetadata& metadata, const std::string& name, RefType type) {
  return MakeError(ErrorCode::kNotFound, "there is no {} '{}'; {}", TypeName(type), name,
                   ListRefs(metadata));
}

Result<SnapshotId> ChooseSnapshot(const TableMetadata& metadata, const RefChange& change) {
  if (change.snapshot_id) {
    if (metadata.FindSnapshot(*change.snapshot_id) != nullptr) return *change.snapshot_id;
    return MakeError(ErrorCode::kNotFound,
                     "snapshot {} not found among {} snapshots of the table; list them with `firn "
                     "inspect TABLE snapshots`",
                     *change.snapshot_id, metadata.snapshots.size());
  }
  if (metadata.current_snapshot_id) return *metadata.current_snapshot_id;
  return MakeError(ErrorCode::kInvalidInput,
                   "{} '{}' needs a snapshot to name, and branch 'main' of the table has none; "
                   "write to the table before",
                   TypeName(change.type), change.name);
}

}  // namespace

Result<std::vector<TableUpdate>> PlanSetRef(const TableMetadata& metadata,
                                            const RefChange& change) {
  if (change.name.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "the name of the {} is empty",
                     TypeName(change.type));
  }
  const auto existing = metadata.refs.find(change.name);
  const bool exists = existing != metadata.refs.end();
  SnapshotRef ref;
  ref.type = change.type;
  if (exists) {
    if (change.mode == RefChange::Mode::kCreate) {
      return MakeError(ErrorCode::kAlreadyExists, "there is a {} '{}' already",
                       TypeName(existing->second.type), change.name);
    }
    FIRN_RETURN_IF_ERROR(CheckType(change.name, existing->second.type, change.type));
    if (change.mode == RefChange::Mode::kCreateIfMissing) return std::vector<TableUpdate>();
    ref = existing->second;
  } else if (change.mode == RefChange::Mode::kReplace) {
    return MissingRef(metadata, change.name, change.type);
  }
  FIRN_ASSIGN(ref.snapshot_id, ChooseSnapshot(metadata, change));
  if (change.max_ref_age_ms) ref.max_ref_age_ms = change.max_ref_age_ms;
  if (change.min_snapshots_to_keep) ref.min_snapshots_to_keep = change.min_snapshots_to_keep;
  if (change.max_snapshot_age_ms) ref.max_snapshot_age_ms = change.max_snapshot_age_ms;
  if (exists && ref == existing->second) return std::vector<TableUpdate>();
  return std::vector<TableUpdate>{SetSnapshotRef{change.name, std::move(ref)}};
}

Result<std::vector<TableUpdate>> PlanDropRef(const TableMetadata& metadata, const std::string& name,
                                             RefType type, bool is_missing_fine) {
  if (name == kMainBranch) {
    return MakeError(ErrorCode::kInvalidInput, "branch 'main' is the table itself and stays");
  }
  const auto existing = metadata.refs.find(name);
  if (existing == metadata.refs.end()) {
    if (is_missing_fine) return std::vector<TableUpdate>();
    return MissingRef(metadata, name, type);
  }
  FIRN_RETURN_IF_ERROR(CheckType(name, existing->second.type, type));
  return std::vector<TableUpdate>{RemoveSnapshotRef{name}};
}

}  // namespace firn
