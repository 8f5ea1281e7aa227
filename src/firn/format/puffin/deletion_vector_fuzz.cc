#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "firn/base/bytes.h"
#include "firn/base/check.h"
#include "firn/format/puffin/deletion_vector.h"

// Any bytes as a deletion vector, and as the bitmap of one whose length and CRC are right, so that
// damage reaches the checks of the bitmap. What is accepted answers without contradiction and comes
// back when it is written and read again.

namespace firn {
namespace {

void CheckSet(const PositionSet& set) {
  constexpr int64_t kEnd = int64_t{1} << 34;
  const int64_t count = set.CountInRange(0, kEnd);
  FIRN_CHECK(count <= set.cardinality());
  if (count < 100'000) {
    const std::vector<int64_t> positions = set.InRange(0, kEnd);
    FIRN_CHECK(static_cast<int64_t>(positions.size()) == count);
    int64_t before = -1;
    for (const int64_t position : positions) {
      FIRN_CHECK(position > before && set.Contains(position));
      before = position;
    }
  }
  const std::string blob = FormatDeletionVector(set);
  const auto again = ParseDeletionVector(AsBytes(blob));
  FIRN_CHECK(again.ok() && again->cardinality() == set.cardinality());
  FIRN_CHECK(FormatDeletionVector(*again) == blob);
  PositionSet both = set;
  both.Union(*again);
  FIRN_CHECK(both.cardinality() == set.cardinality());
}

void ReadAll(std::span<const std::byte> bytes) {
  if (const auto set = ParseDeletionVector(bytes); set.ok()) CheckSet(*set);
  if (const auto set = PositionSet::Deserialize(bytes); set.ok()) CheckSet(*set);
  // Without its frame, in case the input has one.
  if (bytes.size() < 12) return;
  const auto set = PositionSet::Deserialize(bytes.subspan(8, bytes.size() - 12));
  if (set.ok()) CheckSet(*set);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadAll({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
