#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/random.h"
#include "firn/base/result.h"
#include "firn/catalog/table_name.h"
#include "firn/catalog/table_update.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/io/io.h"

/// A catalog knows one thing about a table: where its current metadata file is. It reads that
/// location and moves it forward atomically; all else about a table is in the table's own files.

namespace firn {

/// A table as it was when it was loaded. A plain value: reload to see newer commits.
struct Table {
  TableName name;
  std::string metadata_location;
  TableMetadataPtr metadata;
  std::shared_ptr<FileIO> io;
};

/// A table to be made.
struct CreateTableRequest {
  Schema schema;
  PartitionSpec spec;
  SortOrder sort_order;
  std::string location;  ///< Empty: the catalog's default for the name.
  Properties properties;
  int format_version = 2;
};

/// What becomes of the files of a dropped table.
enum class DropFiles {
  kKeep,    ///< They stay; the table can be registered again.
  kDelete,  ///< The caller deletes them next. A catalog whose pointer is a file deletes that.
};

/// Maps table names to tables. Thread-safe; one instance serves the whole process.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// Namespaces directly below `parent`. Errors: kNotFound.
  virtual Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
  /// Errors: kAlreadyExists, kUnsupported.
  virtual Status CreateNamespace(const Namespace& levels, const Properties& properties) = 0;
  /// Errors: kNotFound; kInvalidInput if tables or namespaces are in it.
  virtual Status DropNamespace(const Namespace& levels) = 0;
  virtual Result<Properties> LoadNamespace(const Namespace& levels) = 0;
  virtual Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                                 std::span<const std::string> removals) = 0;

  /// Tables directly in `levels`. Errors: kNotFound.
  virtual Result<std::vector<TableName>> ListTables(const Namespace& levels) = 0;

  /// Return the table as of now. Errors: kNotFound, kCorrupt.
  virtual Result<Table> Load(const TableName& name) = 0;

  /// Errors: kAlreadyExists; kNotFound if the namespace is missing.
  virtual Result<Table> Create(const TableName& name, const CreateTableRequest& request) = 0;

  /// Apply `updates` if all of `requirements` hold, atomically across processes.
  ///
  /// Errors  kCommitConflict: a requirement failed or another writer won.
  ///         kCommitUnknown: it may have happened: delete no file. Any other: nothing changed.
  virtual Result<Table> Commit(const TableName& name,
                               std::span<const TableRequirement> requirements,
                               std::span<const TableUpdate> updates) = 0;

  /// Name an existing metadata file. Errors: kAlreadyExists, kNotFound, kUnsupported.
  virtual Result<Table> Register(const TableName& name, const std::string& metadata_location) = 0;

  /// Errors: kNotFound, kAlreadyExists, kUnsupported.
  virtual Status Rename(const TableName& from, const TableName& to) = 0;

  /// Forget the table. Errors: kNotFound; kUnsupported: the catalog cannot keep the files.
  virtual Status Drop(const TableName& name, DropFiles files = DropFiles::kKeep) = 0;
};

/// What a catalog is opened with.
struct CatalogConfig {
  std::string name;       ///< "lake"
  std::string type;       ///< "sql", "hadoop", "memory", ...
  Properties properties;  ///< Flattened: "warehouse", "uri", ...
  std::shared_ptr<FileIO> io;
  Clock* clock = nullptr;
  Random* random = nullptr;
};

/// Open the catalog that `config.type` names. Errors: kInvalidInput, with the known types.
Result<std::unique_ptr<Catalog>> OpenCatalog(const CatalogConfig& config);

/// The type that a text means: "sql" for "jdbc" or the name of Java's class. Errors: as above.
Result<std::string> ResolveCatalogType(std::string_view text);

/// Read the table at a location: a metadata file of any name, or a table's folder. In a folder the
/// newest `vN.metadata.json` counts, else the `N-<uuid>.metadata.json` of the highest N, which is a
/// guess where a catalog decides. Errors: kNotFound; kInvalidInput: several files have that N.
Result<Table> LoadTableAt(std::shared_ptr<FileIO> io, const std::string& location);

/// A catalog of the one table in `folder`, whatever name it is called by. Commits as the Hadoop
/// catalog does; `config` gives files, clock and randomness.
std::unique_ptr<Catalog> OpenTableFolder(const CatalogConfig& config, const std::string& folder);

/// True if `folder` holds a table in Hadoop layout, which `OpenTableFolder` can change.
Result<bool> IsTableFolder(FileIO& io, const std::string& folder);

}  // namespace firn
