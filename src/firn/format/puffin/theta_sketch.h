#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// Type of Puffin blobs that hold a ThetaSketch, and their property with the estimate.
inline constexpr std::string_view kThetaSketchBlob = "apache-datasketches-theta-v1";
inline constexpr std::string_view kNdvProperty = "ndv";

/// How many distinct values there are, nearly: the 4096 smallest hashes of them, and `theta`, below
/// which they lie. Up to 4096 values the count is exact; beyond, the standard error is 1.6 %. What
/// it holds depends on the set of values alone, not on their order or on how they were dealt out
/// over sketches that were merged. At most 128 KiB.
///
/// Source  Apache DataSketches: the hash and the compact form are those of its theta sketches with
///         the default seed, so that Java can read and merge what is written here.
class ThetaSketch {
 public:
  static constexpr size_t kNominalEntries = 4096;

  /// `value` in the binary form of single values that the spec tells. Empty ones are not counted,
  /// since Java leaves them out.
  void Update(std::span<const std::byte> value);

  void Merge(const ThetaSketch& other);

  double Estimate() const;
  /// The estimate without its fraction, as the property `ndv` has it.
  int64_t DistinctCount() const;

  /// The compact form, ordered.
  std::string Serialize() const;

  /// Read the compact form (serial version 3), ordered or not, of any nominal size; more than
  /// kNominalEntries hashes are cut when it is used. Errors: kCorrupt; kUnsupported: another
  /// version, seed, or family of sketches.
  static Result<ThetaSketch> Parse(std::span<const std::byte> bytes);

  /// What is kept: hashes, ascending, and the bound below which all are.
  struct Content {
    std::vector<uint64_t> hashes;
    uint64_t theta = 0;
  };
  Content Compact() const;

 private:
  static constexpr uint64_t kThetaMax = (uint64_t{1} << 63) - 1;

  void Insert(uint64_t hash);
  void Rehash(size_t slot_count);
  void Trim();

  std::vector<uint64_t> slots_;  // Open addressing; 0 is empty. A power of two.
  size_t count_ = 0;
  uint64_t theta_ = kThetaMax;
};

}  // namespace firn
