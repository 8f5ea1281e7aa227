#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/parquet/rle_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using Numbers = std::vector<uint32_t>;

PageBuffer BufferOf(const std::vector<int>& bytes) {
  PageBuffer buffer;
  for (const int byte : bytes)
    *buffer.Grow(1) = static_cast<std::byte>(byte);
  return buffer;
}

uint32_t Largest(int width) { return static_cast<uint32_t>((uint64_t{1} << width) - 1); }

// The format's description, bit by bit.
class SlowDecoder {
 public:
  SlowDecoder(std::span<const std::byte> bytes, int width) : bytes_(bytes), width_(width) {}

  Numbers Decode() {
    Numbers numbers;
    while (at_ < bytes_.size()) {
      const uint64_t head = Varint();
      if ((head & 1) == 0) {
        uint32_t number = 0;
        for (int i = 0; i < (width_ + 7) / 8; ++i)
          number |= Byte() << (8 * i);
        numbers.insert(numbers.end(), head >> 1, number);
        continue;
      }
      const size_t first_bit = at_ * 8;
      for (size_t i = 0; i < (head >> 1) * 8; ++i) {
        uint32_t number = 0;
        for (int j = 0; j < width_; ++j)
          number |= Bit(first_bit + i * static_cast<size_t>(width_) + static_cast<size_t>(j)) << j;
        numbers.push_back(number);
      }
      at_ += (head >> 1) * static_cast<size_t>(width_);
    }
    EXPECT_EQ(at_, bytes_.size());
    return numbers;
  }

 private:
  uint32_t Byte() { return at_ < bytes_.size() ? static_cast<uint32_t>(bytes_[at_++]) : 0; }
  uint32_t Bit(size_t bit) const {
    return bit / 8 < bytes_.size() ? static_cast<uint32_t>(bytes_[bit / 8]) >> (bit % 8) & 1 : 0;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint32_t byte = Byte();
      value |= uint64_t{byte & 0x7F} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::span<const std::byte> bytes_;
  int width_;
  size_t at_ = 0;
};

// Numbers with runs of all lengths among others.
Numbers RandomNumbers(Random& random, size_t count, int width) {
  Numbers numbers;
  while (numbers.size() < count) {
    const auto number = static_cast<uint32_t>(random.Next()) & Largest(width);
    const size_t run = random.Below(3) == 0 ? random.Below(40) : 1;
    numbers.insert(numbers.end(), std::min(run, count - numbers.size()), number);
  }
  return numbers;
}

void ExpectRoundTrip(const Numbers& numbers, int width) {
  PageBuffer buffer;
  EncodeRle(std::span<const uint32_t>(numbers), width, buffer);
  Numbers slow = SlowDecoder(buffer.span(), width).Decode();
  ASSERT_GE(slow.size(), width == 0 ? 0 : numbers.size());
  if (width > 0) {
    slow.resize(numbers.size());  // The last group may be filled up.
    ASSERT_EQ(slow, numbers);
  }
  Numbers fast(numbers.size(), 99);
  ASSERT_THAT(DecodeRle(buffer.span(), width, fast), IsOk());
  ASSERT_EQ(fast, numbers);
}

TEST(RleTest, DecodesTheExampleOfTheFormat) {
  const PageBuffer buffer = BufferOf({0x03, 0x88, 0xC6, 0xFA});
  Numbers numbers(8);

  ASSERT_THAT(DecodeRle(buffer.span(), 3, numbers), IsOk());

  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(RleTest, RepeatsRunsOfNumbersOfSeveralBytes) {
  const PageBuffer buffer = BufferOf({0x06, 0x39, 0x05, 0x02, 0x01, 0x00});
  Numbers numbers(4);

  ASSERT_THAT(DecodeRle(buffer.span(), 12, numbers), IsOk());

  EXPECT_THAT(numbers, ElementsAre(0x539, 0x539, 0x539, 1));
}

TEST(RleTest, TakesNoBytesForNumbersWithoutBits) {
  PageBuffer buffer;
  EncodeRle(std::span<const uint32_t>(Numbers(100, 0)), 0, buffer);
  Numbers numbers(100, 7);

  ASSERT_THAT(DecodeRle(buffer.span(), 0, numbers), IsOk());

  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(numbers, Numbers(100, 0));
}

TEST(RleTest, GivesBackWhatWasEncodedForEveryBitWidth) {
  const auto random = MakeSeededRandom(1);
  for (int width = 0; width <= 32; ++width) {
    SCOPED_TRACE(width);
    for (const size_t count : {0u, 1u, 7u, 8u, 9u, 15u, 16u, 17u, 23u, 24u, 25u, 1000u, 5003u}) {
      ExpectRoundTrip(RandomNumbers(*random, count, width), width);
      ExpectRoundTrip(Numbers(count, Largest(width)), width);
    }
  }
}

TEST(RleTest, GivesBackRunsThatBeginAtEveryPlaceOfAGroup) {
  for (size_t before = 0; before < 20; ++before) {
    for (size_t run = 1; run < 40; ++run) {
      Numbers numbers;
      for (size_t i = 0; i < before; ++i)
        numbers.push_back(static_cast<uint32_t>(i % 5));
      numbers.insert(numbers.end(), run, 6);
      for (uint32_t i = 0; i < 11; ++i)
        numbers.push_back(i % 5);
      ExpectRoundTrip(numbers, 3);
    }
  }
}

TEST(RleTest, PutsNoMoreGroupsIntoARunThanAHeadOfTwoBytesTells) {
  const auto random = MakeSeededRandom(2);
  for (const size_t groups : {8190u, 8191u, 8192u, 16382u, 16383u}) {
    for (const size_t rest : {0u, 1u, 7u}) {
      Numbers numbers;
      for (size_t i = 0; i < groups * 8 + rest; ++i)
        numbers.push_back(static_cast<uint32_t>(i % 2));
      ExpectRoundTrip(numbers, 1);
      ExpectRoundTrip(numbers, 13);
    }
  }
  ExpectRoundTrip(RandomNumbers(*random, 200'000, 17), 17);
}

TEST(RleTest, TakesLittleMoreThanTheBitsOfTheNumbers) {
  Numbers noise;
  for (uint32_t i = 0; i < 80'000; ++i)
    noise.push_back(i * 2654435761U >> 27);
  PageBuffer packed;
  EncodeRle(std::span<const uint32_t>(noise), 5, packed);
  PageBuffer run;
  EncodeRle(std::span<const uint32_t>(Numbers(100'000'000, 3)), 5, run);

  EXPECT_LE(packed.size(), 50'000u + 10);
  EXPECT_LE(run.size(), 6u);
}

TEST(RleTest, DecodesLevelsOfAByte) {
  const auto random = MakeSeededRandom(3);
  for (int width = 1; width <= 8; ++width) {
    const Numbers numbers = RandomNumbers(*random, 3001, width);
    const std::vector<uint8_t> levels(numbers.begin(), numbers.end());
    PageBuffer buffer;
    EncodeRle(std::span<const uint8_t>(levels), width, buffer);
    std::vector<uint8_t> decoded(levels.size());

    ASSERT_THAT(DecodeRle(buffer.span(), width, decoded), IsOk());

    EXPECT_EQ(decoded, levels);
  }
}

// As other writers may cut runs: short ones, packed ones that are cut, both in any order.
TEST(RleTest, DecodesRunsOfAnyShape) {
  const auto random = MakeSeededRandom(4);
  for (int round = 0; round < 400; ++round) {
    const int width = 1 + static_cast<int>(random->Below(32));
    PageBuffer buffer;
    Numbers expected;
    for (uint64_t runs = random->Below(12); runs > 0; --runs) {
      const auto number = static_cast<uint32_t>(random->Next()) & Largest(width);
      const size_t count = 1 + random->Below(9);
      if (random->Below(2) == 0) {
        EncodeRun(number, count, width, buffer);
        expected.insert(expected.end(), count, number);
        continue;
      }
      const size_t start = buffer.size();
      *buffer.Grow(1) = static_cast<std::byte>(count << 1 | 1);
      std::byte* to = buffer.Grow(count * static_cast<size_t>(width));
      for (size_t i = 0; i < count * static_cast<size_t>(width); ++i)
        to[i] = static_cast<std::byte>(random->Next());
      const Numbers packed = SlowDecoder(buffer.span().subspan(start), width).Decode();
      expected.insert(expected.end(), packed.begin(), packed.end());
    }
    const size_t wanted = expected.empty() ? 0 : expected.size() - random->Below(8) % 8;
    expected.resize(std::min(wanted, expected.size()));
    Numbers decoded(expected.size());

    ASSERT_THAT(DecodeRle(buffer.span(), width, decoded), IsOk());

    ASSERT_EQ(decoded, expected);
  }
}

TEST(RleTest, AcceptsALastGroupWithoutItsPadding) {
  const PageBuffer buffer = BufferOf({0x03, 0x88, 0x06});  // Three numbers of a group of eight.
  Numbers numbers(3);

  ASSERT_THAT(DecodeRle(buffer.span(), 3, numbers), IsOk());

  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
}

TEST(RleTest, RefusesRunsThatAreDamaged) {
  Numbers numbers(8);
  const auto decode = [&numbers](const std::vector<int>& bytes, int width) {
    return DecodeRle(BufferOf(bytes).span(), width, numbers);
  };

  EXPECT_THAT(decode({0x03, 0x88, 0xC6}, 3), IsError(ErrorCode::kCorrupt, "ends too early"));
  EXPECT_THAT(decode({0x10}, 3), IsError(ErrorCode::kCorrupt, "ends too early"));
  EXPECT_THAT(decode({}, 3), IsError(ErrorCode::kCorrupt, "8 numbers are missing"));
  EXPECT_THAT(decode({0x08, 0x01}, 3), IsError(ErrorCode::kCorrupt, "4 numbers are missing"));
  EXPECT_THAT(decode({0x00, 0x01, 0x10, 0x01}, 3), IsError(ErrorCode::kCorrupt, "missing"));
  EXPECT_THAT(decode({0x01, 0x10, 0x01}, 3), IsError(ErrorCode::kCorrupt, "missing"));
  EXPECT_THAT(decode({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}, 3), IsError(ErrorCode::kCorrupt));
  EXPECT_THAT(decode({0x10, 0x08}, 3), IsError(ErrorCode::kCorrupt, "a run of 8"));
  EXPECT_THAT(decode({0x10, 0x02}, 1), IsError(ErrorCode::kCorrupt, "more than 1 bits"));
  EXPECT_THAT(decode({0x10, 0x00}, 33), IsError(ErrorCode::kCorrupt, "33 bits"));
  EXPECT_THAT(decode({0x10, 0x00}, 255), IsError(ErrorCode::kCorrupt, "255 bits"));
  EXPECT_THAT(decode({0x10, 0x00}, -1), IsError(ErrorCode::kCorrupt, "-1 bits"));
}

TEST(RleTest, KnowsAPageOfOneRun) {
  PageBuffer buffer;
  EncodeRun(1, 500, 1, buffer);

  EXPECT_EQ(SingleRun(buffer.span(), 1, 500), 1u);
  EXPECT_EQ(SingleRun(buffer.span(), 1, 501), std::nullopt);
  EXPECT_EQ(SingleRun(buffer.span().first(1), 1, 1), std::nullopt);
  EXPECT_EQ(SingleRun(BufferOf({0x03, 0xFF}).span(), 1, 8), std::nullopt);
  EXPECT_EQ(SingleRun({}, 1, 1), std::nullopt);
}

TEST(RleTest, TellsHowManyBitsNumbersTake) {
  EXPECT_EQ(BitWidth(0), 0);
  EXPECT_EQ(BitWidth(1), 1);
  EXPECT_EQ(BitWidth(2), 2);
  EXPECT_EQ(BitWidth(3), 2);
  EXPECT_EQ(BitWidth(255), 8);
  EXPECT_EQ(BitWidth(256), 9);
  EXPECT_EQ(BitWidth(UINT32_MAX), 32);
}

}  // namespace
}  // namespace firn
