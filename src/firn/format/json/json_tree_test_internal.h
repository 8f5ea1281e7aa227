#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// For tests of metadata: golden files, and what a rewritten document lost of the one it was read
/// from.

namespace firn {

using JsonTree = nlohmann::json;

/// Paths of members of `before` that are missing or different in `after`. Nulls may go; text of
/// types may differ in blanks and case; more members in `after` are no loss.
std::vector<std::string> FindLosses(const JsonTree& before, const JsonTree& after,
                                    const std::string& path = "");

std::string ReadTextFile(const std::filesystem::path& path);

/// The text of testdata/metadata/<name>.json.
std::string ReadGoldenMetadata(const std::string& name);

/// A folder of the reference implementation's test files, which lie outside of the repository:
/// below $FIRN_SHARED, or `shared` beside the repository. It may not exist.
std::filesystem::path SharedFolder(const std::string& name);

}  // namespace firn
