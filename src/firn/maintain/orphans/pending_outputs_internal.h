#pragma once

#include <functional>
#include <string_view>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Call `visit` for the files that rewrites of a table have written and may still commit: those of
/// runs at work, and those that a later run may take over (kJournalAgeMax). A file may be visited
/// twice. Errors: those of reading journals, since files of one that cannot be read may be
/// anybody's.
Status VisitPendingOutputs(const MaintainContext& context, const Table& table, Timestamp now,
                           const std::function<Status(std::string_view uri)>& visit);

}  // namespace firn
