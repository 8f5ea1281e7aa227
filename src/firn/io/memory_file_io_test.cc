#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/io/io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

class MemoryFileIOTest : public testing::Test {
 protected:
  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
};

// B86: on object stores `a//b` and `a/b` are two keys.
TEST_F(MemoryFileIOTest, KeepsKeysVerbatim) {
  for (const char* uri : {"s3://bkt/wh//t/f", "s3://bkt/wh/t/f", "s3://bkt/wh/t//f"}) {
    EXPECT_THAT(WriteFile(*io_, uri, AsBytes(uri)), IsOk());
  }
  std::vector<std::string> uris;
  EXPECT_THAT(io_->List("s3://bkt/wh",
                        [&](const FileInfo& info) -> Status {
                          uris.push_back(info.uri);
                          return {};
                        }),
              IsOk());
  EXPECT_THAT(uris, testing::UnorderedElementsAre("s3://bkt/wh//t/f", "s3://bkt/wh/t/f",
                                                  "s3://bkt/wh/t//f"));
  EXPECT_EQ(ReadFile(*io_, "s3://bkt/wh//t/f")->view(), "s3://bkt/wh//t/f");
}

TEST_F(MemoryFileIOTest, ChangesEtagAndTimeWithEachVersion) {
  EXPECT_THAT(WriteFile(*io_, "memory:/f", AsBytes("same")), IsOk());
  const FileInfo first = *io_->Stat("memory:/f");
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_THAT(WriteFile(*io_, "memory:/f", AsBytes("same")), IsOk());
  const FileInfo second = *io_->Stat("memory:/f");
  EXPECT_FALSE(first.etag.empty());
  EXPECT_NE(first.etag, second.etag);
  EXPECT_EQ(*second.modified - *first.modified, std::chrono::seconds(5));
}

TEST_F(MemoryFileIOTest, MayBeChangedWhileItIsListed) {
  for (const char* uri : {"memory:/a", "memory:/b", "memory:/c"}) {
    EXPECT_THAT(WriteFile(*io_, uri, {}), IsOk());
  }
  std::vector<std::string> uris;
  EXPECT_THAT(io_->List("memory:/",
                        [&](const FileInfo& info) {
                          uris.push_back(info.uri);
                          return io_->Delete(info.uri);
                        }),
              IsOk());
  EXPECT_EQ(uris.size(), 3U);
  EXPECT_FALSE(*FileExists(*io_, "memory:/a"));
}

TEST_F(MemoryFileIOTest, OpenFilesOutliveTheFileSystem) {
  EXPECT_THAT(WriteFile(*io_, "memory:/f", AsBytes("bytes")), IsOk());
  const auto file = *io_->Open("memory:/f");
  const auto created = *io_->Create("memory:/g");
  io_.reset();
  EXPECT_EQ(*file->Size(), 5);
  EXPECT_THAT(created->Publish(), IsOk());
}

}  // namespace
}  // namespace firn
