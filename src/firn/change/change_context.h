#pragma once

#include "firn/base/memory_budget.h"
#include "firn/commit/commit.h"
#include "firn/data/read/reader.h"
#include "firn/data/write/writer.h"

namespace firn {

/// What every change works with. The referenced objects outlive it.
struct ChangeContext {
  CommitContext commit;
  MemoryBudget* budget = nullptr;

  ReadContext ReadFrom(const Table& table) const {
    return {.io = table.io,
            .metadata = table.metadata,
            .executor = commit.executor,
            .budget = budget,
            .cancel = commit.cancel};
  }
  WriteContext WriteTo(const Table& table) const {
    return {.io = table.io,
            .metadata = table.metadata,
            .executor = commit.executor,
            .budget = budget,
            .cancel = commit.cancel,
            .random = commit.random};
  }
};

}  // namespace firn
