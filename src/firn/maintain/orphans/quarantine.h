#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

/// Where orphans wait before they go for good: `_firn_quarantine/<run>/<relative path>` below the
/// location that they were found in, with a list of what came from where, `manifest.jsonl`, that
/// is written before the first one moves. Readers and other engines take `_` names for hidden.

namespace firn {

/// The name of a new run: its time, and chance.
std::string NewQuarantineRun(Timestamp now, Random& random);

/// Move files into quarantine. Errors: those of writing the list; then nothing moved. A file that
/// cannot be moved stays and is counted.
struct MovedFiles {
  int64_t moved = 0;
  int64_t already_gone = 0;
  int64_t failed = 0;
  std::optional<Error> first_failure;
};
using VisitEachFile = std::function<Status(const std::function<Status(FileToDelete)>&)>;
Result<MovedFiles> MoveToQuarantine(const MaintainContext& context, FileIO& io,
                                    const std::string& location, const std::string& run,
                                    const VisitEachFile& visit_files);

struct QuarantineRun {
  std::string name;
  Timestamp time{};
  int64_t file_count = 0;
  int64_t bytes = 0;
};

/// Runs below `location`, oldest first. Errors: those of listing; no quarantine is an empty list.
Result<std::vector<QuarantineRun>> ListQuarantine(FileIO& io, const std::string& location);

/// Move all files of a run back to where they were found. What is there already stays, and its
/// file in quarantine, too. Files that came back earlier are counted nowhere. Errors: kNotFound: no
/// such run; kCorrupt: its list.
Result<MovedFiles> RestoreQuarantine(const MaintainContext& context, FileIO& io,
                                     const std::string& location, const std::string& run);

/// What RestoreQuarantine would do now.
struct RestorePreview {
  std::vector<FileToDelete> restored;  ///< Each by the place that it comes back to.
  std::vector<std::string> staying;    ///< Places where something is: their files stay.
  std::optional<Error> first_failure;  ///< Why the first of them stays.
  int64_t missing = 0;                 ///< Neither in quarantine nor where they came from.
  std::optional<FileToDelete> list;    ///< Deleted at the end, if all come back.
};
Result<RestorePreview> PreviewRestoreQuarantine(const MaintainContext& context, FileIO& io,
                                                const std::string& location,
                                                const std::string& run);

/// Files of runs that began before `older_than`, for good.
Status VisitOldQuarantine(FileIO& io, const std::string& location, Timestamp older_than,
                          const std::function<Status(FileToDelete)>& visit);

struct EmptiedQuarantine {
  int64_t deleted = 0;  ///< Without the lists of runs.
  int64_t failed = 0;
  std::optional<Error> first_failure;
};
Result<EmptiedQuarantine> EmptyQuarantine(const MaintainContext& context, FileIO& io,
                                          const std::string& location, Timestamp older_than);

}  // namespace firn
