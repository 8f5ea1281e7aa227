#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/data/write/writer.h"

/// Files of rows of format values that are no data files of a table: partition statistics.

namespace firn {

struct WrittenValueFile {
  std::string path;
  int64_t bytes = 0;
};

/// Write rows of `schema`, with its field ids, into one file in the format that the table has for
/// data (`write.format.default`), at `uri_stem` and the suffix of the format. On an error no file
/// is left. Errors: kInvalidInput: a property; kResourceExhausted, kUnavailable.
Result<WrittenValueFile> WriteValueFile(const WriteContext& context, const Schema& schema,
                                        const std::string& uri_stem, std::vector<StructValue> rows);

/// Read such a file, whose format its suffix tells: rows of `schema`, found by field id. Columns
/// that are missing have their initial default, or null.
/// Errors: kNotFound, kCorrupt, kUnsupported, naming the file; those of `visit`.
Status ReadValueFile(const ReadContext& context, const std::string& path,
                     std::optional<int64_t> known_size, const Schema& schema,
                     const std::function<Status(StructValue&&)>& visit);

}  // namespace firn
