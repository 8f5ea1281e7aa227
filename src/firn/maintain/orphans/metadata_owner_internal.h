#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/io/io.h"

namespace firn {

/// The value of `table-uuid` in the beginning of a metadata file, if nothing but plain values
/// stands before it, as writers have it. nullopt: the beginning does not tell.
std::optional<std::string> FindTableUuid(std::string_view head);

/// The UUID of the table that a metadata file belongs to; empty: it names none. nullopt: the file
/// cannot be read, or is broken before it says so. Reads no more than it must. `size` if known.
std::optional<std::string> ReadTableUuid(FileIO& io, const std::string& uri,
                                         std::optional<int64_t> size);

}  // namespace firn
