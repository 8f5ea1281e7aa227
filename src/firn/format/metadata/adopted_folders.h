#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/format/metadata/table_metadata.h"

/// Folders outside of a table's own whose files became the table's where they lay. Somebody else
/// put them there: the table forgets them when nothing needs them any more, and does not delete
/// them.

namespace firn {

/// A table property: a JSON array of folders. Whoever wants expiry to delete such files removes it.
inline constexpr std::string_view kAdoptedFolders = "firn.adopted-folders";

/// Errors: kInvalidInput: the property is no list of folders.
Result<std::vector<std::string>> ParseAdoptedFolders(const Properties& properties);
std::string FormatAdoptedFolders(const std::vector<std::string>& folders);

/// Both, as few as possible: none lies in another, and where there are very many, those in one
/// folder are that folder. Sorted.
std::vector<std::string> JoinFolders(std::vector<std::string> known,
                                     const std::vector<std::string>& more);

/// Where files of the table are, and nobody else's: its location, and what its properties name
/// besides for data and metadata.
std::vector<std::string> OwnFolders(const TableMetadata& metadata);

}  // namespace firn
