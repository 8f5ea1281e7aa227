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
#include "firn/format/table_metadata.h"
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
  /// Errors  kCommitConflict: a requirement failed or another writer won; nothing changed.
  ///         kCommitUnknown: no answer came, so the change may have happened. Delete no file.
  virtual Result<Table> Commit(const TableName& name,
                               std::span<const TableRequirement> requirements,
                               std::span<const TableUpdate> updates) = 0;

  /// Name an existing metadata file. Errors: kAlreadyExists, kNotFound, kUnsupported.
  virtual Result<Table> Register(const TableName& name, const std::string& metadata_location) = 0;

  /// Errors: kNotFound, kAlreadyExists, kUnsupported.
  virtual Status Rename(const TableName& from, const TableName& to) = 0;

  /// Forget the table; its files stay. Errors: kNotFound.
  virtual Status Drop(const TableName& name) = 0;
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

/// Read the table at a location: a metadata file, or a folder in Hadoop layout.
Result<Table> LoadTableAt(std::shared_ptr<FileIO> io, const std::string& location);

}  // namespace firn
