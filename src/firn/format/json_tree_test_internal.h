#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// For tests: what a rewritten JSON document lost or changed of the one it was read from.

namespace firn {

using JsonTree = nlohmann::json;

/// Paths of members of `before` that are missing or different in `after`. Nulls may go; text of
/// types may differ in blanks and case; more members in `after` are no loss.
std::vector<std::string> FindLosses(const JsonTree& before, const JsonTree& after,
                                    const std::string& path = "");

}  // namespace firn
