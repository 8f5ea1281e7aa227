#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/format/schema/name_mapping.h"

namespace firn {

/// The mapping after the table's schema changed from `before` to `after`, as Java has it: columns
/// that are renamed gain their new names and keep the old ones, new columns are added, and a name
/// that a new or renamed column has taken over leads to that one. What is said of other columns
/// stays, be it what they are called or not; so do dropped columns.
NameMapping UpdateNameMapping(NameMapping mapping, const Schema& before, const Schema& after);

/// A name that leads to another column than it did: files without field ids, which know their
/// columns by name only, give their values to that one.
struct MovedName {
  std::string name;  ///< With those above it, joined by dots.
  int32_t from_id = 0;
  int32_t to_id = 0;
};
/// A name below one that has moved itself is not told.
std::vector<MovedName> FindMovedNames(const NameMapping& before, const NameMapping& after);

}  // namespace firn
