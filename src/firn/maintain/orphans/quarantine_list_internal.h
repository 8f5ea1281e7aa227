#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "firn/io/io.h"

/// The list of a run of orphan removal: what came from where, one JSON object a line.

namespace firn {

inline constexpr std::string_view kQuarantineList = "manifest.jsonl";

/// One line.
struct QuarantineMove {
  std::string from;
  std::string to;
  int64_t bytes = 0;
};

/// With the end of the line. Names that are not UTF-8 are told byte by byte besides.
std::string FormatQuarantineMove(const QuarantineMove& move);

/// Where the file `path`, found below `location`, waits in the `folder` of a run. No two files have
/// the same place, nor any that of the list.
std::string QuarantinePlace(const std::string& location, const std::string& folder,
                            const std::string& path);

/// The moves that a list tells, whether they were made or not. Errors: kNotFound: no such list;
/// kCorrupt, naming the line.
Status VisitQuarantineList(FileIO& io, const std::string& list,
                           const std::function<Status(QuarantineMove)>& visit);

}  // namespace firn
