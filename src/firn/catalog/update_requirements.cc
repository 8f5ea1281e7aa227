#include <algorithm>
#include <utility>

#include "firn/catalog/table_evolution.h"

namespace firn {
namespace {

// Collects requirements, each once, while it walks over updates.
class RequirementCollector {
 public:
  explicit RequirementCollector(const TableMetadata& base) : base_(base) {
    if (!base.table_uuid.empty()) requirements_.emplace_back(AssertTableUuid{base.table_uuid});
  }

  void Visit(const AddSchema& update) {
    AddOnce(AssertLastAssignedFieldId{base_.last_column_id});
    if (!LosesColumns(update.schema)) return;
    // By none of them are rows partitioned or sorted, and so it must be.
    AddOnce(AssertDefaultSpecId{base_.default_spec_id});
    AddOnce(AssertDefaultSortOrderId{base_.default_sort_order_id});
  }
  void Visit(const SetCurrentSchema&) { AddOnce(AssertCurrentSchemaId{base_.current_schema_id}); }
  void Visit(const AddPartitionSpec&) {
    AddOnce(AssertLastAssignedPartitionId{base_.last_partition_id});
  }
  void Visit(const SetDefaultSpec&) { AddOnce(AssertDefaultSpecId{base_.default_spec_id}); }
  void Visit(const SetDefaultSortOrder&) {
    AddOnce(AssertDefaultSortOrderId{base_.default_sort_order_id});
  }
  void Visit(const SetSnapshotRef& update) { AddRef(update.name); }
  void Visit(const RemoveSnapshotRef& update) { AddRef(update.name); }
  // A writer to a branch may count on any of them.
  void Visit(const RemovePartitionSpecs&) {
    AddOnce(AssertDefaultSpecId{base_.default_spec_id});
    AddBranches();
  }
  void Visit(const RemoveSchemas&) {
    AddOnce(AssertCurrentSchemaId{base_.current_schema_id});
    AddBranches();
  }
  // A ref that has moved may name one of them, or need it as history.
  void Visit(const RemoveSnapshots&) {
    for (const auto& [name, ref] : base_.refs)
      AddRef(name);
  }
  template <typename Update>
  void Visit(const Update&) {}

  std::vector<TableRequirement> Take() && { return std::move(requirements_); }

 private:
  bool LosesColumns(const SchemaPtr& next) const {
    const SchemaPtr now = base_.current_schema();
    if (now == nullptr || next == nullptr) return false;
    const auto& fields = now->fields();
    return std::any_of(fields.begin(), fields.end(), [&](const NestedField& field) {
      return next->FindField(field.id) == nullptr;
    });
  }

  template <typename Requirement>
  void AddOnce(Requirement requirement) {
    const bool is_there = std::any_of(
        requirements_.begin(), requirements_.end(),
        [](const TableRequirement& other) { return std::holds_alternative<Requirement>(other); });
    if (!is_there) requirements_.emplace_back(std::move(requirement));
  }

  void AddRef(const std::string& name) {
    for (const TableRequirement& other : requirements_) {
      const auto* ref = std::get_if<AssertRefSnapshotId>(&other);
      if (ref != nullptr && ref->ref == name) return;
    }
    const auto found = base_.refs.find(name);
    requirements_.emplace_back(AssertRefSnapshotId{
        name, found == base_.refs.end() ? std::nullopt : std::optional(found->second.snapshot_id)});
  }

  // Main too, also where it is not there yet: its first snapshot may need what is to go.
  void AddBranches() {
    AddRef(std::string(kMainBranch));
    for (const auto& [name, ref] : base_.refs) {
      if (ref.type == RefType::kBranch && name != kMainBranch) AddRef(name);
    }
  }

  const TableMetadata& base_;
  std::vector<TableRequirement> requirements_;
};

}  // namespace

std::vector<TableRequirement> MakeRequirements(const TableMetadata& base,
                                               std::span<const TableUpdate> updates) {
  RequirementCollector collector(base);
  for (const TableUpdate& update : updates) {
    std::visit([&](const auto& one) { collector.Visit(one); }, update);
  }
  return std::move(collector).Take();
}

}  // namespace firn
