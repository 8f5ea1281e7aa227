#include <utility>

#include "firn/catalog/table_evolution.h"
#include "firn/commit/cherry_pick.h"
#include "firn/commit/transaction.h"

#include "actor.h"

namespace firn::simulation {
namespace {

/// Write, audit, publish: the snapshot is there, but `main` does not move.
JobResult Stage(Worker& worker, Operation& operation) {
  const std::vector<Row> rows = worker.NewRows(3);
  operation.is_staged = true;
  operation.rows = rows;
  operation.apply = [rows](const Rows& before) { return With(before, rows); };
  FIRN_ASSIGN(const Table table, worker.Load());
  FIRN_ASSIGN(const std::vector<DataFile> files,
              WriteTinyFiles(worker.io(), *table.metadata, worker.Names(operation), rows));
  AppendFilesRequest request;
  request.data_files = files;
  request.is_fast = worker.Chance(50);
  request.summary_properties = Worker::SummaryOf(operation);
  request.is_staged = true;
  if (table.metadata->properties.contains("write.wap.enabled")) {
    request.wap_id = fmt::format("wap-{}", operation.number);
  }
  return worker.Settle(CommitAppendFiles(worker.context(), table, request), files);
}

/// Any snapshot that some operation staged, by its WAP id where it has one, or an append of another
/// branch.
JobResult Publish(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  std::vector<SnapshotId> staged;
  for (const auto& [number, other] : worker.scene().judge->operations()) {
    const bool is_candidate =
        other.is_staged || (!other.rows.empty() && other.branch != kMainBranch);
    const bool is_there = is_candidate && other.snapshot_id &&
                          table.metadata->FindSnapshot(*other.snapshot_id) != nullptr;
    if (is_there) staged.push_back(*other.snapshot_id);
  }
  if (staged.empty()) return std::optional<SnapshotId>();
  operation.publishes = staged[worker.random().Below(staged.size())];
  const Snapshot* snapshot = table.metadata->FindSnapshot(*operation.publishes);
  if (const auto wap_id = snapshot->summary.Find("wap.id")) {
    FIRN_ASSIGN(const SnapshotId found, FindStagedSnapshot(*table.metadata, std::string(*wap_id)));
    FIRN_CHECK(found == *operation.publishes);
  }
  const auto picked = CherryPickSnapshot(worker.context(), table, *operation.publishes);
  if (picked.ok()) return std::optional(picked->snapshot_id);
  if (picked.error().code() != ErrorCode::kAlreadyExists) return picked.error();
  worker.scene().judge->CheckPublished(operation);
  return Error(ErrorCode::kCommitConflict, picked.error().message());
}

/// The table begins again with other rows; its older snapshots stay.
JobResult Replace(Worker& worker, Operation& operation) {
  const std::vector<Row> rows = worker.NewRows(3);
  operation.replaces_table = true;
  operation.apply = [rows](const Rows&) { return With({}, rows); };
  FIRN_ASSIGN(const Table table, worker.Load());
  const CommitContext context = worker.context();
  Transaction transaction(context, table);
  FIRN_RETURN_IF_ERROR(transaction.Change([](const TableMetadata& now) {
    CreateTableRequest layout;
    layout.schema = *now.current_schema();
    layout.spec = *now.default_spec();
    layout.format_version = now.format_version;
    return PlanReplaceTable(now, layout);
  }));
  FIRN_ASSIGN(
      const std::vector<DataFile> files,
      WriteTinyFiles(worker.io(), *transaction.table().metadata, worker.Names(operation), rows));
  AppendFilesRequest append;
  append.data_files = files;
  append.summary_properties = Worker::SummaryOf(operation);
  const Status added = transaction.Append(std::move(append));
  if (!added.ok()) {
    DiscardOutputs(worker.io(), files);
    return added.error();
  }
  return worker.Settle(transaction.Commit(), files);
}

/// A property and two snapshots, which come together or not at all.
JobResult Transact(Worker& worker, Operation& operation) {
  operation.branch = worker.ChooseBranch();
  const std::vector<Row> first = worker.NewRows(2);
  const std::vector<Row> second = worker.NewRows(2);
  operation.apply = [first](const Rows& before) { return With(before, first); };
  operation.later = {[second](const Rows& before) { return With(before, second); }};
  const std::string key = fmt::format("sim.t{}", operation.number);
  operation.is_done = [key](const TableMetadata& metadata) {
    return metadata.properties.contains(key);
  };
  FIRN_ASSIGN(const Table table, worker.Load());
  const CommitContext context = worker.context();
  Transaction transaction(context, table);
  FIRN_RETURN_IF_ERROR(transaction.Change([&](const TableMetadata& now) {
    return PlanSetProperties(now, {{key, "1"}}, worker.random());
  }));
  std::vector<DataFile> written;
  for (const std::vector<Row>* rows : {&first, &second}) {
    auto files =
        WriteTinyFiles(worker.io(), *transaction.table().metadata, worker.Names(operation), *rows);
    Status added = files.ok() ? Status() : Status(files.error());
    if (files.ok()) {
      written.insert(written.end(), files->begin(), files->end());
      AppendFilesRequest append;
      append.branch = operation.branch;
      append.data_files = *files;
      append.is_fast = worker.Chance(50);
      append.summary_properties = Worker::SummaryOf(operation);
      added = transaction.Append(std::move(append));
    }
    if (!added.ok()) {
      DiscardOutputs(worker.io(), written);
      return added.error();
    }
  }
  return worker.Settle(transaction.Commit(), written);
}

}  // namespace

const std::vector<Job>& StagingJobs() {
  static const std::vector<Job> kJobs = {{"stage", 2, Stage}, {"transact", 2, Transact}};
  return kJobs;
}

const std::vector<Job>& PublishingJobs() {
  static const std::vector<Job> kJobs = {{"publish", 3, Publish}};
  return kJobs;
}

const std::vector<Job>& ReplacementJobs() {
  static const std::vector<Job> kJobs = {{"replace the table", 2, Replace}};
  return kJobs;
}

}  // namespace firn::simulation
