#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/io/io.h"

namespace firn {

/// A file to read rows from.
struct SourceFile {
  FileInfo info;
  /// `key=value` folders between the source as given and the file, outermost first; keys and values
  /// decoded. A value of Hive's null name is a null.
  std::vector<std::pair<std::string, std::optional<std::string>>> folders;

  bool is_standard_input() const { return info.uri == "-"; }
};

/// The files that `sources` name, in the order given, those of a folder or glob sorted by name;
/// hidden ones (a name or folder that begins with '.' or '_', but for partitions `_k=v`) are left
/// out unless they are named themselves. `*`, `?` and `[...]` match within one level, `**` any.
/// Errors: kNotFound, naming a source that matches nothing; kInvalidInput for a file named twice.
Result<std::vector<SourceFile>> FindSourceFiles(FileIO& io,
                                                const std::vector<std::string>& sources);

/// Whether `path` matches the glob. Both have '/' between levels.
bool MatchesGlob(std::string_view path, std::string_view glob);

}  // namespace firn
