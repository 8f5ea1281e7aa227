#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "firn/format/puffin/roaring_check_internal.h"

namespace firn {
namespace {

// https://github.com/RoaringBitmap/RoaringFormatSpec
constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr size_t kContainersMax = 65536;
constexpr size_t kOffsetsFrom = 4;  // With runs, offsets are there from so many containers on.
constexpr size_t kArrayMax = 4096;
constexpr size_t kBitmapBytes = 8192;

struct Container {
  uint16_t key = 0;
  uint32_t cardinality = 0;
  bool is_run = false;
};

class Checker {
 public:
  explicit Checker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<size_t> Check() {
    FIRN_RETURN_IF_ERROR(ReadHeader());
    for (const Container& container : containers_) {
      FIRN_RETURN_IF_ERROR(CheckContainer(container));
    }
    return position_;
  }

 private:
  template <typename... Args>
  Error Corrupt(fmt::format_string<Args...> text, Args&&... args) const {
    return MakeError(ErrorCode::kCorrupt, "roaring bitmap, byte {}: {}", position_,
                     fmt::format(text, std::forward<Args>(args)...));
  }

  size_t remaining() const { return bytes_.size() - position_; }

  template <typename T>
  T Peek(size_t offset) const {
    static_assert(std::endian::native == std::endian::little);
    T value = 0;
    std::memcpy(&value, bytes_.data() + position_ + offset, sizeof(T));
    return value;
  }

  Status Require(size_t size, const char* what) const {
    if (remaining() >= size) return {};
    return Corrupt("{} need {} bytes, {} are left", what, size, remaining());
  }

  Status ReadHeader() {
    FIRN_RETURN_IF_ERROR(Require(4, "the cookie"));
    const auto cookie = Peek<uint32_t>(0);
    size_t count = 0;
    std::span<const std::byte> run_bits;
    if ((cookie & 0xFFFF) == kCookieWithRuns) {
      position_ += 4;
      count = (cookie >> 16) + 1;
      const size_t bits_size = (count + 7) / 8;
      FIRN_RETURN_IF_ERROR(Require(bits_size, "the run flags"));
      run_bits = bytes_.subspan(position_, bits_size);
      position_ += bits_size;
    } else if (cookie == kCookieWithoutRuns) {
      FIRN_RETURN_IF_ERROR(Require(8, "the cookie and the count"));
      count = Peek<uint32_t>(4);
      if (count > kContainersMax)
        return Corrupt("{} containers, at most 65536 are possible", count);
      position_ += 8;
    } else {
      return Corrupt("cookie {}, expected 12346 or 12347", cookie);
    }
    return ReadDescriptors(count, run_bits);
  }

  Status ReadDescriptors(size_t count, std::span<const std::byte> run_bits) {
    FIRN_RETURN_IF_ERROR(Require(count * 4, "the container keys"));
    containers_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      Container container;
      container.key = Peek<uint16_t>(0);
      container.cardinality = uint32_t{Peek<uint16_t>(2)} + 1;
      container.is_run =
          !run_bits.empty() && (std::to_integer<unsigned>(run_bits[i / 8]) >> (i % 8) & 1) != 0;
      if (i > 0 && container.key <= containers_.back().key) {
        return Corrupt("container key {} after {}, expected ascending keys", container.key,
                       containers_.back().key);
      }
      containers_.push_back(container);
      position_ += 4;
    }
    // Containers follow in order, so the offsets say nothing new; they are not relied on.
    if (run_bits.empty() || count >= kOffsetsFrom) {
      FIRN_RETURN_IF_ERROR(Require(count * 4, "the container offsets"));
      position_ += count * 4;
    }
    return {};
  }

  Status CheckContainer(const Container& container) {
    if (container.is_run) return CheckRuns(container);
    return container.cardinality <= kArrayMax ? CheckArray(container) : CheckBitmap(container);
  }

  Status CheckArray(const Container& container) {
    FIRN_RETURN_IF_ERROR(Require(size_t{container.cardinality} * 2, "the values of an array"));
    for (size_t i = 1; i < container.cardinality; ++i) {
      const auto previous = Peek<uint16_t>(2 * i - 2);
      const auto value = Peek<uint16_t>(2 * i);
      if (value <= previous) return Corrupt("value {} after {} in an array", value, previous);
    }
    position_ += size_t{container.cardinality} * 2;
    return {};
  }

  Status CheckBitmap(const Container& container) {
    FIRN_RETURN_IF_ERROR(Require(kBitmapBytes, "the bits of a container"));
    uint32_t cardinality = 0;
    for (size_t i = 0; i < kBitmapBytes; i += 8) {
      cardinality += static_cast<uint32_t>(std::popcount(Peek<uint64_t>(i)));
    }
    if (cardinality != container.cardinality) {
      return Corrupt("{} bits are set in a container, its header says {}", cardinality,
                     container.cardinality);
    }
    position_ += kBitmapBytes;
    return {};
  }

  Status CheckRuns(const Container& container) {
    FIRN_RETURN_IF_ERROR(Require(2, "the count of runs"));
    const size_t count = Peek<uint16_t>(0);
    position_ += 2;
    FIRN_RETURN_IF_ERROR(Require(count * 4, "the runs"));
    uint32_t cardinality = 0;
    uint32_t end = 0;  // After the last run.
    for (size_t i = 0; i < count; ++i) {
      const uint32_t start = Peek<uint16_t>(4 * i);
      const uint32_t length = uint32_t{Peek<uint16_t>(4 * i + 2)} + 1;
      if (i > 0 && start < end) return Corrupt("a run starts at {}, before {}", start, end);
      end = start + length;
      if (end > 65536) return Corrupt("a run ends at {}, beyond its container", end - 1);
      cardinality += length;
    }
    if (cardinality != container.cardinality) {
      return Corrupt("runs of {} values in a container, its header says {}", cardinality,
                     container.cardinality);
    }
    position_ += count * 4;
    return {};
  }

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  std::vector<Container> containers_;
};

}  // namespace

Result<size_t> CheckRoaringBitmap(std::span<const std::byte> bytes) {
  return Checker(bytes).Check();
}

}  // namespace firn
