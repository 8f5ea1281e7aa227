#include <algorithm>

#include "firn/base/number.h"

#include "model.h"

/// What the judge knows of staged snapshots.

namespace firn::simulation {

const Operation* Judge::FindStaging(SnapshotId snapshot_id) const {
  for (const auto& [number, operation] : operations_) {
    const bool is_append = operation.is_staged || !operation.rows.empty();
    if (is_append && operation.snapshot_id == snapshot_id) return &operation;
  }
  return nullptr;
}

const Operation* Judge::FindOwner(const Snapshot& snapshot) {
  if (const Operation* named = FindOperation(snapshot)) return named;
  for (const auto& [number, operation] : operations_) {
    if (operation.publishes && operation.snapshot_id == snapshot.snapshot_id) return &operation;
  }
  const auto maker = makers_.find(snapshot.manifest_list);
  if (maker != makers_.end()) return &operations_.at(maker->second);
  return nullptr;
}

// A staged snapshot stands on the head of `main`, which stays where it is.
void Judge::CheckStaged(const TableMetadata& before, const Snapshot& added) {
  const Operation* operation = FindOperation(added);
  if (operation == nullptr || !operation->is_staged) return;
  if (added.parent_snapshot_id == before.current_snapshot_id) return;
  world_.Violate(
      fmt::format("staged snapshot {} does not follow the head of main", added.snapshot_id));
}

// The rows of a staged snapshot come to `main` once more, by another snapshot.
void Judge::CheckPublication(const Table& after, const Snapshot& snapshot) {
  const auto source = ParseInt64(snapshot.summary.Find("source-snapshot-id").value_or(""));
  const Operation* staging = source ? FindStaging(*source) : nullptr;
  if (staging == nullptr) {
    world_.Violate(fmt::format("snapshot {} of no operation", snapshot.snapshot_id));
    return;
  }
  NotePublished(*source, snapshot.snapshot_id, snapshot.parent_snapshot_id);
  CheckContent(after, snapshot, *staging);
}

void Judge::NotePublished(SnapshotId staged, SnapshotId published,
                          std::optional<SnapshotId> main_before) {
  const auto [begin, end] = published_.equal_range(staged);
  for (auto at = begin; at != end; ++at) {
    if (!main_before || !is_in_history(at->second, *main_before)) continue;
    world_.Violate(fmt::format("staged snapshot {} is published twice: by snapshot {} and by {}",
                               staged, at->second, published));
  }
  published_.emplace(staged, published);
}

void Judge::CheckPublished(const Operation& operation) {
  if (published_.contains(*operation.publishes)) return;
  // Main may have been put on it, or on what followed it.
  if (metadata().current_snapshot_id &&
      is_ancestor(*operation.publishes, *metadata().current_snapshot_id)) {
    return;
  }
  if (has_moves_) return;
  world_.Violate(
      fmt::format("snapshot {} is said to be published, but is not", *operation.publishes));
}

bool Judge::is_published_by(SnapshotId staged, std::optional<SnapshotId> published) const {
  const auto [begin, end] = published_.equal_range(staged);
  return std::any_of(begin, end, [&](const auto& entry) { return entry.second == published; });
}

void Judge::CheckPublisher(Operation& operation, std::optional<SnapshotId> snapshot_id) {
  if (operation.end != OperationEnd::kSucceeded || !operation.publishes) return;
  operation.snapshot_id = snapshot_id;
  const auto head = metadata().current_snapshot_id;
  operation.was_left = has_moves_ && snapshot_id && head && !is_ancestor(*snapshot_id, *head);
  if (is_published_by(*operation.publishes, snapshot_id)) return;
  // Main was put on the staged snapshot itself, or is there.
  if (has_moves_ && snapshot_id == operation.publishes) return;
  world_.Violate(fmt::format("snapshot {} is said to be published by {}, but is not",
                             *operation.publishes, snapshot_id.value_or(0)));
}

// False where another one may have published the same.
bool Judge::was_published(const Operation& operation) const {
  if (!operation.publishes || !published_.contains(*operation.publishes)) return false;
  if (unclear_publications_.contains(*operation.publishes)) return false;
  for (const auto& [number, other] : operations_) {
    if (number != operation.number && other.publishes == operation.publishes) return false;
  }
  return true;
}

}  // namespace firn::simulation
