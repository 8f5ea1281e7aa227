#include "firn/commit/transaction.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "firn/commit/operations_internal.h"

namespace firn {

struct Transaction::Step {
  std::variant<SnapshotOptions, AppendFilesRequest, ChangeFilesRequest, RewriteFilesRequest>
      request;
  Table planned;  // When the step was added.
  SnapshotId snapshot_id = 0;
  std::unique_ptr<SnapshotOperation> operation;  // Refers to the members above.

  const SnapshotOptions& options() const {
    return std::visit([](const SnapshotOptions& one) -> const SnapshotOptions& { return one; },
                      request);
  }
};

Transaction::Transaction(const CommitContext& context, Table table)
    : context_(context), planned_(std::move(table)), table_(planned_) {}

Transaction::~Transaction() = default;

Status Transaction::Change(PlanUpdates plan) {
  FIRN_ASSIGN(const std::vector<TableUpdate> updates, plan(*table_.metadata));
  FIRN_ASSIGN(TableMetadata changed, ApplyUpdates(table_.metadata.get(), table_.metadata_location,
                                                  updates, context_.clock->Now()));
  table_.metadata = std::make_shared<const TableMetadata>(std::move(changed));
  auto step = std::make_unique<Step>();
  SnapshotOptions options;
  options.table_changes = std::move(plan);
  step->request = std::move(options);
  steps_.push_back(std::move(step));
  return {};
}

Status Transaction::Append(AppendFilesRequest request) {
  auto step = std::make_unique<Step>();
  step->planned = table_;
  step->snapshot_id = NewSnapshotId(*table_.metadata, *context_.random);
  const auto& kept = step->request.emplace<AppendFilesRequest>(std::move(request));
  FIRN_ASSIGN(step->operation, MakeAppendFiles(context_, step->planned, kept, step->snapshot_id));
  steps_.push_back(std::move(step));
  return {};
}

Status Transaction::Change(ChangeFilesRequest request) {
  auto step = std::make_unique<Step>();
  step->planned = table_;
  step->snapshot_id = NewSnapshotId(*table_.metadata, *context_.random);
  const auto& kept = step->request.emplace<ChangeFilesRequest>(std::move(request));
  FIRN_ASSIGN(step->operation, MakeChangeFiles(context_, step->planned, kept, step->snapshot_id));
  steps_.push_back(std::move(step));
  return {};
}

Status Transaction::Rewrite(RewriteFilesRequest request) {
  auto step = std::make_unique<Step>();
  step->snapshot_id = NewSnapshotId(*table_.metadata, *context_.random);
  const auto& kept = step->request.emplace<RewriteFilesRequest>(std::move(request));
  FIRN_ASSIGN(step->operation, MakeRewriteFiles(context_, kept, step->snapshot_id));
  steps_.push_back(std::move(step));
  return {};
}

Result<CommitResult> Transaction::Commit() {
  const bool has_snapshot = std::any_of(
      steps_.begin(), steps_.end(), [](const auto& step) { return step->operation != nullptr; });
  if (has_snapshot) {
    std::vector<CommitStep> steps;
    for (const auto& step : steps_)
      steps.push_back({step->snapshot_id, step->options(), step->operation.get()});
    return RunCommitLoop(context_, planned_, steps);
  }
  const auto plan = [&](const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    std::vector<TableUpdate> all;
    TableMetadata now = metadata;
    for (const auto& step : steps_) {
      FIRN_ASSIGN(const std::vector<TableUpdate> updates, step->options().table_changes(now));
      FIRN_ASSIGN(now, ApplyUpdates(&now, "", updates, context_.clock->Now()));
      all.insert(all.end(), updates.begin(), updates.end());
    }
    return all;
  };
  CommitResult result;
  FIRN_ASSIGN(result.table,
              ChangeTable({context_.catalog, context_.clock, context_.random, context_.cancel},
                          planned_, plan));
  return result;
}

}  // namespace firn
