#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "firn/base/result.h"
#include "firn/catalog/table_name.h"
#include "firn/format/metadata/table_metadata.h"

/// What catalogs with a metastore have in common: rows that name the metadata file of each table
/// and change by compare-and-set. `pointer_catalog.h` makes a catalog of a store.

namespace firn {

/// Thread-safe. Unless said otherwise an error means that nothing changed.
class PointerStore {
 public:
  virtual ~PointerStore() = default;

  /// Directly below `parent`, sorted. Errors: kNotFound.
  virtual Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
  virtual Result<bool> HasNamespace(const Namespace& levels) = 0;
  /// Errors: kAlreadyExists; kInvalidInput for names that the store cannot hold.
  virtual Status CreateNamespace(const Namespace& levels, const Properties& properties) = 0;
  /// Errors: kNotFound; kInvalidInput if it is not empty.
  virtual Status DropNamespace(const Namespace& levels) = 0;
  virtual Result<Properties> LoadNamespace(const Namespace& levels) = 0;
  virtual Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                                 std::span<const std::string> removals) = 0;

  /// Directly in `levels`, sorted. Errors: kNotFound.
  virtual Result<std::vector<TableName>> ListTables(const Namespace& levels) = 0;

  /// Where the metadata of the table is. Errors: kNotFound.
  virtual Result<std::string> FindTable(const TableName& name) = 0;

  /// Errors: kAlreadyExists; kCommitUnknown: the row may have been made.
  virtual Status InsertTable(const TableName& name, const std::string& location) = 0;

  /// Move the table from `base` to `next` if it is at `base`. Errors: kCommitConflict: it is not,
  /// or is gone; kCommitUnknown: it may have moved.
  virtual Status SwapTable(const TableName& name, const std::string& base,
                           const std::string& next) = 0;

  /// Whether tables can be moved at all. Errors: kPermissionDenied: the store can be read only.
  virtual Status CheckWritable() { return {}; }

  /// Errors: kNotFound, kAlreadyExists.
  virtual Status RenameTable(const TableName& from, const TableName& to) = 0;

  /// Errors: kNotFound.
  virtual Status DeleteTable(const TableName& name) = 0;
};

/// Names live as long as the store.
std::unique_ptr<PointerStore> MakeMemoryStore();

}  // namespace firn
