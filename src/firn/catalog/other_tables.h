#pragma once

#include <functional>

#include "firn/base/cancel.h"
#include "firn/base/executor.h"
#include "firn/catalog/catalog.h"
#include "firn/io/real_names.h"

/// What else lives in a catalog, for those who must not touch the files of others.

namespace firn {

/// Whether an error says that a store or a catalog does not answer, rather than that there is
/// nothing, or something that cannot be read.
bool IsSilent(const Error& error);

/// Call `visit` for all tables of the catalog but the one called `own`, several at a time. Tables
/// that cannot be read are logged and passed over, since what is broken for others must not stop
/// this one; in a catalog of very many tables only those of the same namespace are looked at.
/// Errors: those of `visit`; kUnavailable: the catalog or a table does not answer.
Status VisitOtherTables(Catalog& catalog, const TableName& own, Executor& executor,
                        const CancelToken& cancel,
                        const std::function<Status(const Table&)>& visit);

/// A folder of each that overlap: one is, or lies in, the other. Empty: none.
struct FolderOverlap {
  std::string mine;
  std::string other;
};
Result<std::optional<FolderOverlap>> FindOverlap(const RealNames& names,
                                                 const std::vector<std::string>& mine,
                                                 const std::vector<std::string>& others);

}  // namespace firn
