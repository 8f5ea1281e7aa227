#include "endings.h"

#include <utility>

#include "firn/maintain/expiry/purge_table.h"

#include "neighbour_jobs.h"

namespace firn::simulation {
namespace {

void CheckAllRefs(Scene& scene, const Table& table, std::string_view who) {
  for (const auto& [name, ref] : table.metadata->refs) {
    const auto rows = scene.read_rows(scene.world->true_io(), table, ref.snapshot_id);
    if (rows.ok()) {
      scene.judge->CheckRows(ref.snapshot_id, *rows, who);
    } else {
      scene.world->Violate(rows.error().Format());
    }
  }
}

/// The same metadata file under another name; a Hadoop catalog knows tables by their places.
void RegisterAnew(Scene& scene, Worker& worker) {
  const auto table = worker.Load();
  if (!table.ok()) return;
  Catalog& catalog = *worker.process().catalog;
  const TableName name{scene.name.levels, "registered"};
  const Status dropped = catalog.Drop(scene.name, DropFiles::kKeep);
  const auto registered = catalog.Register(name, table->metadata_location);
  if (!dropped.ok() || !registered.ok()) {
    scene.world->Violate(fmt::format(
        "registering: {}", dropped.ok() ? registered.error().Format() : dropped.error().Format()));
    return;
  }
  CheckAllRefs(scene, *registered, "the registered table");
}

Result<Table> MakeNeighbour(Scene& scene, Worker& worker, const Table& table) {
  CreateTableRequest request;
  request.schema = *table.metadata->current_schema();
  FIRN_ASSIGN(Table neighbour,
              worker.process().catalog->Create({scene.name.levels, "neighbour"}, request));
  return neighbour;
}

void Purge(Scene& scene, Worker& worker) {
  const auto table = worker.Load();
  if (!table.ok()) return;
  const auto neighbour = MakeNeighbour(scene, worker, *table);
  scene.judge->BeginPurge();
  const auto purged = PurgeTable(worker.maintain_context(), *table);
  if (!neighbour.ok() || !purged.ok()) {
    scene.world->Violate(fmt::format(
        "purging: {}", neighbour.ok() ? purged.error().Format() : neighbour.error().Format()));
    return;
  }
  scene.judge->CheckPurged();
  const auto exists = FileExists(*scene.world->true_io(), neighbour->metadata_location);
  if (!exists.ok() || !*exists) scene.world->Violate("a table was purged with its neighbour");
  if (worker.process().catalog->Load(scene.name).ok()) {
    scene.world->Violate("a table is there after it was purged");
  }
}

}  // namespace

void EndTable(Scene& scene, Random& random) {
  Process& process = scene.world->AddProcess("the end");
  Worker worker(scene, process, random);
  for (const TableName& name : scene.other_names)
    (void)process.catalog->Drop(name, DropFiles::kKeep);  // Most are gone.
  CheckFolders(scene);
  const uint64_t drawn = random.Below(3);
  if (drawn == 0) Purge(scene, worker);
  if (drawn == 1 && scene.world->catalog_kind() == CatalogKind::kPointer) {
    RegisterAnew(scene, worker);
  }
}

}  // namespace firn::simulation
