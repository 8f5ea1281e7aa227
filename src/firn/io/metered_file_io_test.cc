#include "firn/io/metered_file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

TEST(MeteredFileIOTest, CountsBytesAndRequestsAsAnObjectStoreWould) {
  FakeClock clock;
  const auto meter = std::make_shared<IoMeter>();
  const auto io = MakeMeteredFileIO(MakeMemoryFileIO(clock), meter);
  ASSERT_THAT(WriteFile(*io, "memory:/a/b", AsBytes("hello")), IsOk());
  EXPECT_EQ(meter->totals().bytes_written, 5);
  EXPECT_EQ(meter->totals().requests, 1);
  ASSERT_THAT(ReadFile(*io, "memory:/a/b"), IsOk());
  EXPECT_EQ(meter->totals().bytes_read, 5);
  const int64_t before = meter->totals().requests;
  ASSERT_THAT(io->Stat("memory:/a/b"), IsOk());
  ASSERT_THAT(io->List("memory:/a", [](const FileInfo&) -> Status { return {}; }), IsOk());
  std::vector<std::string> uris(2500, "memory:/a/c");
  io->DeleteMany(uris);
  ASSERT_THAT(io->Delete("memory:/a/b"), IsOk());
  EXPECT_EQ(meter->totals().requests, before + 6);
}

}  // namespace
}  // namespace firn
