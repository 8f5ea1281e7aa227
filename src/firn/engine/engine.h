#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/memory_budget.h"
#include "firn/base/random.h"
#include "firn/base/row_stream.h"

/// The embedded SQL engine, DuckDB: SELECT over streams of rows, expressions over batches, and a
/// sort that spills. Its library is loaded when the first engine is opened. SQL text can reach the
/// rows that are handed in and nothing else: no file, no network, no extension, no setting. Times
/// are in UTC.

namespace firn {

struct EngineState;

struct EngineOptions {
  MemoryBudget* budget = nullptr;  ///< Outlives the engine; null: memory is capped, not counted.
  /// What the engine may hold, reserved in `budget` while it is open. What needs more is spilled.
  int64_t memory_bytes = int64_t{256} << 20;
  size_t threads = 1;            ///< At least 1; all queries share them.
  std::string temporary_folder;  ///< Where it spills; empty: the system's (TMPDIR).
  Random* random = nullptr;
  Clock* clock = nullptr;
  CancelToken cancel;
};

/// Rows that a query sees as the table `name`.
struct EngineInput {
  std::string name;
  RowStream rows;
};

struct SortKey {
  std::vector<std::string> column;  ///< A name, and names of fields below it.
  bool is_descending = false;
  bool nulls_first = false;
};

/// Thread-safe. The streams that it gives keep what they need of it, also when it is gone.
class Engine {
 public:
  /// Errors  kUnavailable: the library or a folder for temporary files is missing. kCancelled.
  static Result<Engine> Open(const EngineOptions& options);

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// The rows of one SELECT, computed as they are read; of inputs that are read in order, a plain
  /// selection keeps the order.
  ///
  /// Types   Nanoseconds with a zone come in, and go out, as times without one, in UTC; fixed and
  ///         UUID columns without extension type are BLOB.
  /// Errors  kInvalidInput, naming the place in the text: it is wrong, or is not one SELECT; or a
  ///         value does not fit (in the stream). kPermissionDenied: it wants what it may not reach.
  ///         kUnsupported: a column of an unknown type. In the stream: those of the inputs,
  ///         kResourceExhausted, kCancelled.
  Result<RowStream> Query(const std::string& sql, std::vector<EngineInput> inputs) const;

  /// All rows of `rows` in order, equal ones in any. NaN is larger than every number; bytes and
  /// text compare as bytes. Errors: as Query; kInvalidInput: no such column.
  Result<RowStream> Sort(RowStream rows, const std::vector<SortKey>& keys) const;

 private:
  friend class RowExpressions;
  explicit Engine(std::shared_ptr<EngineState> state) : state_(std::move(state)) {}
  std::shared_ptr<EngineState> state_;
};

}  // namespace firn
