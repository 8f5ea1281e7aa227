#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <roaring/roaring.h>

#include "firn/base/check.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/roaring_check_internal.h"

namespace firn {
namespace {

struct BitmapDeleter {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using BitmapPtr = std::unique_ptr<roaring_bitmap_t, BitmapDeleter>;

// Java writes a bitmap for every key up to the largest, empty ones too. So does firn, as long as
// that costs little.
constexpr uint32_t kDenseKeyMax = 4095;
constexpr size_t kBlobBytesMax = size_t{2} << 30;
constexpr uint32_t kLowMax = 0xFFFFFFFF;

uint32_t High(int64_t position) { return static_cast<uint32_t>(position >> 32); }
uint32_t Low(int64_t position) { return static_cast<uint32_t>(position); }

template <typename T>
void AppendLittleEndian(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void AppendBitmap(std::string& out, const roaring_bitmap_t* bitmap) {
  const size_t start = out.size();
  out.resize(start + roaring_bitmap_portable_size_in_bytes(bitmap));
  roaring_bitmap_portable_serialize(bitmap, out.data() + start);
}

}  // namespace

struct PositionSet::State {
  struct Part {
    uint32_t high;  // The upper 32 bits of its positions.
    BitmapPtr bitmap;
  };
  std::vector<Part> parts;  // By ascending `high`.

  std::vector<Part>::iterator LowerBound(uint32_t high) {
    return std::lower_bound(parts.begin(), parts.end(), high,
                            [](const Part& part, uint32_t value) { return part.high < value; });
  }
  const roaring_bitmap_t* Find(uint32_t high) {
    const auto found = LowerBound(high);
    return found != parts.end() && found->high == high ? found->bitmap.get() : nullptr;
  }
  roaring_bitmap_t* FindOrMake(uint32_t high) {
    auto found = LowerBound(high);
    if (found == parts.end() || found->high != high) {
      found = parts.insert(found, Part{high, BitmapPtr(roaring_bitmap_create())});
    }
    return found->bitmap.get();
  }
};

PositionSet::PositionSet() : state_(std::make_unique<State>()) {}
PositionSet::PositionSet(const PositionSet& other) : PositionSet() {
  for (const State::Part& part : other.state_->parts) {
    state_->parts.push_back({part.high, BitmapPtr(roaring_bitmap_copy(part.bitmap.get()))});
  }
}
PositionSet::PositionSet(PositionSet&& other) noexcept : PositionSet() {
  std::swap(state_, other.state_);
}
PositionSet& PositionSet::operator=(PositionSet other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
PositionSet::~PositionSet() = default;

void PositionSet::Add(int64_t position) {
  FIRN_CHECK(position >= 0);
  roaring_bitmap_add(state_->FindOrMake(High(position)), Low(position));
}

void PositionSet::AddRange(int64_t begin, int64_t end) {
  FIRN_CHECK(begin >= 0);
  if (begin >= end) return;
  const int64_t last = end - 1;
  for (uint32_t high = High(begin); high <= High(last); ++high) {
    roaring_bitmap_add_range_closed(state_->FindOrMake(high), high == High(begin) ? Low(begin) : 0,
                                    high == High(last) ? Low(last) : kLowMax);
  }
}

void PositionSet::Union(const PositionSet& other) {
  for (const State::Part& part : other.state_->parts) {
    roaring_bitmap_or_inplace(state_->FindOrMake(part.high), part.bitmap.get());
  }
}

bool PositionSet::Contains(int64_t position) const {
  const roaring_bitmap_t* bitmap = position < 0 ? nullptr : state_->Find(High(position));
  return bitmap != nullptr && roaring_bitmap_contains(bitmap, Low(position));
}

int64_t PositionSet::cardinality() const {
  uint64_t sum = 0;
  for (const State::Part& part : state_->parts) {
    sum += roaring_bitmap_get_cardinality(part.bitmap.get());
  }
  return static_cast<int64_t>(sum);
}

int64_t PositionSet::memory_bytes() const {
  size_t sum = sizeof(State) + state_->parts.capacity() * sizeof(State::Part);
  for (const State::Part& part : state_->parts) {
    sum += sizeof(roaring_bitmap_t) + roaring_bitmap_size_in_bytes(part.bitmap.get());
  }
  return static_cast<int64_t>(sum);
}

void PositionSet::Optimize() {
  for (const State::Part& part : state_->parts)
    roaring_bitmap_run_optimize(part.bitmap.get());
}

std::vector<int64_t> PositionSet::InRange(int64_t begin, int64_t end) const {
  std::vector<int64_t> positions;
  begin = std::max<int64_t>(begin, 0);
  if (begin >= end) return positions;
  const int64_t last = end - 1;
  std::array<uint32_t, 1024> buffer{};
  for (auto part = state_->LowerBound(High(begin));
       part != state_->parts.end() && part->high <= High(last); ++part) {
    const int64_t base = static_cast<int64_t>(part->high) << 32;
    const uint32_t low_max = part->high == High(last) ? Low(last) : kLowMax;
    roaring_uint32_iterator_t iterator;
    roaring_init_iterator(part->bitmap.get(), &iterator);
    if (part->high == High(begin))
      roaring_move_uint32_iterator_equalorlarger(&iterator, Low(begin));
    bool is_done = false;
    while (!is_done) {
      const uint32_t count = roaring_read_uint32_iterator(&iterator, buffer.data(), buffer.size());
      is_done = count < buffer.size();
      for (uint32_t i = 0; i < count; ++i) {
        if (buffer[i] > low_max) {
          is_done = true;
          break;
        }
        positions.push_back(base + buffer[i]);
      }
    }
  }
  return positions;
}

int64_t PositionSet::CountInRange(int64_t begin, int64_t end) const {
  begin = std::max<int64_t>(begin, 0);
  if (begin >= end) return 0;
  const int64_t last = end - 1;
  uint64_t sum = 0;
  for (auto part = state_->LowerBound(High(begin));
       part != state_->parts.end() && part->high <= High(last); ++part) {
    const uint64_t low = part->high == High(begin) ? Low(begin) : 0;
    const uint64_t high = part->high == High(last) ? Low(last) : kLowMax;
    sum += roaring_bitmap_range_cardinality(part->bitmap.get(), low, high + 1);
  }
  return static_cast<int64_t>(sum);
}

std::string PositionSet::Serialize() const {
  std::string out;
  const auto& parts = state_->parts;
  const bool is_dense = !parts.empty() && parts.back().high <= kDenseKeyMax;
  AppendLittleEndian(out, is_dense ? uint64_t{parts.back().high} + 1 : uint64_t{parts.size()});
  const BitmapPtr nothing(roaring_bitmap_create());
  uint32_t next = 0;
  for (const State::Part& part : parts) {
    for (; is_dense && next < part.high; ++next) {
      AppendLittleEndian(out, next);
      AppendBitmap(out, nothing.get());
    }
    AppendLittleEndian(out, part.high);
    AppendBitmap(out, part.bitmap.get());
    next = part.high + 1;
  }
  return out;
}

Result<PositionSet> PositionSet::Deserialize(std::span<const std::byte> bytes) {
  if (bytes.size() < 8 || bytes.size() > kBlobBytesMax) {
    return MakeError(ErrorCode::kCorrupt, "position bitmap of {} bytes, expected 8 to {}",
                     bytes.size(), kBlobBytesMax);
  }
  uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof(count));
  size_t position = sizeof(count);
  int64_t high_before = -1;
  PositionSet set;
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t high = 0;
    if (bytes.size() - position < sizeof(high)) {
      return MakeError(ErrorCode::kCorrupt, "position bitmap: {} parts claimed, {} found", count,
                       i);
    }
    std::memcpy(&high, bytes.data() + position, sizeof(high));
    position += sizeof(high);
    auto& parts = set.state_->parts;
    if (high > 0x7FFFFFFF || high <= high_before) {
      return MakeError(
          ErrorCode::kCorrupt,
          "position bitmap: part {} has the key {}, expected ascending keys below 2^31", i, high);
    }
    high_before = high;
    FIRN_ASSIGN(const size_t size, CheckRoaringBitmap(bytes.subspan(position)),
                "position bitmap: part {} at byte {}", i, position);
    BitmapPtr bitmap(roaring_bitmap_portable_deserialize_safe(
        reinterpret_cast<const char*>(bytes.data() + position), size));
    if (bitmap == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "position bitmap: part {} at byte {} is no bitmap", i,
                       position);
    }
    // Empty ones, which Java writes to keep keys dense, say nothing.
    if (!roaring_bitmap_is_empty(bitmap.get())) parts.push_back({high, std::move(bitmap)});
    position += size;
  }
  if (position != bytes.size()) {
    return MakeError(ErrorCode::kCorrupt, "position bitmap: {} bytes after the last part",
                     bytes.size() - position);
  }
  return set;
}

}  // namespace firn
