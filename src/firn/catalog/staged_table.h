#pragma once

#include <memory>
#include <vector>

#include "firn/catalog/catalog.h"

/// A table comes into being together with its first snapshot: files are written for a table that
/// nobody can see yet, and one step of the catalog makes it, rows and all. Whoever dies on the way
/// leaves no table.

namespace firn {

/// A table that is planned.
struct StagedTable {
  Table table;                        ///< Without a metadata file.
  std::vector<TableUpdate> creation;  ///< What makes it of nothing.
};

/// What a catalog is besides if it can make tables so: its `Commit` then takes the requirement
/// AssertCreate, alone, for a table that is to be made of nothing but the updates.
/// Errors of such a commit: kAlreadyExists: the name is taken, or the location by another table;
/// kNotFound: the namespace is missing; kCommitUnknown. Nothing changed but for the last.
class TableStager {
 public:
  virtual ~TableStager() = default;
  /// What `Create` would make. Nothing is written. Errors: those of Create.
  virtual Result<StagedTable> Stage(const TableName& name, const CreateTableRequest& request) = 0;
};

/// That of `catalog`. Errors: kUnsupported if it is none.
Result<StagedTable> StageTable(Catalog& catalog, const TableName& name,
                               const CreateTableRequest& request);

/// A catalog for one commit, in which the staged table is there, empty: the first commit to it
/// makes it in `inner`, which outlives this. All else is done by `inner`.
std::unique_ptr<Catalog> MakeStagedCatalog(Catalog& inner, StagedTable staged);

}  // namespace firn
