#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

/// The candidate that `text` most likely means: the fewest edits (insert, delete, replace, swap of
/// neighbours; case is free), at most one for three letters. Nullopt if none is that near.
std::optional<std::string> SuggestName(std::string_view text,
                                       const std::vector<std::string>& candidates);

}  // namespace firn
