#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/memory_budget.h"
#include "firn/io/scratch_file.h"
#include "firn/scan/path_key.h"

namespace firn {

/// Which of some files are not among others: what decides about deletions. Holds what fits into
/// its share of the memory budget; beyond that all is written to local disk, in parts by hash of
/// the key, and worked on part by part. Adding is thread-safe.
///
/// Files are told apart by 128-bit hashes of their keys. Two keys of one hash would make a file
/// stay that could go, never the reverse.
class FileDifference {
 public:
  /// A file that may be among the others. The views are valid during the call.
  struct Candidate {
    std::string_view payload;
    uint16_t tag = 0;
    /// The least tag of the others with this key; only where none `matches`.
    std::optional<uint16_t> other_tag;
  };

  FileDifference(MemoryBudget& budget, int64_t memory_bytes_max);

  /// A file that goes unless it is among the others. `payload` comes back with it.
  Status AddCandidate(std::string_view key, std::string_view payload, uint16_t tag = 0);
  /// One of the others.
  Status AddOther(std::string_view key, uint16_t tag = 0);

  bool has_candidates() const { return candidate_count_ > 0; }
  /// Candidates of one key and one tag are one. Known once VisitRest has returned.
  int64_t distinct_candidates() const { return distinct_count_; }

  /// Call `visit`, on the calling thread, once for each candidate whose key no other has, or only
  /// others whose tags do not match; empty `matches`: tags mean nothing. In no order. Of candidates
  /// of one key and one tag the first that was added counts. May be called again.
  Status VisitRest(const std::function<bool(uint16_t candidate, uint16_t other)>& matches,
                   const std::function<Status(const Candidate&)>& visit);

 private:
  struct Extent {
    int64_t offset = 0;
    int64_t length = 0;
  };
  /// Records of one side, newest in memory.
  struct Side {
    std::string buffer;
    std::vector<Extent> spilled;
  };
  static constexpr size_t kPartCount = 64;
  struct Part {
    Side candidates;
    Side others;
  };

  Status Append(Side Part::* side, PathKey key, uint16_t tag, std::string_view payload);
  /// Reserve memory for so much more, or write what there is to disk.
  Status MakeRoom(int64_t bytes);
  Status Spill();
  Status SpillSide(Side& side);
  /// Hand each piece of the side, which holds whole records, to `visit`.
  Status ReadSide(const Side& side, const std::function<Status(std::string_view)>& visit) const;
  struct OtherKey;
  Result<std::vector<OtherKey>> LoadOthers(const Side& side) const;

  MemoryBudget& budget_;
  const int64_t memory_bytes_max_;
  std::mutex mutex_;
  int64_t buffered_bytes_ = 0;
  std::vector<MemoryReservation> reservations_;
  int64_t candidate_count_ = 0;
  int64_t distinct_count_ = 0;
  std::array<Part, kPartCount> parts_;
  std::shared_ptr<ScratchFile> scratch_;
};

}  // namespace firn
