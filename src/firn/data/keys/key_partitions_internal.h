#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firn/io/scratch_file.h"

namespace firn {

/// Keys with a number each, in scratch files, partitioned by hash: for keys that are too many for
/// the memory. As many partitions as fit are loaded in one pass.
class KeyPartitions {
 public:
  static constexpr size_t kCount = 64;

  /// Where a key of this hash is. The bits are neither the lowest, which choose a slot in tables,
  /// nor among the highest 32, which some keep there.
  static size_t Of(uint64_t hash) { return hash >> 26 & (kCount - 1); }

  /// `memory_bytes`: for what is not yet written, at the least 4 KiB a partition. Errors: of making
  /// files.
  static Result<KeyPartitions> Make(int64_t memory_bytes);

  /// Errors: kResourceExhausted: the disk is full.
  Status Add(std::string_view key, uint64_t hash, int64_t number);

  /// All keys are there. Errors: likewise.
  Status Finish();

  /// Partitions [begin, end).
  struct Range {
    size_t begin = 0;
    size_t end = 0;
    size_t keys = 0;
    size_t key_bytes = 0;

    bool Has(uint64_t hash) const { return Of(hash) >= begin && Of(hash) < end; }
  };
  /// All partitions in ranges as large as `fits`, but for single ones that do not.
  std::vector<Range> Passes(const std::function<bool(const Range& range)>& fits) const;

  /// Call `visit(std::string_view key, int64_t number) -> Status` for the keys of a partition, in
  /// the order in which they were added, and forget them.
  using Visitor = std::function<Status(std::string_view key, int64_t number)>;
  Status Take(size_t partition, const Visitor& visit);

 private:
  struct Partition {
    std::shared_ptr<ScratchFile> file;
    std::string buffer;  // Not yet written.
    size_t keys = 0;
    size_t key_bytes = 0;
  };

  size_t buffer_bytes_ = 0;
  std::vector<Partition> partitions_;
};

}  // namespace firn
