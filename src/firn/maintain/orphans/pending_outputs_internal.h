#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Call `visit` for the files that rewrites of a table have written and may still commit: those of
/// runs at work, and those that a later run may take over (kJournalAgeMax). A file may be visited
/// twice. Errors: those of reading journals, since files of one that cannot be read may be
/// anybody's.
Status VisitPendingOutputs(const MaintainContext& context, const Table& table, Timestamp now,
                           const std::function<Status(std::string_view uri)>& visit);

/// The journal of a rewrite that nobody will take up.
struct EndedJournal {
  std::string location;
  std::vector<std::string> files;
};

/// Journals in which nothing is pending and nothing was written since `cut_off`: those of runs that
/// were killed and never taken up. Files of unknown age keep theirs. Errors: those of reading.
Result<std::vector<EndedJournal>> FindEndedJournals(const MaintainContext& context,
                                                    const Table& table, Timestamp now,
                                                    Timestamp cut_off);

}  // namespace firn
