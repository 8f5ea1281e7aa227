#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firn/base/clock.h"
#include "firn/base/random.h"
#include "firn/catalog/catalog.h"
#include "firn/catalog/pointer_store.h"
#include "firn/io/io.h"
#include "firn/testing/file_operation.h"
#include "firn/testing/turns.h"

/// The world in which the simulation runs: actors take turns at every call of files and catalogs,
/// and calls go wrong by chance. All of it follows from one seed.

namespace firn::simulation {

/// How a call goes wrong, in the eyes of the one who calls.
enum class Fault {
  kNone,
  kBefore,      ///< An error, and nothing happened.
  kAfter,       ///< It happened, but the answer is an error.
  kLater,       ///< An error; it happens some time later.
  kTwice,       ///< It happens twice, and the answer is that of the second time.
  kSlowBefore,  ///< It happens late.
  kSlowAfter,   ///< Its answer comes late.
  kDieBefore,   ///< The process ends before the call,
  kDieAfter,    ///< or before it can do anything with the answer.
};

/// In how many of 10,000 calls each kind of fault happens.
struct FaultShares {
  uint64_t file_errors = 0;
  uint64_t catalog_errors = 0;
  uint64_t slow_calls = 0;
  uint64_t deaths = 0;
};

enum class CatalogKind { kPointer, kHadoop };

struct WorldOptions {
  uint64_t seed = 0;
  CatalogKind catalog = CatalogKind::kPointer;
  FaultShares faults;
  uint64_t keep_percent = 0;  ///< See TurnsOptions.
  /// Who looks whether the owner of a journal still runs is told that it does not.
  bool takes_owners_for_dead = false;
};

/// What went wrong for an operation, to judge what it may leave behind.
struct FaultCounts {
  int64_t any = 0;             ///< Errors that were injected, and deaths.
  int64_t unclear = 0;         ///< Of calls that happened, or may have, although they failed.
  int64_t failed_deletes = 0;  ///< Deletions of files.
  int64_t twice = 0;           ///< Calls that happened twice.
};

/// A process. Its calls fail once it has died, until it is started again.
struct Process {
  std::string name;
  bool is_dead = false;
  std::chrono::milliseconds clock_skew{0};
  std::shared_ptr<Catalog> catalog;
  FaultCounts faults;  ///< Since they were last reset.
  /// Called once, when it is about to commit.
  std::function<void()> before_commit;
  /// What it works on; files that it makes belong to that.
  int64_t operation = 0;
};

/// Told what truly happens, whatever the processes believe.
class Witness {
 public:
  virtual ~Witness() = default;
  /// The table's current metadata file is `location` from now on.
  virtual void SeeTableMove(const std::string& location) = 0;
  /// A catalog gets this request for a table, before it does anything.
  virtual void SeeRequest(const TableName& name, std::span<const TableRequirement> requirements,
                          std::span<const TableUpdate> updates) = 0;
  virtual void SeePublish(const std::string& uri) = 0;
  virtual void SeeDelete(const std::string& uri) = 0;
};

class World {
 public:
  World(Executor& threads, const WorldOptions& options);
  ~World();

  /// Actors are given in the order of Run; see Turns. Index `processes` is the network: it lets
  /// happen what was put off.
  Process& AddProcess(std::string name);
  void Run(std::vector<std::function<void(Process&)>> actors);

  /// Tell `witness` from now on.
  void SetWitness(Witness& witness) { witness_ = &witness; }
  Witness* witness() { return witness_; }

  Turns& turns() { return turns_; }
  Random& random() { return *random_; }
  Timestamp now() const;

  /// Without turns or faults: for who judges.
  std::shared_ptr<FileIO> true_io() { return memory_; }
  /// With both.
  std::shared_ptr<FileIO> io() { return io_; }
  Clock& clock() { return *clock_; }
  CatalogKind catalog_kind() const { return options_.catalog; }
  const WorldOptions& options() const { return options_; }

  /// A catalog as a new process opens it.
  std::shared_ptr<Catalog> OpenCatalog();
  /// Where the table is now. Errors: kNotFound.
  Result<std::string> TableLocation(const TableName& name);

  /// Whether something was put off that has not happened yet.
  bool has_late() const { return !late_.empty(); }

  /// Null outside Run and for the network.
  Process* current_process();

  /// A step of the run, in words, for who repeats it.
  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    if (is_traced_) AddNote(fmt::format(text, std::forward<Args>(args)...));
  }
  void Trace(bool is_traced) { is_traced_ = is_traced; }
  const std::vector<std::string>& notes() const { return notes_; }

  /// Something that must not be: the run ends as soon as it can. The first one counts.
  void Violate(std::string message);
  const std::optional<std::string>& violation() const { return violation_; }

  /// No more faults: what follows must work.
  void Heal();

  // For the parts of the world.
  enum class Call { kFileRead, kFileWrite, kPublish, kDelete, kCatalogLoad, kCatalogCommit, kSwap };
  /// Let others pass, then let `effect`, the only thing that a call does, happen as the next fault
  /// has it. `unclear` answers a call that may have happened.
  template <typename Effect>
  auto Do(Call call, std::string_view what, const Error& unclear, Effect effect)
      -> decltype(effect());
  static Error DeadError();
  /// The second of two calls may be told this because of the first.
  static bool IsRefusal(ErrorCode code);
  static Error Unavailable(std::string_view what);
  static Error Unknown(std::string_view what);

 private:
  Fault DrawFault(Call call, std::string_view what);
  void PutOff(std::string what, std::function<void()> effect);
  void WaitSlowly();
  void RunNetwork();
  void AddNote(std::string text);
  Fault ChooseError(Call call);

  WorldOptions options_;
  std::unique_ptr<Random> random_;
  Turns turns_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Clock> true_clock_;
  std::shared_ptr<FileIO> memory_;
  std::shared_ptr<FileIO> io_;
  std::shared_ptr<PointerStore> store_;
  std::unique_ptr<Random> process_random_;
  std::vector<std::unique_ptr<Process>> processes_;
  struct Late {
    std::chrono::nanoseconds due;
    std::string what;
    std::function<void()> effect;
  };
  std::vector<Late> late_;
  Witness* witness_ = nullptr;
  bool is_traced_ = false;
  std::vector<std::string> notes_;
  std::optional<std::string> violation_;
};

template <typename Effect>
auto World::Do(Call call, std::string_view what, const Error& unclear, Effect effect)
    -> decltype(effect()) {
  switch (DrawFault(call, what)) {
    case Fault::kNone:
      return effect();
    case Fault::kBefore:
      return Unavailable(what);
    case Fault::kAfter:
      (void)effect();
      return unclear;
    case Fault::kLater:
      PutOff(std::string(what), [effect]() mutable { (void)effect(); });
      return unclear;
    case Fault::kTwice: {
      const auto first = effect();
      auto second = effect();
      // What the first one left open the second one does not settle unless it succeeds.
      const bool is_open = !first.ok() && first.error().code() == ErrorCode::kCommitUnknown;
      const bool is_clear =
          second.ok() || (!is_open && (!first.ok() || IsRefusal(second.error().code())));
      if (is_clear) return second;
      return unclear;
    }
    case Fault::kSlowBefore:
      WaitSlowly();
      return effect();
    case Fault::kSlowAfter: {
      auto result = effect();
      WaitSlowly();
      return result;
    }
    case Fault::kDieBefore:
      return DeadError();
    case Fault::kDieAfter:
      (void)effect();
      return DeadError();
  }
  return DeadError();
}

/// A file system whose calls go through `world`.
std::shared_ptr<FileIO> MakeWorldFileIO(World& world, std::shared_ptr<FileIO> io);

/// The text of a journal's owner.json as if that process were gone: all processes of a run have one
/// and the same id.
std::string AsDeadOwner(std::string text);

/// A store of pointers whose calls go through `world`; `inner` is shared by all processes.
std::unique_ptr<PointerStore> MakeWorldStore(World& world, std::shared_ptr<PointerStore> inner);

/// A catalog whose calls go through `world`.
std::shared_ptr<Catalog> MakeWorldCatalog(World& world, std::shared_ptr<Catalog> inner);

}  // namespace firn::simulation
