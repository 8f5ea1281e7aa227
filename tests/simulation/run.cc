#include "run.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "actor.h"
#include "endings.h"
#include "parquet_files.h"

namespace firn::simulation {
namespace {

constexpr size_t kActorsMax = kThreads - 1;  // One is the network.

/// All that differs from run to run.
struct Setting {
  WorldOptions world;
  size_t actors = 2;
  size_t steps = 8;
  int format_version = 2;
  bool is_partitioned = false;
  bool has_changing_spec = false;
  bool has_expiry = false;
  bool has_replacement = false;
  bool has_moves = false;
  bool has_parquet = false;
  Focus focus = Focus::kNone;
  Properties properties;
};

uint64_t OneOf(Random& random, std::initializer_list<uint64_t> values) {
  return *(values.begin() + random.Below(values.size()));
}

/// Most runs are quiet in some way, since in a storm of faults little is ever proved.
FaultShares DrawFaults(Random& random) {
  FaultShares faults;
  if (random.Below(4) == 0) return faults;
  faults.file_errors = OneOf(random, {0, 0, 20, 100, 400});
  faults.catalog_errors = OneOf(random, {0, 0, 100, 400, 1500});
  faults.slow_calls = OneOf(random, {0, 50, 300});
  faults.deaths = OneOf(random, {0, 0, 20, 80});
  return faults;
}

void SetFocus(Setting& setting, Random& random) {
  constexpr Focus kAll[] = {Focus::kDeletes, Focus::kKeys,    Focus::kKeys,    Focus::kRefs,
                            Focus::kColumns, Focus::kColumns, Focus::kAdoption};
  if (random.Below(3) != 0) return;
  setting.focus = kAll[random.Below(std::size(kAll))];
  switch (setting.focus) {
    case Focus::kNone:
      break;
    case Focus::kDeletes:
      setting.format_version = std::max(setting.format_version, 2);
      setting.has_changing_spec = false;
      break;
    case Focus::kKeys:
      setting.format_version = 2 + static_cast<int>(random.Below(2));
      setting.has_changing_spec = false;
      setting.has_replacement = false;
      setting.is_partitioned = false;  // Few files, so that all work on the same ones.
      setting.actors = std::max<size_t>(setting.actors, 3);
      setting.steps = 10;
      if (random.Below(2) == 0) setting.world.faults = {};
      break;
    case Focus::kRefs:
      setting.has_moves = true;
      break;
    case Focus::kColumns:
      setting.has_changing_spec = random.Below(2) == 0;
      break;
    case Focus::kAdoption:
      setting.has_parquet = true;
      break;
  }
}

Setting DrawSetting(uint64_t seed) {
  const auto random = MakeSeededRandom(seed);
  Setting setting;
  setting.world.seed = seed;
  setting.world.catalog = random->Below(2) == 0 ? CatalogKind::kPointer : CatalogKind::kHadoop;
  setting.world.keep_percent = OneOf(*random, {0, 50, 90});
  setting.world.faults = DrawFaults(*random);
  setting.actors = 2 + random->Below(kActorsMax - 1);
  setting.steps = 4 + random->Below(8);
  setting.format_version = 1 + static_cast<int>(random->Below(3));
  setting.is_partitioned = random->Below(2) == 0;
  setting.has_changing_spec = random->Below(4) == 0;
  Properties& properties = setting.properties;
  properties["commit.retry.num-retries"] = std::to_string(OneOf(*random, {0, 2, 4, 20}));
  properties["commit.manifest.min-count-to-merge"] = std::to_string(OneOf(*random, {2, 4, 100}));
  if (random->Below(3) == 0) properties["commit.manifest.target-size-bytes"] = "6000";
  if (random->Below(3) == 0) {
    properties["write.metadata.delete-after-commit.enabled"] = "true";
    properties["write.metadata.previous-versions-max"] = std::to_string(1 + random->Below(4));
  }
  if (random->Below(4) == 0) properties["write.metadata.compression-codec"] = "gzip";
  if (random->Below(2) == 0) properties["commit.status-check.num-retries"] = "1";
  setting.has_expiry = random->Below(2) == 0;
  if (random->Below(3) == 0) properties["write.wap.enabled"] = "true";
  setting.has_replacement = random->Below(4) == 0;
  setting.has_moves = random->Below(3) == 0;
  setting.has_parquet = random->Below(5) == 0;
  setting.world.takes_owners_for_dead = random->Below(3) == 0;
  SetFocus(setting, *random);
  if (setting.has_parquet) {
    setting.steps = 3 + random->Below(6);
    properties["write.parquet.compression-codec"] = "snappy";
  }
  return setting;
}

NestedField Column(int32_t id, std::string name, TypeId type, bool required) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  field.required = required;
  return field;
}

Table MakeTable(World& world, const TableName& name, const Setting& setting) {
  const std::shared_ptr<Catalog> catalog = world.OpenCatalog();
  FIRN_CHECK(catalog->CreateNamespace(name.levels, {}).ok());
  CreateTableRequest request;
  request.schema =
      Schema(0, {Column(1, "id", TypeId::kLong, true), Column(2, "cat", TypeId::kString, false)});
  if (setting.is_partitioned) {
    request.spec.fields.push_back(
        {.source_ids = {2}, .field_id = 1000, .name = "cat", .transform = {}});
  }
  request.properties = setting.properties;
  request.format_version = setting.format_version;
  auto table = catalog->Create(name, request);
  FIRN_CHECK(table.ok());
  return *std::move(table);
}

/// One try of `operation` by a process, which is a new one if the last has died.
void Try(Scene& scene, Process& process, Random& random, const Job& job, Operation& operation) {
  process.faults = {};
  process.before_commit = {};
  process.operation = operation.number;
  operation.end = OperationEnd::kRunning;
  Worker worker(scene, process, random);
  const JobResult result = job.run(worker, operation);
  scene.judge->End(operation, process, result.ok() ? Status() : Status(result.error()),
                   result.ok() ? *result : std::nullopt);
  process.operation = 0;
  process.before_commit = {};
  if (!process.is_dead) return;
  scene.judge->BuryOwner(operation);
  process.is_dead = false;
  process.catalog = scene.world->OpenCatalog();
}

/// A kind of work, and how often it is chosen in this run.
struct Offer {
  const Job* job = nullptr;
  uint64_t weight = 0;
};

/// The work of a run with a focus; empty: any.
std::set<std::string_view> NamesOf(Focus focus) {
  switch (focus) {
    case Focus::kNone:
      break;
    case Focus::kDeletes:
      return {"append",
              "delete by key",
              "delete",
              "delete, merge-on-read",
              "merge, merge-on-read",
              "update",
              "compact",
              "rewrite position deletes",
              "convert equality deletes",
              "upgrade"};
    case Focus::kKeys:
      return {"append",  "delete by key",           "delete", "delete, merge-on-read",
              "compact", "convert equality deletes"};
    case Focus::kRefs:
      return {"append",        "stage",        "publish",
              "make a branch", "roll back",    "roll back to a time",
              "set current",   "fast forward", "replace a ref",
              "drop a ref",    kExpiryName};
    case Focus::kColumns:
      return {"append",
              "delete",
              "delete, merge-on-read",
              "delete, copy-on-write",
              "merge",
              "update",
              "compact",
              "add a column",
              "drop a column",
              "rename a column",
              "widen a column",
              "move a column",
              "change the spec",
              "set the sort order",
              "rewrite manifests",
              "read",
              "inspect",
              "ingest",
              kExpiryName};
    case Focus::kAdoption:
      return {"append",
              "snapshot a folder",
              "migrate a folder",
              "drop an adopted table",
              "make a table and purge it",
              "register again",
              "add files",
              kOrphansName,
              kExpiryName};
  }
  return {};
}

/// Of what is possible a run has some often and some never, since what takes three certain kinds of
/// work in a row seldom happens where there are thirty. The first one, appending, is always there.
std::vector<Offer> DrawOffers(const Scene& scene, Random& random) {
  std::vector<Offer> offers;
  const std::set<std::string_view> focus = NamesOf(scene.focus);
  const auto offer = [&](const std::vector<Job>& kind) {
    for (const Job& job : kind) {
      const uint64_t own = focus.contains(job.name) ? OneOf(random, {2, 4, 8}) : 0;
      const uint64_t any = job.weight * OneOf(random, {0, 0, 1, 1, 5});
      offers.push_back({&job, focus.empty() ? any : own});
    }
  };
  if (scene.has_parquet) {
    offer(ParquetJobs());
    offer(ReadingJobs());
    offer(NeighbourJobs());
    if (scene.has_expiry) offer(CycleJobs());
  } else {
    offer(FileJobs());
    offer(DeleteJobs());
    offer(StagingJobs());
    if (scene.has_replacement) offer(ReplacementJobs());
  }
  offer(PublishingJobs());
  offer(TableJobs());
  offer(SchemaJobs());
  offer(LookingJobs());
  if (scene.has_moves) offer(RefJobs());
  if (scene.has_expiry) offer(MaintenanceJobs());
  const bool is_of_few = scene.focus == Focus::kKeys;
  offers.front().weight = is_of_few ? 3 : std::max<uint64_t>(offers.front().weight, 5);
  return offers;
}

const Job& ChooseJob(const std::vector<Offer>& offers, Random& random) {
  uint64_t total = 0;
  for (const Offer& offer : offers)
    total += offer.weight;
  uint64_t drawn = random.Below(total);
  for (const Offer& offer : offers) {
    if (drawn < offer.weight) return *offer.job;
    drawn -= offer.weight;
  }
  return *offers.back().job;
}

void Act(Scene& scene, Process& process, const std::vector<Offer>& jobs, uint64_t seed,
         size_t steps) {
  const auto random = MakeSeededRandom(seed);
  for (size_t step = 0; step < steps && !scene.world->violation(); ++step) {
    const Job& job = ChooseJob(jobs, *random);
    Operation& operation = scene.judge->NewOperation(job.name);
    scene.world->Note("begins operation {}: {}", operation.number, job.name);
    Try(scene, process, *random, job, operation);
    for (int again = 0; again < 3 && operation.may_repeat && !scene.world->violation(); ++again) {
      if (operation.end == OperationEnd::kSucceeded && random->Below(4) != 0) break;
      scene.world->Note("tries operation {} again", operation.number);
      Try(scene, process, *random, job, operation);
    }
  }
}

std::string_view FocusName(Focus focus) {
  constexpr std::string_view kNames[] = {"",
                                         ", deletes above all",
                                         ", keys above all",
                                         ", refs above all",
                                         ", columns above all",
                                         ", adoption above all"};
  return kNames[static_cast<size_t>(focus)];
}

std::string Describe(const Setting& setting) {
  const FaultShares& faults = setting.world.faults;
  std::string text = fmt::format(
      "{}{} catalog, version {}{}{}{}{}{}{}, {} actors of {} steps; of 10,000 calls {} of files "
      "and "
      "{} "
      "of "
      "catalogs fail, {} are slow, {} end the process;",
      setting.has_parquet ? "Parquet, " : "",
      setting.world.catalog == CatalogKind::kPointer ? "pointer" : "Hadoop", setting.format_version,
      setting.is_partitioned ? ", partitioned" : "",
      setting.has_changing_spec ? ", changing spec" : "", setting.has_expiry ? ", expiry" : "",
      setting.has_replacement ? ", replacement" : "", setting.has_moves ? ", moves" : "",
      FocusName(setting.focus), setting.actors, setting.steps, faults.file_errors,
      faults.catalog_errors, faults.slow_calls, faults.deaths);
  for (const auto& [key, value] : setting.properties)
    text += fmt::format(" {}={}", key, value);
  return text;
}

/// Whatever happened, the next commit must work.
void CheckStillWorks(Scene& scene, Random& random) {
  scene.world->Heal();
  Process& process = scene.world->AddProcess("after all");
  // A lost hint and a version that was not deleted hide what came later from a Hadoop catalog until
  // the next commit, which may fail over it but puts the hint right.
  const std::vector<TableUpdate> update = {SetProperties{{{"sim.after", "1"}}}};
  const auto first = process.catalog->Commit(scene.name, {}, update);
  scene.world->Note("first commit after all: {}", first.ok() ? "ok" : first.error().Format());
  Operation& operation = scene.judge->NewOperation("append");
  const Job& append = scene.has_parquet ? ParquetJobs().front() : FileJobs().front();
  Try(scene, process, random, append, operation);
  if (operation.end == OperationEnd::kSucceeded || scene.world->violation()) return;
  scene.world->Violate("the table cannot be appended to");
}

std::string_view EndName(OperationEnd end) {
  switch (end) {
    case OperationEnd::kSucceeded:
      return "succeeded";
    case OperationEnd::kFailed:
      return "failed";
    case OperationEnd::kDied:
      return "died";
    case OperationEnd::kRunning:
    case OperationEnd::kUnknown:
      return "unknown";
  }
  return "";
}

void Count(const Judge& judge, SeedResult& result) {
  result.count["snapshots"] = judge.snapshot_count();
  for (const auto& [number, operation] : judge.operations()) {
    ++result.count["operations"];
    ++result.count[std::string(EndName(operation.end))];
  }
}

}  // namespace

SeedResult RunSeed(Executor& threads, uint64_t seed, bool is_traced) {
  const Setting setting = DrawSetting(seed);
  World world(threads, setting.world);
  world.Trace(is_traced);
  const TableName name{{"db"}, "t"};
  const auto executor = MakeInlineExecutor();
  MemoryBudget budget(int64_t{256} << 20);
  ParquetFiles parquet(*executor, budget);
  ReadRows read_rows = ReadTinyTable;
  if (setting.has_parquet) {
    read_rows = [&parquet](const auto& io, const Table& table, SnapshotId id) {
      return parquet.ReadTable(io, table, id);
    };
  }
  Judge judge(world, name, read_rows);
  if (setting.has_moves) judge.AllowMoves();
  Scene scene;
  scene.world = &world;
  scene.judge = &judge;
  scene.name = name;
  scene.has_changing_spec = setting.has_changing_spec;
  scene.has_expiry = setting.has_expiry;
  scene.has_replacement = setting.has_replacement;
  scene.has_moves = setting.has_moves;
  scene.has_parquet = setting.has_parquet;
  scene.focus = setting.focus;
  scene.read_rows = read_rows;
  scene.executor = executor.get();
  scene.budget = &budget;
  judge.Begin(MakeTable(world, name, setting));
  world.SetWitness(judge);

  const auto random = MakeSeededRandom(seed + 1);
  const std::vector<Offer> offers = DrawOffers(scene, *random);
  std::vector<std::function<void(Process&)>> actors;
  for (size_t i = 0; i < setting.actors; ++i) {
    world.AddProcess(fmt::format("actor {}", i + 1));
    actors.emplace_back([&scene, &setting, &offers, seed, i](Process& process) {
      Act(scene, process, offers, seed * 100 + i, setting.steps);
    });
  }
  world.Run(std::move(actors));
  if (!world.violation()) CheckStillWorks(scene, *random);
  if (!world.violation()) judge.CheckEnd();
  if (!world.violation()) EndTable(scene, *random);

  SeedResult result;
  result.violation = world.violation();
  result.trace = world.notes();
  result.setting = Describe(setting);
  Count(judge, result);
  return result;
}

}  // namespace firn::simulation
