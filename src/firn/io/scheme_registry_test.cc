#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/io/io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

class SchemeRegistryTest : public testing::Test {
 protected:
  SchemeRegistryTest() {
    registry_->Register("file", local_);
    registry_->Register("s3", store_);
    io_ = registry_->Make();
  }

  FakeClock clock_;
  std::shared_ptr<FileIO> local_ = MakeMemoryFileIO(clock_);
  std::shared_ptr<FileIO> store_ = MakeMemoryFileIO(clock_);
  std::unique_ptr<SchemeRegistry> registry_ = MakeSchemeRegistry();
  std::shared_ptr<FileIO> io_;
};

TEST_F(SchemeRegistryTest, ServesAllNamesOfS3ByOneFileSystem) {
  for (const char* uri : {"s3://b/k", "s3a://b/k", "s3n://b/k", "S3://b/k"}) {
    EXPECT_THAT(WriteFile(*io_, uri, {}), IsOk());
    EXPECT_THAT(store_->Stat(uri), IsOk());
  }
}

TEST_F(SchemeRegistryTest, TakesPathsWithoutSchemeForLocal) {
  for (const char* uri : {"/a", "file:/b", "relative", "dir/a:b"}) {
    EXPECT_THAT(WriteFile(*io_, uri, {}), IsOk());
    EXPECT_THAT(local_->Stat(uri), IsOk());
  }
}

TEST_F(SchemeRegistryTest, NamesTheKnownSchemesWhenOneIsUnknown) {
  const auto unknown =
      IsError(ErrorCode::kInvalidInput, "'gs://b/k': scheme is 'gs', expected one of file, s3");
  EXPECT_THAT(io_->Open("gs://b/k"), unknown);
  EXPECT_THAT(io_->Create("gs://b/k"), unknown);
  EXPECT_THAT(io_->Stat("gs://b/k"), unknown);
  EXPECT_THAT(io_->Delete("gs://b/k"), unknown);
  EXPECT_THAT(io_->List("gs://b/k", [](const FileInfo&) { return Status(); }), unknown);
  EXPECT_THAT(io_->DeleteMany(std::vector<std::string>{"gs://b/k"})[0].status, unknown);
}

TEST_F(SchemeRegistryTest, DeletesInEachFileSystemAndKeepsTheOrder) {
  EXPECT_THAT(WriteFile(*io_, "s3://b/k", {}), IsOk());
  EXPECT_THAT(WriteFile(*io_, "/a", {}), IsOk());
  const std::vector<std::string> uris = {"s3a://b/missing", "/a", "gs://x", "s3://b/k", "/b"};
  const auto outcomes = io_->DeleteMany(uris);
  ASSERT_EQ(outcomes.size(), uris.size());
  std::vector<bool> missing;
  for (size_t i = 0; i < uris.size(); ++i) {
    EXPECT_EQ(outcomes[i].uri, uris[i]);
    EXPECT_EQ(outcomes[i].status.ok(), i != 2);
    missing.push_back(outcomes[i].was_missing);
  }
  EXPECT_THAT(missing, testing::ElementsAre(true, false, false, false, true));
}

TEST_F(SchemeRegistryTest, AFileIOKeepsWhatWasRegisteredWhenItWasMade) {
  registry_->Register("memory", store_);
  EXPECT_THAT(io_->Stat("memory:/a"), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(registry_->Make()->Stat("memory:/a"), IsError(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace firn
