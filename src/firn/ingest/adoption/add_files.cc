#include "firn/ingest/adoption/add_files.h"

#include <utility>

#include "firn/ingest/adoption/adopted_files_internal.h"
#include "firn/ingest/adoption/adopted_folders_internal.h"
#include "firn/ingest/adoption/adopted_sources_internal.h"
#include "firn/ingest/adoption/file_owners_internal.h"
#include "firn/ingest/adoption/known_data_files_internal.h"

namespace firn {
namespace {

// What becomes visible with the files.
struct Additions {
  std::string name_mapping;  // Empty: none.
  std::vector<std::string> folders;
  std::shared_ptr<KnownDataFiles> known;  // Null: they need not be looked for.
};

// The properties with the files, and a last look for files that came meanwhile.
PlanUpdates CheckAgain(const IngestContext& context, const Table& table, const std::string& branch,
                       Additions additions) {
  return
      [&context, branch, schema_id = table.metadata->current_schema_id,
       more = std::move(additions)](const TableMetadata& now) -> Result<std::vector<TableUpdate>> {
        const CommitContext& commit = context.change.commit;
        if (now.current_schema_id != schema_id) {
          return Error(ErrorCode::kCommitConflict,
                       "the schema of the table changed while the files were looked at; try again");
        }
        if (more.known != nullptr) {
          FIRN_RETURN_IF_ERROR(more.known->Check(now, branch, *commit.executor, commit.cancel));
        }
        FIRN_ASSIGN(std::vector<TableUpdate> updates, PlanAdoptedFolders(now, more.folders));
        constexpr std::string_view kNameMapping = "schema.name-mapping.default";
        const bool has_names = now.properties.find(kNameMapping) != now.properties.end();
        if (!more.name_mapping.empty() && !has_names) {
          updates.emplace_back(SetProperties{{{std::string(kNameMapping), more.name_mapping}}});
        }
        return updates;
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
  FIRN_RETURN_IF_ERROR(CheckSourceNames(*context.io, sources));
  FIRN_ASSIGN(AdoptedFiles adopted, AdoptFiles(context, table, sources, request));
  if (adopted.files.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "none of the {} files is of a partition that the filter wants",
                     sources.size());
  }
  const CommitContext& commit = context.change.commit;
  Additions additions{.name_mapping = std::move(adopted.name_mapping)};
  FIRN_ASSIGN(additions.folders, FindAdoptedFolders(table, adopted.files));
  if (request.checks_duplicates) {
    FIRN_ASSIGN(additions.known, KnownDataFiles::Make(table.io, adopted.files));
    FIRN_RETURN_IF_ERROR(
        additions.known->Check(*table.metadata, request.branch, *commit.executor, commit.cancel));
  }
  AppendFilesRequest append;
  static_cast<SnapshotOptions&>(append) = request;
  append.table_changes = CheckAgain(context, table, request.branch, std::move(additions));
  AddFilesResult result;
  result.added_files = std::ssize(adopted.files);
  append.data_files = std::move(adopted.files);
  FIRN_ASSIGN(CommitResult committed, CommitAppendFiles(commit, table, append));
  result.snapshot_id = committed.snapshot_id;
  result.is_repeat = committed.is_repeat;
  result.table = std::move(committed.table);
  if (const Snapshot* snapshot = result.table.metadata->FindSnapshot(result.snapshot_id)) {
    result.changed_partitions = snapshot->summary.FindNumber("changed-partition-count");
  }
  return result;
}

}  // namespace firn
