#include "firn/catalog/commit_check.h"

namespace firn {

Status CheckCanCommit(Catalog& catalog, const Table& table) {
  auto* checker = dynamic_cast<CommitChecker*>(&catalog);
  return checker == nullptr ? Status() : checker->CheckCanCommit(table);
}

}  // namespace firn
