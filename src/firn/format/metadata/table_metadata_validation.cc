#include <unordered_set>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/format/metadata/table_metadata_internal.h"

namespace firn {
namespace {

// Clocks of writers differ; logs may step back by this much.
constexpr std::chrono::milliseconds kClockTolerance{60'000};

class MetadataValidator {
 public:
  explicit MetadataValidator(const TableMetadata& metadata) : metadata_(metadata) {}

  Status Run() {
    FIRN_RETURN_IF_ERROR(CheckIdentity());
    FIRN_RETURN_IF_ERROR(CheckSchemas());
    FIRN_RETURN_IF_ERROR(CheckSpecs());
    FIRN_RETURN_IF_ERROR(CheckSortOrders());
    FIRN_RETURN_IF_ERROR(CheckSnapshots());
    FIRN_RETURN_IF_ERROR(CheckParents());
    FIRN_RETURN_IF_ERROR(CheckCurrentSnapshot());
    FIRN_RETURN_IF_ERROR(CheckRefs());
    FIRN_RETURN_IF_ERROR(CheckLog("snapshot-log", metadata_.snapshot_log));
    return CheckLog("metadata-log", metadata_.metadata_log);
  }

 private:
  template <typename... Args>
  static Error Fail(fmt::format_string<Args...> text, Args&&... args) {
    return MakeError(ErrorCode::kCorrupt, text, std::forward<Args>(args)...);
  }

  Status CheckIdentity() const {
    if (metadata_.format_version > 1 && metadata_.table_uuid.empty()) {
      return Fail("table-uuid: found \"\", expected a UUID");
    }
    if (metadata_.location.empty()) return Fail("location: found \"\", expected a URI");
    if (metadata_.last_sequence_number < 0) {
      return Fail("last-sequence-number: found {}, expected 0 or more",
                  metadata_.last_sequence_number);
    }
    if (metadata_.next_row_id < 0) {
      return Fail("next-row-id: found {}, expected 0 or more", metadata_.next_row_id);
    }
    return {};
  }

  Status CheckSchemas() const {
    std::unordered_set<int32_t> ids;
    for (size_t i = 0; i < metadata_.schemas.size(); ++i) {
      const Schema& schema = *metadata_.schemas[i];
      if (!ids.insert(schema.schema_id()).second) {
        return Fail("schemas[{}].schema-id: {} stands twice", i, schema.schema_id());
      }
      FIRN_RETURN_IF_ERROR(ValidateSchema(schema, metadata_.format_version, SchemaUse::kStored),
                           "schemas[{}]", i);
    }
    return CheckCurrentSchemaId(metadata_);
  }

  Status CheckSpecs() const {
    std::unordered_set<int32_t> ids;
    for (size_t i = 0; i < metadata_.partition_specs.size(); ++i) {
      const int32_t id = metadata_.partition_specs[i]->spec_id;
      if (!ids.insert(id).second)
        return Fail("partition-specs[{}].spec-id: {} stands twice", i, id);
    }
    const PartitionSpecPtr spec = metadata_.default_spec();
    if (!spec) {
      return Fail("default-spec-id: found {}, expected the id of one of 'partition-specs'",
                  metadata_.default_spec_id);
    }
    // Sources of older specs may be gone, so only the default one must fit the schema.
    FIRN_RETURN_IF_ERROR(ValidatePartitionSpec(*spec, *metadata_.current_schema()),
                         "partition-specs: spec {}", spec->spec_id);
    return {};
  }

  Status CheckSortOrders() const {
    std::unordered_set<int32_t> ids;
    for (size_t i = 0; i < metadata_.sort_orders.size(); ++i) {
      const SortOrder& order = metadata_.sort_orders[i];
      if (!ids.insert(order.order_id).second) {
        return Fail("sort-orders[{}].order-id: {} stands twice", i, order.order_id);
      }
      if ((order.order_id == 0) != order.fields.empty()) {
        return Fail("sort-orders[{}]: order {} has {} fields, expected none for order 0 only", i,
                    order.order_id, order.fields.size());
      }
    }
    const SortOrder* order = metadata_.FindSortOrder(metadata_.default_sort_order_id);
    if (order == nullptr) {
      return Fail("default-sort-order-id: found {}, expected the id of one of 'sort-orders'",
                  metadata_.default_sort_order_id);
    }
    FIRN_RETURN_IF_ERROR(ValidateSortOrder(*order, *metadata_.current_schema()),
                         "sort-orders: order {}", order->order_id);
    return {};
  }

  Status CheckSnapshots() {
    snapshots_ = IndexSnapshots(metadata_);
    for (size_t i = 0; i < metadata_.snapshots.size(); ++i) {
      const Snapshot& snapshot = metadata_.snapshots[i];
      if (snapshots_.at(snapshot.snapshot_id) != &snapshot) {
        return Fail("snapshots[{}].snapshot-id: {} stands twice", i, snapshot.snapshot_id);
      }
      if (metadata_.format_version == 1) continue;
      if (snapshot.manifest_list.empty()) {
        return Fail("snapshots[{}]: required field 'manifest-list' is missing (format version {})",
                    i, metadata_.format_version);
      }
      if (snapshot.sequence_number < 0 ||
          snapshot.sequence_number > metadata_.last_sequence_number) {
        return Fail(
            "snapshots[{}].sequence-number: found {}, expected 0 to the {} of "
            "'last-sequence-number'",
            i, snapshot.sequence_number, metadata_.last_sequence_number);
      }
    }
    return {};
  }

  // Walk up from each snapshot until a place that an earlier walk has seen.
  Status CheckParents() const {
    std::unordered_map<SnapshotId, size_t> seen_in_walk;
    seen_in_walk.reserve(metadata_.snapshots.size());
    for (size_t walk = 0; walk < metadata_.snapshots.size(); ++walk) {
      const Snapshot* snapshot = &metadata_.snapshots[walk];
      while (snapshot != nullptr) {
        const auto [seen, is_new] = seen_in_walk.emplace(snapshot->snapshot_id, walk);
        if (!is_new && seen->second != walk) break;
        if (!is_new) {
          return Fail("snapshots: snapshot {} is its own ancestor by 'parent-snapshot-id'",
                      snapshot->snapshot_id);
        }
        if (!snapshot->parent_snapshot_id) break;
        const auto parent = snapshots_.find(*snapshot->parent_snapshot_id);
        snapshot = parent == snapshots_.end() ? nullptr : parent->second;
      }
    }
    return {};
  }

  Status CheckCurrentSnapshot() const {
    const auto main = metadata_.refs.find(kMainBranch);
    const std::optional<SnapshotId>& current = metadata_.current_snapshot_id;
    if (current && !snapshots_.contains(*current)) {
      return Fail("current-snapshot-id: found {}, expected the id of one of 'snapshots'", *current);
    }
    if (current.has_value() != (main != metadata_.refs.end())) {
      return Fail("refs: there is {} branch 'main', but {} 'current-snapshot-id'",
                  current ? "no" : "a", current ? "a" : "no");
    }
    if (!current) return {};
    if (main->second.type != RefType::kBranch) {
      return Fail("refs.main.type: found \"tag\", expected \"branch\"");
    }
    if (main->second.snapshot_id != *current) {
      return Fail("refs.main.snapshot-id: found {}, expected the {} of 'current-snapshot-id'",
                  main->second.snapshot_id, *current);
    }
    return {};
  }

  Status CheckRefs() const {
    for (const auto& [name, ref] : metadata_.refs) {
      if (!snapshots_.contains(ref.snapshot_id)) {
        return Fail("refs.{}.snapshot-id: found {}, expected the id of one of 'snapshots'", name,
                    ref.snapshot_id);
      }
      FIRN_RETURN_IF_ERROR(CheckPositive(name, "min-snapshots-to-keep", ref.min_snapshots_to_keep));
      FIRN_RETURN_IF_ERROR(CheckPositive(name, "max-snapshot-age-ms", ref.max_snapshot_age_ms));
      FIRN_RETURN_IF_ERROR(CheckPositive(name, "max-ref-age-ms", ref.max_ref_age_ms));
    }
    return {};
  }

  static Status CheckPositive(std::string_view ref, std::string_view field,
                              std::optional<int64_t> value) {
    if (!value || *value > 0) return {};
    return Fail("refs.{}.{}: found {}, expected more than 0", ref, field, *value);
  }

  template <typename Entry>
  Status CheckLog(std::string_view name, const std::vector<Entry>& log) const {
    for (size_t i = 1; i < log.size(); ++i) {
      if (log[i].timestamp + kClockTolerance < log[i - 1].timestamp) {
        return Fail("{}[{}].timestamp-ms: found {}, more than 60 s before the entry before it ({})",
                    name, i, FormatInstant(log[i].timestamp), FormatInstant(log[i - 1].timestamp));
      }
    }
    if (!log.empty() && log.back().timestamp > metadata_.last_updated + kClockTolerance) {
      return Fail("last-updated-ms: found {}, more than 60 s before the last entry of '{}' ({})",
                  FormatInstant(metadata_.last_updated), name, FormatInstant(log.back().timestamp));
    }
    return {};
  }

  const TableMetadata& metadata_;
  std::unordered_map<SnapshotId, const Snapshot*> snapshots_;
};

}  // namespace

Status CheckCurrentSchemaId(const TableMetadata& metadata) {
  if (metadata.current_schema()) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "current-schema-id: found {}, expected the id of one of 'schemas'",
                   metadata.current_schema_id);
}

Status ValidateTableMetadata(const TableMetadata& metadata) {
  return MetadataValidator(metadata).Run();
}

}  // namespace firn
