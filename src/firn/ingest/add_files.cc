#include "firn/ingest/add_files.h"

#include <utility>

#include "firn/base/number.h"
#include "firn/ingest/adopted_files_internal.h"
#include "firn/ingest/file_owners_internal.h"
#include "firn/ingest/known_data_files_internal.h"

namespace firn {
namespace {

// The name mapping with the files, and a last look for files that came meanwhile.
PlanUpdates CheckAgain(const IngestContext& context, const Table& table, const std::string& branch,
                       std::string name_mapping, std::shared_ptr<KnownDataFiles> known) {
  return [&context, io = table.io, branch, schema_id = table.metadata->current_schema_id,
          name_mapping = std::move(name_mapping),
          known = std::move(known)](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
    const CommitContext& commit = context.change.commit;
    if (now.current_schema_id != schema_id) {
      return Error(ErrorCode::kCommitConflict,
                   "the schema of the table changed while the files were looked at; try again");
    }
    if (known != nullptr) {
      FIRN_RETURN_IF_ERROR(known->Check(*io, now, branch, *commit.executor, commit.cancel));
    }
    constexpr std::string_view kNameMapping = "schema.name-mapping.default";
    const bool has_names = now.properties.find(kNameMapping) != now.properties.end();
    if (name_mapping.empty() || has_names) return std::vector<TableUpdate>();
    return std::vector<TableUpdate>{SetProperties{{{std::string(kNameMapping), name_mapping}}}};
  };
}

}  // namespace

Result<AddFilesResult> AddFiles(const IngestContext& context, const Table& table,
                                const AddFilesRequest& request) {
  if (request.idempotency_key) {
    const auto repeat =
        FindIdempotencyKey(*table.metadata, request.branch, *request.idempotency_key);
    if (repeat) return AddFilesResult{.snapshot_id = *repeat, .is_repeat = true, .table = table};
  }
  FIRN_ASSIGN(const auto sources, FindSourceFiles(*context.io, request.sources));
  for (const SourceFile& source : sources) {
    if (!source.is_standard_input()) continue;
    return Error(ErrorCode::kInvalidInput,
                 "standard input cannot become a file of the table; load it with 'ingest'");
  }
  TellOwners(*context.io, table, sources, context.notice);
  return AddFoundFiles(context, table, sources, request);
}

Result<AddFilesResult> AddFoundFiles(const IngestContext& context, const Table& table,
                                     const std::vector<SourceFile>& sources,
                                     const AddFilesRequest& request) {
  FIRN_ASSIGN(AdoptedFiles adopted, AdoptFiles(context, table, sources, request));
  if (adopted.files.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "none of the {} files is of a partition that the filter wants",
                     sources.size());
  }
  const CommitContext& commit = context.change.commit;
  std::shared_ptr<KnownDataFiles> known;
  if (request.checks_duplicates) {
    known = std::make_shared<KnownDataFiles>(adopted.files);
    FIRN_RETURN_IF_ERROR(
        known->Check(*table.io, *table.metadata, request.branch, *commit.executor, commit.cancel));
  }
  AppendFilesRequest append;
  static_cast<SnapshotOptions&>(append) = request;
  append.table_changes =
      CheckAgain(context, table, request.branch, std::move(adopted.name_mapping), known);
  AddFilesResult result;
  result.added_files = std::ssize(adopted.files);
  append.data_files = std::move(adopted.files);
  FIRN_ASSIGN(CommitResult committed, CommitAppendFiles(commit, table, append));
  result.snapshot_id = committed.snapshot_id;
  result.is_repeat = committed.is_repeat;
  result.table = std::move(committed.table);
  if (const Snapshot* snapshot = result.table.metadata->FindSnapshot(result.snapshot_id)) {
    const auto count = snapshot->summary.Find("changed-partition-count");
    if (count) result.changed_partitions = ParseInt64(*count);
  }
  return result;
}

}  // namespace firn
