#include "firn/format/puffin/theta_sketch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "firn/base/murmur_hash.h"

namespace firn {
namespace {

constexpr uint64_t kSeed = 9001;
// What the seed hashes to, which tells sketches of other seeds.
constexpr uint16_t kSeedHash = 0x93CC;
constexpr uint8_t kSerialVersion = 3;
constexpr uint8_t kCompactFamily = 3;
constexpr uint8_t kPreambleMask = 0x3F;
constexpr size_t kLongBytes = 8;
constexpr size_t kSlotsMin = 16;
// Hashes that are held before all but the nominal number go.
constexpr size_t kHeldMax = 2 * ThetaSketch::kNominalEntries;

enum Flag : uint8_t {
  kBigEndian = 1,
  kReadOnly = 2,
  kEmpty = 4,
  kCompact = 8,
  kOrdered = 16,
  kSingleItem = 32,
};

// The eight bytes that every sketch begins with.
struct Preamble {
  uint8_t longs = 1;  // Of the whole preamble.
  uint8_t version = kSerialVersion;
  uint8_t family = kCompactFamily;
  uint8_t lg_nominal = 0;
  uint8_t lg_array = 0;
  uint8_t flags = kReadOnly | kCompact | kOrdered;
  uint16_t seed_hash = kSeedHash;
};
static_assert(sizeof(Preamble) == kLongBytes);

template <typename T>
void Append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T Load(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

Status CheckPreamble(const Preamble& preamble) {
  if (preamble.version != kSerialVersion || preamble.family != kCompactFamily) {
    return MakeError(ErrorCode::kUnsupported,
                     "theta sketch has serial version {} and family {}, expected {} and {}",
                     preamble.version, preamble.family, kSerialVersion, kCompactFamily);
  }
  if ((preamble.flags & kBigEndian) != 0) {
    return MakeError(ErrorCode::kUnsupported, "theta sketch is big endian");
  }
  if ((preamble.flags & kCompact) == 0) {
    return MakeError(ErrorCode::kCorrupt, "theta sketch of the compact family is not compact");
  }
  return {};
}

// How many hashes there are, below what, and where.
struct Layout {
  size_t count = 0;
  uint64_t theta = 0;
  size_t begin = 0;
};

Result<Layout> ReadLayout(std::span<const std::byte> bytes, size_t longs, uint64_t theta_max) {
  constexpr size_t kLongsMax = 3;
  if (longs < 1 || longs > kLongsMax || bytes.size() < longs * kLongBytes) {
    return MakeError(ErrorCode::kCorrupt, "theta sketch of {} bytes has a preamble of {} longs",
                     bytes.size(), longs);
  }
  Layout layout{.count = 1, .theta = theta_max, .begin = longs * kLongBytes};
  if (longs > 1) layout.count = Load<uint32_t>(bytes, kLongBytes);
  if (longs == kLongsMax) layout.theta = Load<uint64_t>(bytes, 2 * kLongBytes);
  if (layout.theta == 0 || layout.theta > theta_max) {
    return MakeError(ErrorCode::kCorrupt, "theta of a sketch is {}, expected 1 to {}", layout.theta,
                     theta_max);
  }
  if ((bytes.size() - layout.begin) / kLongBytes < layout.count) {
    return MakeError(ErrorCode::kCorrupt, "theta sketch of {} bytes claims {} hashes", bytes.size(),
                     layout.count);
  }
  return layout;
}

}  // namespace

void ThetaSketch::Update(std::span<const std::byte> value) {
  if (value.empty()) return;
  const uint64_t hash = HashMurmur3Wide(value, kSeed) >> 1;
  if (hash != 0 && hash < theta_) Insert(hash);
}

void ThetaSketch::Insert(uint64_t hash) {
  if (2 * (count_ + 1) > slots_.size()) Rehash(std::max(kSlotsMin, 4 * slots_.size()));
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    if (slots_[slot] == hash) return;
    slot = (slot + 1) & mask;
  }
  slots_[slot] = hash;
  if (++count_ == kHeldMax) Trim();
}

void ThetaSketch::Rehash(size_t slot_count) {
  const std::vector<uint64_t> old = std::exchange(slots_, std::vector<uint64_t>(slot_count));
  const size_t mask = slot_count - 1;
  for (const uint64_t hash : old) {
    if (hash == 0 || hash >= theta_) continue;
    size_t slot = hash & mask;
    while (slots_[slot] != 0)
      slot = (slot + 1) & mask;
    slots_[slot] = hash;
  }
}

// Keep the smallest ones.
void ThetaSketch::Trim() {
  std::vector<uint64_t> hashes;
  hashes.reserve(count_);
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(hashes),
               [](uint64_t hash) { return hash != 0; });
  const auto bound = hashes.begin() + static_cast<std::ptrdiff_t>(kNominalEntries);
  std::nth_element(hashes.begin(), bound, hashes.end());
  theta_ = *bound;
  count_ = kNominalEntries;
  Rehash(slots_.size());
}

void ThetaSketch::Merge(const ThetaSketch& other) {
  if (this == &other) return;
  if (other.theta_ < theta_) {
    theta_ = other.theta_;
    count_ = static_cast<size_t>(std::count_if(slots_.begin(), slots_.end(), [this](uint64_t hash) {
      return hash != 0 && hash < theta_;
    }));
    Rehash(std::max(kSlotsMin, slots_.size()));
  }
  for (const uint64_t hash : other.slots_) {
    if (hash != 0 && hash < theta_) Insert(hash);
  }
}

ThetaSketch::Content ThetaSketch::Compact() const {
  Content content{.theta = theta_};
  content.hashes.reserve(count_);
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(content.hashes),
               [](uint64_t hash) { return hash != 0; });
  std::sort(content.hashes.begin(), content.hashes.end());
  if (content.hashes.size() > kNominalEntries) {
    content.theta = content.hashes[kNominalEntries];
    content.hashes.resize(kNominalEntries);
  }
  return content;
}

double ThetaSketch::Estimate() const {
  const Content content = Compact();
  return static_cast<double>(content.hashes.size()) *
         (static_cast<double>(kThetaMax) / static_cast<double>(content.theta));
}

int64_t ThetaSketch::DistinctCount() const { return static_cast<int64_t>(Estimate()); }

std::string ThetaSketch::Serialize() const {
  const Content content = Compact();
  const bool is_exact = content.theta == kThetaMax;
  Preamble preamble;
  if (!is_exact) {
    preamble.longs = 3;
  } else if (content.hashes.empty()) {
    preamble.flags |= kEmpty;
    preamble.seed_hash = 0;  // Which an empty sketch has not.
  } else if (content.hashes.size() == 1) {
    preamble.flags |= kSingleItem;
  } else {
    preamble.longs = 2;
  }
  std::string out;
  Append(out, preamble);
  if (preamble.longs > 1) {
    constexpr float kSamplingProbability = 1;
    Append(out, static_cast<uint32_t>(content.hashes.size()));
    Append(out, kSamplingProbability);
  }
  if (!is_exact) Append(out, content.theta);
  for (const uint64_t hash : content.hashes)
    Append(out, hash);
  return out;
}

Result<ThetaSketch> ThetaSketch::Parse(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Preamble)) {
    return MakeError(ErrorCode::kCorrupt, "theta sketch has {} bytes, expected {} or more",
                     bytes.size(), sizeof(Preamble));
  }
  const auto preamble = Load<Preamble>(bytes, 0);
  FIRN_RETURN_IF_ERROR(CheckPreamble(preamble));
  ThetaSketch sketch;
  if ((preamble.flags & kEmpty) != 0) return sketch;
  if (preamble.seed_hash != kSeedHash) {
    return MakeError(ErrorCode::kUnsupported,
                     "theta sketch has a seed that hashes to {:04x}, expected {:04x}",
                     preamble.seed_hash, kSeedHash);
  }
  FIRN_ASSIGN(const Layout layout, ReadLayout(bytes, preamble.longs & kPreambleMask, kThetaMax));
  sketch.theta_ = layout.theta;
  uint64_t last = 0;
  for (size_t i = 0; i < layout.count; ++i) {
    const auto hash = Load<uint64_t>(bytes, layout.begin + i * kLongBytes);
    const bool is_in_order = (preamble.flags & kOrdered) == 0 || hash > last;
    if (hash == 0 || hash >= layout.theta || !is_in_order) {
      return MakeError(ErrorCode::kCorrupt,
                       "hash {} of a theta sketch is {}, expected more than {} and less than {}", i,
                       hash, last, layout.theta);
    }
    last = hash;
    if (hash < sketch.theta_) sketch.Insert(hash);
  }
  return sketch;
}

}  // namespace firn
