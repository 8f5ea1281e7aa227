#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/io/real_names.h"
#include "firn/maintain/content_folders.h"
#include "firn/maintain/maintain_context.h"

namespace firn {

/// Tables of the catalog besides `table` that may need files in `folders`: one of their own
/// folders, or one that they took files over from, or one with files that their metadata names,
/// overlaps with one of these; or they are `table` by another name. With `content`, also those that
/// have files in `folders` for reasons that no property tells any more, going by all their
/// manifests; what of these cannot be read is logged and passed over, as is a table that cannot be
/// loaded.
/// Errors: those of VisitOtherTables; kInvalidInput: a table does not tell where it took them over.
Result<std::vector<Table>> FindTablesAt(const MaintainContext& context, const Table& table,
                                        const RealNames& names,
                                        const std::vector<std::string>& folders,
                                        ContentFolders* content = nullptr);

/// Call `visit` for each file that `table` reaches as of now: first, on this thread, those of its
/// metadata, then, on several, its content. What cannot be read is an error.
struct ReachableVisitor {
  std::function<Status(std::string_view path)> metadata;
  std::function<Status(std::string_view path)> content;
};
Status VisitReachable(const MaintainContext& context, const Table& table,
                      const ReachableVisitor& visit);

}  // namespace firn
