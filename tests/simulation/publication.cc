#include "firn/base/number.h"

#include "model.h"

/// What the judge knows of staged snapshots.

namespace firn::simulation {

const Operation* Judge::FindStaging(SnapshotId snapshot_id) const {
  for (const auto& [number, operation] : operations_) {
    if (operation.is_staged && operation.snapshot_id == snapshot_id) return &operation;
  }
  return nullptr;
}

const Operation* Judge::FindOwner(const Snapshot& snapshot) {
  if (const Operation* named = FindOperation(snapshot)) return named;
  for (const auto& [number, operation] : operations_) {
    if (operation.publishes && operation.snapshot_id == snapshot.snapshot_id) return &operation;
  }
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
  NotePublished(*source, snapshot.snapshot_id);
  CheckContent(after, snapshot, *staging);
}

void Judge::NotePublished(SnapshotId staged, SnapshotId published) {
  const auto [known, is_new] = published_.emplace(staged, published);
  if (is_new) return;
  world_.Violate(fmt::format("staged snapshot {} is published twice: by snapshot {} and by {}",
                             staged, known->second, published));
}

void Judge::CheckPublished(const Operation& operation) {
  if (published_.contains(*operation.publishes)) return;
  world_.Violate(
      fmt::format("snapshot {} is said to be published, but is not", *operation.publishes));
}

void Judge::CheckPublisher(Operation& operation, std::optional<SnapshotId> snapshot_id) {
  if (operation.end != OperationEnd::kSucceeded || !operation.publishes) return;
  const auto published = published_.find(*operation.publishes);
  operation.snapshot_id = snapshot_id;
  // A table that was replaced since has forgotten.
  if (published == published_.end() || published->second == snapshot_id) return;
  world_.Violate(fmt::format("snapshot {} is said to be published by {}, but is by {}",
                             *operation.publishes, snapshot_id.value_or(0), published->second));
}

// False where another one may have published the same.
bool Judge::was_published(const Operation& operation) const {
  if (!operation.publishes || !published_.contains(*operation.publishes)) return false;
  for (const auto& [number, other] : operations_) {
    if (number != operation.number && other.publishes == operation.publishes) return false;
  }
  return true;
}

}  // namespace firn::simulation
