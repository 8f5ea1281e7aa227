#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "firn/data/keys/key_table_internal.h"
#include "firn/io/scratch_file.h"

namespace firn {

/// Row ids of the rows of an input that replace rows of a table. Single-threaded.
class RowIds {
 public:
  /// Add the row ids of the keys that were matched: held in memory or, if there are more passes to
  /// come or were, in a scratch file.
  Status Add(const KeyTable& keys, bool is_on_disk);

  /// Put the row ids of the rows [first, first + ids.size()) into `ids`, which is left as it is
  /// where a row has none. Rows are asked for in ascending order.
  Status Fill(int64_t first, std::vector<int64_t>& ids);

 private:
  struct Entry {
    int64_t row = 0;
    int64_t row_id = 0;
  };
  // Ascending by row.
  struct Run {
    std::vector<Entry> entries;  // All, or those read last.
    size_t next = 0;             // Among `entries`.
    std::shared_ptr<ScratchFile> file;
    int64_t offset = 0;  // Behind what was read.
  };
  static Result<bool> Provide(Run& run);

  std::vector<Run> runs_;
};

}  // namespace firn
