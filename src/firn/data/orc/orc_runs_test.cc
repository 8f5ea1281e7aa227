#include <arrow/memory_pool.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/clock.h"
#include "firn/data/orc/orc_runs_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr OrcIntegerForm kUnsigned1{.is_signed = false, .is_version_2 = false};
constexpr OrcIntegerForm kUnsigned2{.is_signed = false, .is_version_2 = true};
constexpr OrcIntegerForm kSigned2{.is_signed = true, .is_version_2 = true};

// Streams without compression. The examples are those of the specification of ORC.
class OrcRunsTest : public testing::Test {
 protected:
  template <typename Values, typename T, typename... Form>
  std::vector<T> Read(const std::string& hex, size_t count, Form... form) {
    const std::string bytes = *ParseHex(hex);
    FIRN_CHECK(WriteFile(*io_, "memory:/stream", AsBytes(bytes)).ok());
    file_ = *io_->Open("memory:/stream");
    Values values({.file = file_.get(), .pool = arrow::default_memory_pool()},
                  {.length = std::ssize(bytes)}, form...);
    std::vector<T> read(count, T{77});
    // In two steps, as batches are.
    values.Read(std::span(read).first(count / 3));
    values.Read(std::span(read).subspan(count / 3));
    is_at_end_ = values.AtEnd();
    status_ = values.bytes().status();
    return read;
  }

  std::vector<int64_t> Integers(const std::string& hex, size_t count, OrcIntegerForm form) {
    return Read<OrcIntegers, int64_t>(hex, count, form);
  }

  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(SystemClock());
  std::shared_ptr<InputFile> file_;
  bool is_at_end_ = false;
  Status status_;
};

TEST_F(OrcRunsTest, ReadsIntegersOfTheFirstVersion) {
  EXPECT_THAT(Integers("610007", 100, kUnsigned1), Each(7));
  EXPECT_TRUE(is_at_end_);
  const auto falling = Integers("61ff64", 100, kUnsigned1);
  for (int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(falling[static_cast<size_t>(i)], 100 - i);
  EXPECT_THAT(Integers("fb020306070b", 5, kUnsigned1), ElementsAre(2, 3, 6, 7, 11));
  EXPECT_TRUE(status_.ok());
}

TEST_F(OrcRunsTest, ReadsIntegersOfTheSecondVersion) {
  EXPECT_THAT(Integers("0a2710", 5, kUnsigned2), testing::SizeIs(5));
  EXPECT_THAT(Integers("0a2710", 5, kUnsigned2), Each(10000));
  EXPECT_THAT(Integers("5e035ca1ab1edeadbeef", 4, kUnsigned2),
              ElementsAre(23713, 43806, 57005, 48879));
  EXPECT_THAT(Integers("8e132b2107d01e00147028323c46505a646e78828c96a0aab4befce8", 20, kUnsigned2),
              ElementsAre(2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090, 2100, 2110,
                          2120, 2130, 2140, 2150, 2160, 2170, 2180, 2190));
  EXPECT_THAT(Integers("c609020222424246", 10, kUnsigned2),
              ElementsAre(2, 3, 5, 7, 11, 13, 17, 19, 23, 29));
  EXPECT_TRUE(is_at_end_);
  EXPECT_TRUE(status_.ok());
  // 64 bits wide; zigzag.
  EXPECT_THAT(Integers("7e01fffffffffffffffffffffffffffffffe", 2, kSigned2),
              ElementsAre(INT64_MIN, INT64_MAX));
}

TEST_F(OrcRunsTest, ReadsBytesAndBits) {
  EXPECT_THAT((Read<OrcByteRuns, uint8_t>("6100", 100)), Each(0));
  EXPECT_THAT((Read<OrcByteRuns, uint8_t>("fe4445", 2)), ElementsAre(0x44, 0x45));
  EXPECT_THAT((Read<OrcBits, uint8_t>("ff80", 8)), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT((Read<OrcBits, uint8_t>("ffa0", 3)), ElementsAre(1, 0, 1));
  EXPECT_TRUE(is_at_end_);
}

TEST_F(OrcRunsTest, TellsWhetherValuesAreLeft) {
  Integers("0a27100a2710", 5, kUnsigned2);
  EXPECT_FALSE(is_at_end_);
  Integers("0a2710", 4, kUnsigned2);
  EXPECT_FALSE(is_at_end_);
}

TEST_F(OrcRunsTest, RefusesWhatEndsTooEarlyOrIsDamaged) {
  EXPECT_THAT(Integers("0a2710", 6, kUnsigned2)[5], 0);
  EXPECT_THAT(status_, IsError(ErrorCode::kCorrupt, "ends before its last value"));
  Integers("c200ffffffffffffffffffff", 1, kUnsigned2);
  EXPECT_THAT(status_, IsError(ErrorCode::kCorrupt, "more than 64 bits"));
  Integers("c2000202", 1, kUnsigned2);
  EXPECT_THAT(status_, IsError(ErrorCode::kCorrupt, "deltas"));
  // No patches, and a patch behind the last value.
  Integers("8e132b2007d01e00147028323c46505a646e78828c96a0aab4befce8", 20, kUnsigned2);
  EXPECT_THAT(status_, IsError(ErrorCode::kCorrupt, "patches"));
  Integers("8e022b2107d01e0014fce8", 3, kUnsigned2);
  EXPECT_THAT(status_, IsError(ErrorCode::kCorrupt, "patches"));
}

}  // namespace
}  // namespace firn
