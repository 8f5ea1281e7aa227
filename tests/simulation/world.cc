#include "world.h"

#include <algorithm>

#include "firn/catalog/pointer_catalog.h"
#include "firn/io/uri.h"

namespace firn::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Timestamp kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

/// The clock of the process that looks at it: clocks differ, and waiting lets others pass.
class WorldClock final : public Clock {
 public:
  WorldClock(World& world, bool is_true) : world_(world), is_true_(is_true) {}

  Timestamp Now() const override {
    const Process* process = is_true_ ? nullptr : world_.current_process();
    return world_.now() + (process == nullptr ? milliseconds(0) : process->clock_skew);
  }
  nanoseconds Elapsed() const override { return world_.turns().elapsed(); }
  Status Sleep(nanoseconds duration, const CancelToken& cancel) override {
    FIRN_RETURN_IF_ERROR(cancel.Check());
    const Process* process = world_.current_process();
    if (process != nullptr && process->is_dead) return World::DeadError();
    world_.turns().Sleep(duration);
    return cancel.Check();
  }

 private:
  World& world_;
  bool is_true_;
};

}  // namespace

World::World(Executor& threads, const WorldOptions& options)
    : options_(options),
      random_(MakeSeededRandom(options.seed * 3 + 1)),
      turns_(threads, {.seed = options.seed * 3 + 2, .keep_percent = options.keep_percent}),
      clock_(std::make_unique<WorldClock>(*this, false)),
      true_clock_(std::make_unique<WorldClock>(*this, true)),
      memory_(MakeMemoryFileIO(*true_clock_)),
      io_(MakeWorldFileIO(*this, memory_)),
      store_(MakeMemoryStore()),
      process_random_(MakeSeededRandom(options.seed * 3 + 3)) {}

World::~World() = default;

Timestamp World::now() const {
  return kStart + std::chrono::duration_cast<milliseconds>(turns_.elapsed());
}

std::shared_ptr<Catalog> World::OpenCatalog() {
  CatalogConfig config{.name = "sim",
                       .type = "hadoop",
                       .properties = {{"warehouse", "memory:/warehouse"}},
                       .io = io_,
                       .clock = clock_.get(),
                       .random = process_random_.get()};
  if (options_.catalog == CatalogKind::kHadoop) {
    auto catalog = firn::OpenCatalog(config);
    FIRN_CHECK(catalog.ok());
    return MakeWorldCatalog(*this, *std::move(catalog));
  }
  config.type = "pointer";
  return MakeWorldCatalog(*this, MakePointerCatalog(config, MakeWorldStore(*this, store_)));
}

Result<std::string> World::TableLocation(const TableName& name) {
  if (options_.catalog == CatalogKind::kPointer) return store_->FindTable(name);
  auto catalog = firn::OpenCatalog({.name = "sim",
                                    .type = "hadoop",
                                    .properties = {{"warehouse", "memory:/warehouse"}},
                                    .io = memory_,
                                    .clock = true_clock_.get(),
                                    .random = process_random_.get()});
  FIRN_CHECK(catalog.ok());
  FIRN_ASSIGN(const Table table, (*catalog)->Load(name));
  return table.metadata_location;
}

Process& World::AddProcess(std::string name) {
  processes_.push_back(std::make_unique<Process>());
  Process& process = *processes_.back();
  process.name = std::move(name);
  process.clock_skew = milliseconds(random_->Below(4001)) - milliseconds(2000);
  process.catalog = OpenCatalog();
  return process;
}

Process* World::current_process() {
  const std::optional<size_t> current = turns_.current();
  return current && *current < processes_.size() ? processes_[*current].get() : nullptr;
}

void World::Run(std::vector<std::function<void(Process&)>> actors) {
  FIRN_CHECK(actors.size() == processes_.size());
  std::vector<std::function<void()>> bodies;
  for (size_t i = 0; i < actors.size(); ++i)
    bodies.emplace_back([this, i, &actors] { actors[i](*processes_[i]); });
  bodies.emplace_back([this] { RunNetwork(); });
  turns_.Run(std::move(bodies));
}

// What was put off happens when it is due, even after all processes have ended.
void World::RunNetwork() {
  while (turns_.running_count() > 1 || !late_.empty()) {
    const auto due = std::find_if(late_.begin(), late_.end(), [this](const Late& late) {
      return late.due <= turns_.elapsed();
    });
    if (due == late_.end()) {
      turns_.Sleep(milliseconds(20));
      continue;
    }
    const Late late = std::move(*due);
    late_.erase(due);
    Note("late: {}", late.what);
    late.effect();
  }
}

void World::PutOff(std::string what, std::function<void()> effect) {
  const auto delay = milliseconds(random_->Below(random_->Below(2) == 0 ? 300 : 20'000));
  late_.push_back({turns_.elapsed() + delay, std::move(what), std::move(effect)});
}

void World::WaitSlowly() {
  turns_.Sleep(milliseconds(random_->Below(random_->Below(2) == 0 ? 200 : 10'000)));
}

void World::AddNote(std::string text) {
  const Process* process = current_process();
  notes_.push_back(fmt::format("{:>8} ms {:<12} {}",
                               std::chrono::duration_cast<milliseconds>(turns_.elapsed()).count(),
                               process == nullptr ? "-" : process->name, text));
}

void World::Violate(std::string message) {
  if (violation_) return;
  AddNote("VIOLATION " + message);
  violation_ = std::move(message);
}

void World::Heal() { options_.faults = {}; }

Error World::DeadError() { return Error(ErrorCode::kCancelled, "the process has died"); }

bool World::IsRefusal(ErrorCode code) {
  return code == ErrorCode::kCommitConflict || code == ErrorCode::kAlreadyExists ||
         code == ErrorCode::kNotFound;
}

Error World::Unavailable(std::string_view what) {
  return MakeError(ErrorCode::kUnavailable, "'{}': injected fault", what);
}

Error World::Unknown(std::string_view what) {
  return MakeError(ErrorCode::kCommitUnknown, "'{}': injected fault", what);
}

Fault World::ChooseError(Call call) {
  switch (call) {
    case Call::kFileRead:
    case Call::kFileWrite:
    case Call::kCatalogLoad:
      return Fault::kBefore;
    case Call::kSwap: {  // A store says "unknown", or that nothing happened; it never asks twice.
      constexpr Fault kKinds[] = {Fault::kBefore, Fault::kAfter, Fault::kLater};
      return kKinds[random_->Below(3)];
    }
    case Call::kPublish:
    case Call::kDelete:
    case Call::kCatalogCommit: {
      constexpr Fault kKinds[] = {Fault::kBefore, Fault::kAfter, Fault::kLater, Fault::kTwice};
      return kKinds[random_->Below(4)];
    }
  }
  return Fault::kNone;
}

Fault World::DrawFault(Call call, std::string_view what) {
  Process* process = current_process();
  if (process == nullptr) {
    turns_.Pass();
    return Fault::kNone;
  }
  if (process->is_dead || violation_) {
    process->is_dead = true;
    return Fault::kDieBefore;
  }
  // Files never change: when they are read makes no difference.
  if (call != Call::kFileWrite) turns_.Pass();
  const FaultShares& shares = options_.faults;
  const bool is_catalog =
      call == Call::kCatalogLoad || call == Call::kCatalogCommit || call == Call::kSwap;
  const uint64_t drawn = random_->Below(10'000);
  const uint64_t errors = is_catalog ? shares.catalog_errors : shares.file_errors;
  Fault fault = Fault::kNone;
  if (drawn < errors) {
    fault = ChooseError(call);
    if (fault == Fault::kTwice) ++process->faults.twice;
    if (fault != Fault::kTwice) ++process->faults.any;
    if (fault != Fault::kTwice && call == Call::kDelete) ++process->faults.failed_deletes;
    if (fault != Fault::kBefore) ++process->faults.unclear;
  } else if (drawn < errors + shares.slow_calls) {
    fault = random_->Below(2) == 0 ? Fault::kSlowBefore : Fault::kSlowAfter;
  } else if (drawn < errors + shares.slow_calls + shares.deaths) {
    fault = random_->Below(2) == 0 ? Fault::kDieBefore : Fault::kDieAfter;
    process->is_dead = true;
    ++process->faults.any;
  }
  if (fault != Fault::kNone) {
    constexpr const char* kNames[] = {"",           "fails",       "happens, answer lost",
                                      "put off",    "twice",       "slow",
                                      "slow after", "dies before", "dies after"};
    Note("{} {}", kNames[static_cast<size_t>(fault)], what);
  }
  return fault;
}

}  // namespace firn::simulation
