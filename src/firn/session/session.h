#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/cancel.h"
#include "firn/base/clock.h"
#include "firn/base/executor.h"
#include "firn/base/memory_budget.h"
#include "firn/base/random.h"
#include "firn/catalog/catalog.h"

/// Configuration becomes catalogs, file IO, memory budget and executor. One session serves a
/// process; it is thread-safe.

namespace firn {

/// Where settings come from, later ones win: file, environment, `--conf`.
struct SessionOptions {
  std::optional<std::string> config_path;  ///< `--config`; empty: the search path of the design.
  std::vector<std::string> conf;           ///< `--conf k=v`, with Spark's chained form.
  std::map<std::string, std::string> environment;
  std::string working_folder;  ///< For `./firn.toml` and `./warehouse`.
  std::string home_folder;
  std::optional<std::string> catalog;   ///< `--catalog`
  std::optional<int64_t> memory_bytes;  ///< `--memory`; default 1 GiB.
  std::optional<int64_t> threads;       ///< `--threads`; default: cores.
  Clock* clock = nullptr;               ///< Null: the system's.
  Random* random = nullptr;             ///< Null: the system's.
};

/// What the text of a table argument names.
struct TableReference {
  std::shared_ptr<Catalog> catalog;  ///< Null: a metadata file, which cannot be changed.
  std::string catalog_name;
  TableName name;
  std::string location;               ///< Set if the argument was a location.
  std::optional<std::string> branch;  ///< `.branch_X`
  std::optional<std::string> tag;     ///< `.tag_X`
  Table table;                        ///< Loaded.
};

class Session {
 public:
  virtual ~Session() = default;

  virtual Clock& clock() = 0;
  virtual Random& random() = 0;
  virtual Executor& executor() = 0;
  virtual MemoryBudget& budget() = 0;
  virtual std::shared_ptr<FileIO> io() = 0;
  virtual CancelToken cancel() = 0;

  /// A location as `io` opens it: a relative path means one in the working folder.
  virtual std::string AbsoluteLocation(std::string_view text) const = 0;

  virtual std::vector<CatalogConfig> catalogs() const = 0;  ///< By name.
  virtual const std::string& default_catalog() const = 0;

  /// Opened on first use. Errors: kInvalidInput for an unknown name, listing the configured ones.
  virtual Result<std::shared_ptr<Catalog>> OpenCatalogNamed(const std::string& name) = 0;

  /// Resolve and load: design, "Names". Errors: kNotFound, kInvalidInput.
  virtual Result<TableReference> ResolveTable(std::string_view text) = 0;

  /// The table at a location, also where the text looks like a name (a file in this folder).
  virtual Result<TableReference> ResolveLocation(std::string_view text) = 0;

  /// As above for a table that need not exist; `table` stays empty.
  virtual Result<TableReference> ResolveNewTable(std::string_view text) = 0;

  /// A namespace argument: catalog and levels.
  struct NamespaceReference {
    std::shared_ptr<Catalog> catalog;
    std::string catalog_name;
    Namespace levels;
  };
  virtual Result<NamespaceReference> ResolveNamespace(std::string_view text) = 0;
};

/// Errors: kInvalidInput, naming file, line and key.
Result<std::unique_ptr<Session>> OpenSession(const SessionOptions& options, CancelToken cancel);

}  // namespace firn
