#include "neighbour_jobs.h"

#include <algorithm>
#include <utility>

#include "firn/change/change.h"
#include "firn/data/value_file.h"
#include "firn/ingest/adoption/adopt_table.h"
#include "firn/maintain/expiry/purge_table.h"

#include "actor.h"
#include "parquet_files.h"

// Tables beside the table: made of folders of others, of new rows, or the table by another name.

namespace firn::simulation {
namespace {

std::vector<int64_t> IdsOf(const std::vector<Row>& rows) {
  std::vector<int64_t> ids;
  for (const Row& row : rows)
    ids.push_back(row.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<Table> LoadTruly(Scene& scene, const TableName& name) {
  FIRN_ASSIGN(const std::string location, scene.world->TableLocation(name));
  FIRN_ASSIGN(auto metadata, LoadTableMetadata(*scene.world->true_io(), location));
  return Table{name, location, std::move(metadata), scene.world->true_io()};
}

Result<std::vector<Row>> ReadMain(Scene& scene, const Table& table) {
  if (!table.metadata->current_snapshot_id) return std::vector<Row>();
  return scene.read_rows(scene.world->true_io(), table, *table.metadata->current_snapshot_id);
}

void CheckAdopted(Scene& scene, const ForeignFolder& folder, const TableName& name) {
  if (folder.is_purged) return;
  const auto table = LoadTruly(scene, name);
  const auto rows = table.ok() ? ReadMain(scene, *table) : table.error();
  if (!rows.ok()) {
    scene.world->Violate(fmt::format("table '{}' of '{}' cannot be read: {}", name.name, folder.uri,
                                     rows.error().Format()));
  } else if (IdsOf(*rows) != IdsOf(folder.rows)) {
    scene.world->Violate(fmt::format("table '{}' of '{}' has {} rows, expected {}", name.name,
                                     folder.uri, rows->size(), folder.rows.size()));
  }
}

void CheckIntact(Scene& scene, const ForeignFolder& folder) {
  if (folder.is_purged) return;
  for (const auto& [uri, text] : folder.files) {
    const auto bytes = ReadFile(*scene.world->true_io(), uri);
    if (bytes.ok() && bytes->view() == text) continue;
    scene.world->Violate(fmt::format("'{}', which others wrote, is gone or another", uri));
  }
}

/// A few files of rows, as others left them.
Result<ForeignFolder*> MakeFolder(Worker& worker, const Operation& operation) {
  Scene& scene = worker.scene();
  const std::shared_ptr<FileIO> io = scene.world->true_io();
  FIRN_ASSIGN(const Table table, worker.Load());
  const WriteContext write{.io = io,
                           .metadata = table.metadata,
                           .executor = scene.executor,
                           .budget = scene.budget,
                           .cancel = {},
                           .random = &worker.random(),
                           .spill_folder = {}};
  FIRN_ASSIGN(const SchemaPtr schema,
              ProjectColumns(*table.metadata, *table.metadata->current_schema(),
                             {"id", ColumnName(*table.metadata, kCatField)}));
  ForeignFolder folder;
  folder.table = {scene.name.levels, fmt::format("f{}", operation.number)};
  folder.uri = "memory:/warehouse/db/" + folder.table.name;
  const uint64_t count = 1 + worker.random().Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    std::vector<StructValue> values;
    for (const Row& row : worker.NewRows(2)) {
      values.push_back({{Value(row.id), Value(row.cat)}});
      folder.rows.push_back(row);
    }
    FIRN_ASSIGN(
        const WrittenValueFile file,
        WriteValueFile(write, *schema, fmt::format("{}/f{}", folder.uri, i), std::move(values)));
    FIRN_ASSIGN(const Buffer bytes, ReadFile(*io, file.path));
    folder.files[file.path] = std::string(bytes.view());
  }
  scene.folders.push_back(std::make_unique<ForeignFolder>(std::move(folder)));
  return scene.folders.back().get();
}

Result<ForeignFolder*> ChooseFolder(Worker& worker, const Operation& operation) {
  auto& folders = worker.scene().folders;
  if (folders.empty() || worker.Chance(30)) return MakeFolder(worker, operation);
  return folders[worker.random().Below(folders.size())].get();
}

/// Several may want the same folder, or one that another took and dropped with all files.
JobResult Adopt(Worker& worker, Operation& operation, bool owns_files) {
  FIRN_ASSIGN(ForeignFolder * folder, ChooseFolder(worker, operation));
  AdoptTableRequest request;
  request.source = folder->uri;
  request.owns_files = owns_files;
  request.table = folder->table;
  if (!owns_files) request.table.name = fmt::format("s{}", operation.number);
  if (worker.Chance(50)) request.properties["format-version"] = "3";
  const IngestContext context{
      .change = {.commit = worker.context(), .budget = worker.scene().budget},
      .io = worker.scene().world->io(),
      .notice = {},
      .progress = {}};
  ++folder->tries;
  const auto adopted = AdoptTable(context, request);
  CheckIntact(worker.scene(), *folder);
  if (adopted.ok()) {
    CheckAdopted(worker.scene(), *folder, request.table);
    if (!folder->is_purged) folder->made.push_back(request.table);
    return std::optional<SnapshotId>();
  }
  // Another one was faster, or took all away.
  const bool is_late = folder->tries > 1 || folder->is_purged;
  if (!is_late || adopted.error().code() == ErrorCode::kCommitUnknown) return adopted.error();
  return Error(ErrorCode::kCommitConflict, adopted.error().message());
}

JobResult SnapshotFolder(Worker& worker, Operation& operation) {
  return Adopt(worker, operation, false);
}

JobResult MigrateFolder(Worker& worker, Operation& operation) {
  return Adopt(worker, operation, true);
}

/// Of tables that were made of others' files: those that own them delete them, and the others may
/// not.
JobResult DropAdopted(Worker& worker, Operation&) {
  Scene& scene = worker.scene();
  std::vector<ForeignFolder*> made;
  for (const auto& folder : scene.folders) {
    if (!folder->made.empty() && !folder->is_purged) made.push_back(folder.get());
  }
  if (made.empty()) return std::optional<SnapshotId>();
  ForeignFolder& folder = *made[worker.random().Below(made.size())];
  const TableName name = folder.made[worker.random().Below(folder.made.size())];
  const auto loaded = worker.process().catalog->Load(name);
  if (folder.is_purged) return std::optional<SnapshotId>();  // Another actor came before.
  FIRN_ASSIGN(const Table table, loaded);
  const bool is_own = name == folder.table;
  if (is_own) folder.is_purged = true;
  const auto purged = PurgeTable(worker.maintain_context(), table);
  if (is_own && !purged.ok()) return purged.error();
  if (is_own) return std::optional<SnapshotId>();
  if (purged.ok()) worker.Violate("a table was purged of files that it shares with others");
  if (purged.error().code() != ErrorCode::kInvalidInput) return purged.error();
  CheckIntact(scene, folder);
  return std::optional<SnapshotId>();
}

/// A table comes, gets rows, and goes with all its files, and with nothing else.
JobResult MakeAndPurge(Worker& worker, Operation& operation) {
  FIRN_ASSIGN(const Table table, worker.Load());
  Catalog& catalog = *worker.process().catalog;
  const TableName name{worker.scene().name.levels, fmt::format("t-{}", operation.number)};
  const SchemaPtr schema = table.metadata->current_schema();
  CreateTableRequest request;
  request.schema = Schema(0, {*schema->FindField(kIdField), *schema->FindField(kCatField)});
  FIRN_ASSIGN(const Table made, catalog.Create(name, request));
  const ChangeContext change{.commit = worker.context(), .budget = worker.scene().budget};
  FIRN_RETURN_IF_ERROR(
      AppendRows(change, made, MakeRows(*made.metadata, worker.NewRows(3)), AppendRowsRequest()));
  FIRN_ASSIGN(const Table filled, catalog.Load(name));
  FIRN_ASSIGN(const auto purged, PurgeTable(worker.maintain_context(), filled));
  if (purged.failed_files_count > 0 || worker.process().faults.any > 0) {
    return std::optional<SnapshotId>();
  }
  const Status empty = worker.scene().world->true_io()->List(
      made.metadata->location, [&](const FileInfo& file) -> Status {
        if (file.uri.ends_with(".folder")) return {};
        worker.Violate(fmt::format("'{}' is there after its table was purged", file.uri));
        return {};
      });
  const bool is_gone = !empty.ok() && empty.error().code() == ErrorCode::kNotFound;
  if (!empty.ok() && !is_gone) return empty.error();
  return std::optional<SnapshotId>();
}

/// The table by another name, which is forgotten again; its files stay.
JobResult RegisterAgain(Worker& worker, Operation& operation) {
  Scene& scene = worker.scene();
  if (scene.world->catalog_kind() != CatalogKind::kPointer) return std::optional<SnapshotId>();
  FIRN_ASSIGN(const Table table, worker.Load());
  worker.judge().AllowSharing();
  const TableName name{scene.name.levels, fmt::format("again{}", operation.number)};
  scene.other_names.push_back(name);
  const auto registered = worker.process().catalog->Register(name, table.metadata_location);
  if (!registered.ok()) return worker.ExcuseLate(operation, registered.error());
  if (registered->metadata->table_uuid != table.metadata->table_uuid) {
    worker.Violate("a table that was registered is another one");
  }
  FIRN_RETURN_IF_ERROR(worker.process().catalog->Drop(name, DropFiles::kKeep));
  return std::optional<SnapshotId>();
}

}  // namespace

void CheckFolders(Scene& scene) {
  for (const auto& folder : scene.folders) {
    CheckIntact(scene, *folder);
    for (const TableName& name : folder->made)
      CheckAdopted(scene, *folder, name);
  }
}

const std::vector<Job>& NeighbourJobs() {
  static const std::vector<Job> kJobs = {
      {"snapshot a folder", 1, SnapshotFolder},  {"migrate a folder", 2, MigrateFolder},
      {"drop an adopted table", 1, DropAdopted}, {"make a table and purge it", 1, MakeAndPurge},
      {"register again", 1, RegisterAgain},
  };
  return kJobs;
}

}  // namespace firn::simulation
