#include "firn/data/changes/changelog.h"

#include <numeric>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/changes/changed_rows_internal.h"
#include "firn/data/sort/row_sorter.h"

namespace firn {
namespace {

// Reserved by Java for columns of changes.
constexpr int32_t kChangeTypeFieldId = 2147483543;
constexpr int32_t kChangeOrdinalFieldId = 2147483542;
constexpr int32_t kCommitSnapshotIdFieldId = 2147483541;

NestedField ChangeField(int32_t id, std::string name, TypeId type) {
  return {.id = id, .name = std::move(name), .type = Type::Primitive(type), .required = true};
}

// Rows that a snapshot both deleted and added may be the same ones.
bool NeedsComparison(const SnapshotChanges& changes) {
  const bool has_deleted = !changes.removed.empty() || !changes.changed.empty();
  return has_deleted && (!changes.added.empty() || !changes.changed.empty());
}

std::unique_ptr<BatchStream> Compare(const ReadContext& context, std::unique_ptr<BatchStream> rows,
                                     const RowIdentity& identity, const std::string& spill_folder) {
  const RowSortContext sort{
      .budget = context.budget, .cancel = context.cancel, .spill_folder = spill_folder};
  return CancelChanges(SortRows(sort, MakeChangeKeys(identity), std::move(rows)), identity,
                       BudgetPool::Make(context.budget->total_bytes()));
}

// All changes of the snapshots, compared within each of them if that is wanted.
class SnapshotsRows final : public BatchStream {
 public:
  SnapshotsRows(const ReadContext& context, std::vector<const Snapshot*> snapshots,
                PlanChanges plan, SchemaPtr schema, RowIdentity identity,
                const std::string& spill_folder)
      : context_(context),
        snapshots_(std::move(snapshots)),
        plan_(std::move(plan)),
        schema_(std::move(schema)),
        identity_(std::move(identity)),
        spill_folder_(spill_folder) {}

  Status Prepare() {
    FIRN_ASSIGN(arrow_schema_, ToArrowSchema(schema_->fields()));
    return {};
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return arrow_schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      FIRN_RETURN_IF_ERROR(context_.cancel.Check());
      if (rows_ != nullptr) {
        const SnapshotId id = snapshots_[next_ - 1]->snapshot_id;
        FIRN_ASSIGN(auto batch, rows_->Next(), "changes of snapshot {}", id);
        if (batch != nullptr) return batch;
        rows_ = nullptr;
      }
      if (next_ == snapshots_.size()) return std::shared_ptr<arrow::RecordBatch>();
      FIRN_RETURN_IF_ERROR(OpenNext());
    }
  }

 private:
  Status OpenNext() {
    const auto ordinal = static_cast<int32_t>(next_);
    const Snapshot& snapshot = *snapshots_[next_++];
    FIRN_ASSIGN(SnapshotChanges changes, plan_(snapshot));
    const bool compares =
        !identity_.is_net && (!identity_.identifier_columns.empty() || NeedsComparison(changes));
    FIRN_ASSIGN(rows_, ReadSnapshotChanges(context_, schema_, std::move(changes),
                                           snapshot.snapshot_id, ordinal));
    if (compares) rows_ = Compare(context_, std::move(rows_), identity_, spill_folder_);
    return {};
  }

  const ReadContext context_;
  std::vector<const Snapshot*> snapshots_;
  PlanChanges plan_;
  SchemaPtr schema_;
  const RowIdentity identity_;
  const std::string spill_folder_;
  std::shared_ptr<arrow::Schema> arrow_schema_;
  size_t next_ = 0;
  std::unique_ptr<BatchStream> rows_;
};

Result<RowIdentity> IdentityOf(const ChangelogOptions& options) {
  RowIdentity identity{.is_net = options.is_net};
  identity.row_columns.resize(options.schema->fields().size());
  std::iota(identity.row_columns.begin(), identity.row_columns.end(), 0);
  for (const int32_t id : options.identifier_ids) {
    const auto path = options.schema->StructPath(id);
    if (!path || path->size() != 1) {
      return MakeError(ErrorCode::kInvalidInput,
                       "identifier column '{}' lies in a struct, list or map, expected one at the "
                       "top",
                       options.schema->FullName(id));
    }
    identity.identifier_columns.push_back(static_cast<int>(path->front()));
  }
  return identity;
}

}  // namespace

Result<SchemaPtr> ChangelogSchema(const Schema& schema) {
  std::vector<NestedField> fields = schema.fields();
  for (NestedField field :
       {ChangeField(kChangeTypeFieldId, "_change_type", TypeId::kString),
        ChangeField(kChangeOrdinalFieldId, "_change_ordinal", TypeId::kInt),
        ChangeField(kCommitSnapshotIdFieldId, "_commit_snapshot_id", TypeId::kLong)}) {
    if (schema.FindField(field.name) != nullptr) {
      return MakeError(ErrorCode::kInvalidInput,
                       "the table has a column '{}', which changes have, too; rename it",
                       field.name);
    }
    fields.push_back(std::move(field));
  }
  return std::make_shared<const Schema>(schema.schema_id(), std::move(fields));
}

Result<RowStream> ReadChangelog(const ReadContext& context, std::vector<const Snapshot*> snapshots,
                                PlanChanges plan, const ChangelogOptions& options) {
  FIRN_ASSIGN(SchemaPtr schema, ChangelogSchema(*options.schema));
  FIRN_ASSIGN(const RowIdentity identity, IdentityOf(options));
  auto rows = std::make_unique<SnapshotsRows>(context, std::move(snapshots), std::move(plan),
                                              std::move(schema), identity, options.spill_folder);
  FIRN_RETURN_IF_ERROR(rows->Prepare());
  if (!options.is_net) return ExportBatches(std::move(rows));
  return ExportBatches(Compare(context, std::move(rows), identity, options.spill_folder));
}

}  // namespace firn
