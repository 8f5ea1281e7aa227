#pragma once

#include "firn/catalog/catalog.h"

/// A commit comes after the work that it is for. What would be refused whatever it holds is to be
/// known before.

namespace firn {

/// What a catalog is besides if there are tables, or times, in which it refuses every commit.
class CommitChecker {
 public:
  virtual ~CommitChecker() = default;
  /// Whether a commit to `table`, loaded from this catalog, could succeed. Nothing is changed.
  /// Errors: as that commit would give, whatever it holds.
  virtual Status CheckCanCommit(const Table& table) = 0;
};

/// That of `catalog`; ok where it is none.
Status CheckCanCommit(Catalog& catalog, const Table& table);

}  // namespace firn
