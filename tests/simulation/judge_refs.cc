#include <algorithm>

#include "model.h"

/// What the judge knows of branches and tags, and of histories.

namespace firn::simulation {

bool Judge::is_ancestor(SnapshotId ancestor, SnapshotId snapshot_id) const {
  std::set<SnapshotId> seen;
  std::optional<SnapshotId> at = snapshot_id;
  while (at && *at != ancestor && seen.insert(*at).second) {
    const auto replaced = replaced_.find(*at);
    const auto parent = parents_.find(*at);
    if (replaced != replaced_.end()) {
      at = replaced->second;
    } else {
      at = parent == parents_.end() ? std::nullopt : std::optional(parent->second);
    }
  }
  return at == ancestor;
}

bool Judge::is_in_history(SnapshotId ancestor, SnapshotId snapshot_id) const {
  SnapshotId at = snapshot_id;
  while (at != ancestor) {
    const auto parent = parents_.find(at);
    if (parent == parents_.end()) return false;
    at = parent->second;
  }
  return true;
}

void Judge::CheckRefs(const TableMetadata& before, const TableMetadata& after, const Added& added) {
  for (const auto& [name, ref] : before.refs) {
    if (!after.refs.contains(name)) CheckRefGone(before, name);
  }
  for (const auto& [name, ref] : after.refs) {
    const auto known = before.refs.find(name);
    const bool has_moved =
        known == before.refs.end() || known->second.snapshot_id != ref.snapshot_id;
    if (has_moved) CheckRefMove(before, after, name, added);
    if (known != before.refs.end() && known->second.type != ref.type) {
      world_.Violate(fmt::format("ref '{}' became one of another kind", name));
    }
  }
  if (!added.empty()) CheckStaged(before, *added.front());
  const auto main = after.refs.find(kMainBranch);
  const bool is_current = main == after.refs.end()
                              ? !after.current_snapshot_id
                              : after.current_snapshot_id == main->second.snapshot_id;
  if (!is_current) world_.Violate("the current snapshot is not that of main");
  if (after.current_snapshot_id == before.current_snapshot_id) return;
  const auto& log = after.snapshot_log;
  if (log.empty() || log.back().snapshot_id != after.current_snapshot_id) {
    world_.Violate("the snapshot log does not end with the current snapshot");
  }
}

// Whether it is what the operation at work, or one whose request may come late, was to do.
bool Judge::IsMoveAllowed(const TableMetadata& before, const std::string& name,
                          std::optional<SnapshotId> now) {
  const auto allows = [&](const Operation& operation) {
    return operation.moves && operation.moves->ref == name && operation.moves->allows(before, now);
  };
  if (Operation* own = CurrentOperation()) {
    if (!allows(*own)) return false;
    own->was_moved = true;
    return true;
  }
  return std::any_of(operations_.begin(), operations_.end(), [&](const auto& numbered) {
    return numbered.second.end != OperationEnd::kFailed && allows(numbered.second);
  });
}

void Judge::CheckRefGone(const TableMetadata& before, const std::string& name) {
  const SnapshotRef& ref = before.refs.at(name);
  const Snapshot* snapshot = before.FindSnapshot(ref.snapshot_id);
  const auto age = world_.now() - (snapshot == nullptr ? Timestamp() : snapshot->timestamp);
  constexpr std::chrono::milliseconds kClocksApart{5000};
  const bool is_over = is_expiring() && ref.max_ref_age_ms && name != kMainBranch &&
                       age + kClocksApart > std::chrono::milliseconds(*ref.max_ref_age_ms);
  if (!IsMoveAllowed(before, name, std::nullopt) && !is_over) {
    world_.Violate(fmt::format("ref '{}' is lost", name));
  }
  ++dropped_count_;
  if (ref.type == RefType::kBranch) NoteLeft(name, std::nullopt);
  for (auto& [number, operation] : operations_) {
    if (operation.made_ref == name) operation.is_done = nullptr;
  }
}

// Operations are in their branch if its head follows them.
void Judge::NoteLeft(const std::string& branch, std::optional<SnapshotId> head) {
  for (auto& [number, operation] : operations_) {
    if (operation.branch != branch || !operation.snapshot_id) continue;
    operation.was_left = !head || !is_ancestor(*operation.snapshot_id, *head);
  }
}

void Judge::CheckRefMove(const TableMetadata& before, const TableMetadata& after,
                         const std::string& name, const Added& added) {
  const SnapshotRef& ref = after.refs.at(name);
  const SnapshotId now = ref.snapshot_id;
  const auto known = before.refs.find(name);
  std::optional<SnapshotId> head;
  if (known != before.refs.end()) head = known->second.snapshot_id;
  if (!added.empty() && now == added.back()->snapshot_id) {
    CheckCommitted(name, head, added);
    return;
  }
  const Operation* own = CurrentOperation();
  const bool is_published = name == kMainBranch && FindStaging(now) != nullptr;
  if (is_published && (own == nullptr || own->publishes) &&
      after.FindSnapshot(now)->parent_snapshot_id == head) {
    NotePublished(now, now, head);
    // What was put off may as well be a move of main.
    if (own == nullptr && IsMoveAllowed(before, name, now)) unclear_publications_.insert(now);
    NoteLeft(name, now);
    return;
  }
  // A new ref is asked for by name.
  const bool is_made = known == before.refs.end() && name != kMainBranch;
  if (!is_made && !IsMoveAllowed(before, name, now)) {
    world_.Violate(fmt::format("ref '{}' moved without a new snapshot", name));
  }
  if (ref.type == RefType::kBranch) NoteLeft(name, now);
}

// A branch follows new snapshots that stand on its head.
void Judge::CheckCommitted(const std::string& name, std::optional<SnapshotId> head,
                           const Added& added) {
  const Operation* operation = FindOperation(*added.back());
  const bool is_new_history = operation != nullptr && operation->replaces_table;
  const SnapshotId first = added.front()->snapshot_id;
  const auto& parent = added.front()->parent_snapshot_id;
  const bool follows = is_new_history ? !parent : parent == head;
  if (!follows) {
    world_.Violate(fmt::format("snapshot {} does not follow the head of '{}'", first, name));
  }
  if (is_new_history && head) replaced_[first] = *head;
  if (operation != nullptr && (operation->branch != name || operation->is_staged)) {
    world_.Violate(fmt::format("{} moved branch '{}'", Describe(*operation), name));
  }
}

}  // namespace firn::simulation
