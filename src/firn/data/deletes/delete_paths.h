#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "firn/data/write/writer.h"

namespace firn {

/// A path as it is to be recorded from here on.
using RenamePath = std::function<Result<std::string>(std::string_view)>;

/// Write the rows of the position delete file `file` anew, in their order and in its format, into
/// `uri`, with other paths of data files. Rows that writers stored beside the positions, which no
/// reader needs, are left out. Returns the size of the new file. Errors: those of `rename`;
/// kCorrupt and kNotFound, naming the file; kResourceExhausted.
Result<int64_t> WriteRenamedDeletes(const WriteContext& context, const DataFile& file,
                                    const std::string& uri, const RenamePath& rename);

}  // namespace firn
