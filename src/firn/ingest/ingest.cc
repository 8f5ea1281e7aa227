#include "firn/ingest/ingest.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "firn/catalog/table_evolution.h"
#include "firn/format/metadata/table_properties.h"
#include "firn/ingest/adoption/layout_check_internal.h"
#include "firn/ingest/input/row_source_internal.h"
#include "firn/ingest/input/standard_input_internal.h"
#include "firn/ingest/target/column_evolution_internal.h"
#include "firn/ingest/target/column_fit_internal.h"
#include "firn/ingest/target/loaded_files_internal.h"
#include "firn/ingest/target/made_table_internal.h"
#include "firn/ingest/target/planned_table_internal.h"
#include "firn/io/discard_files.h"

namespace firn {
namespace {

// Why a column has its type, to stand behind it.
std::string DescribeReason(const SourceColumn& column) {
  if (!column.has_values) return ", because no row has a value of it";
  return column.reason.empty() ? "" : ", because of " + column.reason;
}

class IngestRun {
 public:
  IngestRun(const IngestContext& context, const IngestRequest& request)
      : context_(context), request_(request) {}

  Result<IngestResult> Run();

 private:
  Catalog& catalog() const { return *context_.change.commit.catalog; }
  Status CheckRequest() const;
  Status CheckOnlyNewFiles() const;
  Status FindTable();
  Status OpenSource();
  bool replaces() const {
    return request_.mode == IngestMode::kReplace || request_.mode == IngestMode::kCreateOrReplace;
  }
  Result<CreateTableRequest> MakeLayout(const std::vector<SourceColumn>& columns) const;
  Status CreateTable(const std::vector<SourceColumn>& columns);
  Status ReplaceTable(const std::vector<SourceColumn>& columns);
  Status Evolve(const std::vector<SourceColumn>& columns);
  void TellTypes(const std::vector<SourceColumn>& columns, const Schema& schema) const;
  Status Load();
  Status Store(RowStream rows);
  Status Append(RowStream rows);
  Status Merge(RowStream rows);
  Status OverwriteMatching(RowStream rows);
  SnapshotOptions Options() const;
  Status LeaveOutKnown(std::vector<SourceFile>& files);
  Status RecordFiles();
  void CleanUpRecord(const Status& loaded);
  template <typename Change>
  void Report(const Change& change, int64_t rows);
  void TakeBackTable();
  void Notice(const std::string& text) const {
    if (context_.notice) context_.notice(text);
  }
  // Of what is done, in the words that are true.
  const char* Verb(const char* done, const char* planned) const {
    return context_.is_dry_run ? planned : done;
  }

  const IngestContext& context_;
  const IngestRequest& request_;
  std::optional<Table> table_;
  PlanUpdates table_changes_;  // Made with the rows, in one commit.
  std::unique_ptr<StandardInput> standard_input_;
  std::vector<SourceFile> new_files_;  // Of only_new_files.
  std::optional<LoadedFiles> loaded_;
  std::unique_ptr<RowSource> source_;
  IngestResult result_;
};

Status IngestRun::CheckRequest() const {
  if (request_.bad_rows == BadRows::kQuarantine && request_.reject_file.empty()) {
    return Error(ErrorCode::kInvalidInput,
                 "bad rows are to be kept, but no reject file is given (--reject-file)");
  }
  if (request_.bad_rows == BadRows::kQuarantine) {
    // It may be a source, or what an earlier run kept.
    FIRN_ASSIGN(const bool is_there, FileExists(*context_.io, request_.reject_file));
    if (is_there) {
      return MakeError(
          ErrorCode::kAlreadyExists,
          "the reject file '{}' exists; give a new name, so that nothing is overwritten",
          request_.reject_file);
    }
  }
  if (request_.sample_rows && *request_.sample_rows < 1) {
    return MakeError(ErrorCode::kInvalidInput, "the sample is {} rows, expected 1 at least",
                     *request_.sample_rows);
  }
  if (request_.csv.skip_lines < 0) {
    return MakeError(ErrorCode::kInvalidInput, "{} lines are to be skipped, expected 0 at least",
                     request_.csv.skip_lines);
  }
  const bool is_merge = request_.mode == IngestMode::kMerge;
  if (!is_merge && (!request_.key.empty() || request_.duplicates != DuplicateKeys::kError)) {
    return Error(ErrorCode::kInvalidInput,
                 "a key, and what its duplicates mean, are of mode 'merge' only");
  }
  if (request_.write_mode && !is_merge && request_.mode != IngestMode::kOverwriteRows) {
    return Error(ErrorCode::kInvalidInput,
                 "how rows change (--write-mode) is asked for, but the mode changes none; it is "
                 "of mode 'merge'");
  }
  FIRN_RETURN_IF_ERROR(CheckOnlyNewFiles());
  if (request_.csv.delimiter == request_.csv.quote) {
    return Error(ErrorCode::kInvalidInput, "delimiter and quote are the same character");
  }
  return {};
}

Status IngestRun::CheckOnlyNewFiles() const {
  if (!request_.only_new_files) return {};
  const bool keeps_rows =
      request_.mode == IngestMode::kAppend || request_.mode == IngestMode::kCreate ||
      request_.mode == IngestMode::kMerge || request_.mode == IngestMode::kOverwritePartitions;
  if (!keeps_rows) {
    return Error(ErrorCode::kInvalidInput,
                 "only new files are to be loaded, but in this mode the rows of the others go");
  }
  if (request_.is_staged) {
    return Error(ErrorCode::kInvalidInput,
                 "only new files are to be loaded, but a snapshot that is only staged does not "
                 "count as loaded; leave one of the two out");
  }
  if (std::find(request_.sources.begin(), request_.sources.end(), "-") != request_.sources.end()) {
    return Error(ErrorCode::kInvalidInput,
                 "only new files are to be loaded, but standard input is no file");
  }
  return {};
}

Status IngestRun::FindTable() {
  Result<Table> table = catalog().Load(request_.table);
  if (table.ok()) {
    if (request_.mode == IngestMode::kCreate) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "table '{}' exists, but mode 'create' is to make it",
                       FormatTableName(request_.table));
    }
    table_ = *std::move(table);
    return replaces() ? Status() : CheckLayout(request_.layout, *table_->metadata);
  }
  const bool may_be_made = table.error().code() == ErrorCode::kNotFound &&
                           request_.mode != IngestMode::kOverwriteRows &&
                           request_.mode != IngestMode::kReplace;
  return may_be_made ? Status() : table.error();
}

Status IngestRun::LeaveOutKnown(std::vector<SourceFile>& files) {
  if (!request_.only_new_files) return {};
  if (table_) {
    FIRN_ASSIGN(const LoadedFiles loaded, LoadedFiles::Read(*table_, request_.branch));
    result_.known_files = static_cast<int64_t>(loaded.KeepNew(files));
    Notice(fmt::format("{} files were loaded before and are left out", result_.known_files));
  }
  new_files_ = files;
  return {};
}

// Record the files in the commit of their rows.
Status IngestRun::RecordFiles() {
  if (!request_.only_new_files) return {};
  FIRN_ASSIGN(loaded_, LoadedFiles::Read(*table_, request_.branch));
  FIRN_RETURN_IF_ERROR(loaded_->Add(new_files_, *context_.change.commit.random));
  table_changes_ = [before = table_changes_, record = loaded_->Changes()](
                       const TableMetadata& metadata) -> Result<std::vector<TableUpdate>> {
    std::vector<TableUpdate> all;
    if (before) {
      FIRN_ASSIGN(all, before(metadata));
    }
    FIRN_ASSIGN(const std::vector<TableUpdate> own, record(metadata));
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  return {};
}

Status IngestRun::OpenSource() {
  FIRN_ASSIGN(std::vector<SourceFile> files, FindSourceFiles(*context_.io, request_.sources));
  FIRN_RETURN_IF_ERROR(LeaveOutKnown(files));
  result_.files = static_cast<int64_t>(files.size());
  if (files.empty()) {
    if (!table_) return {};
    FIRN_ASSIGN(result_.snapshot_id, FindHead(*table_->metadata, request_.branch));
    return {};
  }
  for (SourceFile& file : files) {
    if (file.is_standard_input()) {
      const CommitContext& commit = context_.change.commit;
      FIRN_ASSIGN(standard_input_,
                  StandardInput::Copy(*context_.io, *commit.random, commit.cancel));
      file.info = standard_input_->file();
    }
    result_.bytes += file.info.size;
  }
  if (request_.format == SourceFormat::kCsv) {
    FIRN_ASSIGN(source_, MakeCsvSource(context_, request_, std::move(files)));
  } else if (request_.format == SourceFormat::kJson) {
    FIRN_ASSIGN(source_, MakeJsonSource(context_, request_, std::move(files)));
  } else {
    FIRN_ASSIGN(source_, MakeColumnarSource(context_, request_, std::move(files)));
  }
  return {};
}

void IngestRun::TellTypes(const std::vector<SourceColumn>& columns, const Schema& schema) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    const SourceColumn& column = columns[i];
    Notice(fmt::format("column '{}': {}{}", column.name, FormatType(*schema.fields()[i].type),
                       DescribeReason(column)));
  }
  const bool has_values = std::any_of(columns.begin(), columns.end(),
                                      [](const SourceColumn& column) { return column.has_values; });
  if (columns.empty() || has_values) return;
  Notice(
      "no row tells the types of the columns; if they are to be others, give them by --schema, "
      "since a string column cannot become one of another type later");
}

Result<CreateTableRequest> IngestRun::MakeLayout(const std::vector<SourceColumn>& columns) const {
  const NewTableLayout& layout = request_.layout;
  FIRN_RETURN_IF_ERROR(CheckTableProperties(layout.properties));
  CreateTableRequest create;
  create.format_version =
      layout.format_version.value_or(table_ ? table_->metadata->format_version : 2);
  if (layout.schema) {
    create.schema = *layout.schema;
  } else {
    FIRN_ASSIGN(create.schema, SchemaOfColumns(columns, create.format_version));
    TellTypes(columns, create.schema);
  }
  if (layout.partition_spec) {
    FIRN_ASSIGN(create.spec, layout.partition_spec(create.schema));
  }
  if (layout.sort_order) {
    FIRN_ASSIGN(create.sort_order, layout.sort_order(create.schema));
  }
  create.location = layout.location;
  create.properties = layout.properties;
  return create;
}

Status IngestRun::CreateTable(const std::vector<SourceColumn>& columns) {
  FIRN_ASSIGN(const CreateTableRequest create, MakeLayout(columns));
  Result<Table> created = catalog().Create(request_.table, create);
  const bool came_first = !created.ok() && created.error().code() == ErrorCode::kAlreadyExists &&
                          request_.mode != IngestMode::kCreate;
  if (came_first) {
    // Another run made it meanwhile: then this one finds it as if it had been there before.
    if (const Result<Table> other = catalog().Load(request_.table); other.ok()) {
      table_ = *other;
      return replaces() ? ReplaceTable(columns) : CheckLayout(request_.layout, *table_->metadata);
    }
  }
  if (!created.ok()) return created.error();
  table_ = *std::move(created);
  result_.is_created = true;
  return {};
}

// The table keeps its history, and everything else becomes as if it were made anew.
Status IngestRun::ReplaceTable(const std::vector<SourceColumn>& columns) {
  FIRN_ASSIGN(const CreateTableRequest layout, MakeLayout(columns));
  const auto plan = [layout](const TableMetadata& metadata) {
    return PlanReplaceTable(metadata, layout);
  };
  FIRN_ASSIGN(PlannedTable planned,
              PlanTable(*table_, plan, ReplannedFit::kSame, *context_.change.commit.clock));
  table_ = std::move(planned.table);
  table_changes_ = std::move(planned.changes);
  Notice(fmt::format("{} table '{}'", Verb("replacing", "dry run: would replace"),
                     FormatTableName(request_.table)));
  return {};
}

// What the table is going to be: rows are written for it, and it is changed with them.
Status IngestRun::Evolve(const std::vector<SourceColumn>& columns) {
  const bool has_types = source_->has_own_types();
  const auto find = [columns, has_types](const TableMetadata& metadata) {
    return FindSchemaChanges(columns, metadata, has_types);
  };
  const std::vector<SchemaChange> changes = find(*table_->metadata);
  if (changes.empty()) return {};
  if (request_.is_staged) {
    return Error(ErrorCode::kInvalidInput,
                 "the table lacks columns of the input, or has narrower types, and a snapshot that "
                 "is only staged cannot change that, since a schema is of the whole table; alter "
                 "the table first, or do not stage the snapshot");
  }
  const auto plan = [find](const TableMetadata& metadata) {
    return PlanSchemaChange(metadata, find(metadata));
  };
  FIRN_ASSIGN(PlannedTable planned,
              PlanTable(*table_, plan, ReplannedFit::kNewColumns, *context_.change.commit.clock));
  for (const SchemaChange& change : changes) {
    if (const auto* add = std::get_if<AddColumn>(&change)) {
      const std::string name = fmt::format("{}", fmt::join(add->path, "."));
      const auto column = std::find_if(columns.begin(), columns.end(),
                                       [&](const SourceColumn& one) { return one.name == name; });
      Notice(fmt::format("{} column '{}': {}{}", Verb("adding", "dry run: would add"), name,
                         FormatType(*add->type),
                         column == columns.end() ? "" : DescribeReason(*column)));
    } else if (const auto* alter = std::get_if<AlterColumn>(&change)) {
      Notice(fmt::format("{} column '{}' to {}", Verb("widening", "dry run: would widen"),
                         alter->column, FormatType(*alter->type)));
    }
  }
  table_ = std::move(planned.table);
  table_changes_ = std::move(planned.changes);
  return {};
}

Status IngestRun::Load() {
  const bool makes_schema = (!table_ || replaces()) && !request_.layout.schema;
  FIRN_ASSIGN(std::vector<SourceColumn> columns,
              source_->ReadColumns(makes_schema || request_.evolves));
  if (!table_) {
    FIRN_RETURN_IF_ERROR(CreateTable(columns));
  } else if (replaces()) {
    FIRN_RETURN_IF_ERROR(ReplaceTable(columns));
  } else if (request_.evolves) {
    FIRN_RETURN_IF_ERROR(Evolve(columns));
  }
  if (!source_->has_own_types()) {
    // Values are read as the table's type, whatever others they look like.
    for (SourceColumn& column : columns)
      column.type = nullptr;
  }
  FIRN_ASSIGN(const RowTarget target, FitColumns(columns, table_->metadata->current_schema()));
  if (request_.mode == IngestMode::kMerge && !MissingColumns(target).empty()) {
    Notice(
        fmt::format("not in the input, so null (or the default) in every row that it replaces: "
                    "{}",
                    fmt::join(MissingColumns(target), ", ")));
  }
  FIRN_ASSIGN(RowStream rows, source_->OpenRows(target));
  FIRN_RETURN_IF_ERROR(RecordFiles());
  FIRN_RETURN_IF_ERROR(Store(std::move(rows)));
  if (result_.is_created) {
    // Where it comes to lie is the catalog's choice.
    const std::string name = FormatTableName(request_.table);
    Notice(context_.is_dry_run
               ? fmt::format("dry run: would create table '{}'", name)
               : fmt::format("created table '{}' at '{}'", name, table_->metadata->location));
  }
  return {};
}

Status IngestRun::Store(RowStream rows) {
  switch (request_.mode) {
    case IngestMode::kMerge:
      return Merge(std::move(rows));
    case IngestMode::kOverwriteRows:
      return OverwriteMatching(std::move(rows));
    case IngestMode::kAppend:
    case IngestMode::kCreate:
    case IngestMode::kReplace:
    case IngestMode::kCreateOrReplace:
    case IngestMode::kOverwrite:
    case IngestMode::kOverwritePartitions:
      break;
  }
  return Append(std::move(rows));
}

SnapshotOptions IngestRun::Options() const {
  SnapshotOptions options = request_;
  options.table_changes = table_changes_;
  if (loaded_) options.summary_properties[std::string(kLoadId)] = loaded_->load_id();
  return options;
}

template <typename Change>
void IngestRun::Report(const Change& change, int64_t rows) {
  result_.rows = rows;
  result_.rejected = source_->rejected_rows();
  result_.snapshot_id = change.snapshot_id;
  result_.table = change.table;
  result_.is_repeat = change.is_repeat;
}

Status IngestRun::Append(RowStream rows) {
  AppendRowsRequest append;
  append.SnapshotOptions::operator=(Options());
  if (request_.mode == IngestMode::kOverwrite) append.overwrite = Overwrite::kTable;
  if (request_.mode == IngestMode::kOverwritePartitions) append.overwrite = Overwrite::kPartitions;
  FIRN_ASSIGN(const auto appended, AppendRows(context_.change, *table_, std::move(rows), append));
  Report(appended, appended.added_rows);
  if (!replaces() || !table_changes_ || appended.attempts > 0) return {};
  // There are no rows, but the table is still to be another one.
  const CommitContext& commit = context_.change.commit;
  FIRN_ASSIGN(const Table now, catalog().Load(request_.table));
  FIRN_ASSIGN(result_.table,
              ChangeTable({commit.catalog, commit.clock, commit.random, commit.cancel}, now,
                          table_changes_));
  return {};
}

Status IngestRun::Merge(RowStream rows) {
  MergeRowsRequest merge;
  merge.SnapshotOptions::operator=(Options());
  merge.key = request_.key;
  merge.duplicates = request_.duplicates;
  merge.mode = request_.write_mode;
  FIRN_ASSIGN(const auto merged, MergeRows(context_.change, *table_, std::move(rows), merge));
  Report(merged, merged.updated_rows + merged.inserted_rows);
  result_.updated = merged.updated_rows;
  result_.deleted = merged.deleted_rows;
  if (!merged.is_repeat) {
    Notice(fmt::format(fmt::runtime(Verb("{} rows updated, {} inserted",
                                         "dry run: would update {} rows and insert {}")),
                       merged.updated_rows, merged.inserted_rows));
  }
  return {};
}

Status IngestRun::OverwriteMatching(RowStream rows) {
  OverwriteRowsRequest overwrite;
  overwrite.SnapshotOptions::operator=(Options());
  overwrite.condition = request_.condition;
  overwrite.rows_must_match = request_.rows_must_match;
  overwrite.mode = request_.write_mode;
  FIRN_ASSIGN(const auto done, OverwriteRows(context_.change, *table_, std::move(rows), overwrite));
  Report(done, done.added_rows);
  result_.deleted = done.deleted_rows;
  return {};
}

void IngestRun::CleanUpRecord(const Status& loaded) {
  if (!loaded_) return;
  if (!loaded.ok() && loaded.error().code() == ErrorCode::kCommitUnknown) return;
  if (loaded.ok() && result_.table.metadata) return loaded_->CleanUp(result_.table);
  // A commit that failed did not name the list.
  loaded_->CleanUp(*table_);
}

// The run failed: forget the table that it made, unless someone uses it already.
void IngestRun::TakeBackTable() {
  if (const auto gone = TakeBackMadeTable(catalog(), *table_)) {
    DiscardEmptyFolders(*gone->io, gone->metadata->location);
  }
}

Result<IngestResult> IngestRun::Run() {
  FIRN_RETURN_IF_ERROR(CheckRequest());
  FIRN_RETURN_IF_ERROR(FindTable());
  if (table_) {
    // Before the sources are read for nothing.
    FIRN_RETURN_IF_ERROR(FindHead(*table_->metadata, request_.branch));
    result_.table = *table_;
    result_.before = table_->metadata;
  }
  if (table_ && request_.idempotency_key) {
    result_.snapshot_id =
        FindIdempotencyKey(*table_->metadata, request_.branch, *request_.idempotency_key);
    if (result_.snapshot_id) {
      result_.is_repeat = true;
      return result_;
    }
  }
  FIRN_RETURN_IF_ERROR(OpenSource());
  if (source_ == nullptr) return result_;
  const Status loaded = Load();
  CleanUpRecord(loaded);
  if (!loaded.ok()) {
    if (result_.is_created && loaded.error().code() != ErrorCode::kCommitUnknown) TakeBackTable();
    return loaded.error();
  }
  return result_;
}

}  // namespace

Result<IngestResult> Ingest(const IngestContext& context, const IngestRequest& request) {
  return IngestRun(context, request).Run();
}

}  // namespace firn
