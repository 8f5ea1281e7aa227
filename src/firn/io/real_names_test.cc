#include "firn/io/real_names.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/clock.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::IsFalse;
using testing::IsTrue;

class RealNamesTest : public testing::Test {
 protected:
  RealNamesTest() {
    std::filesystem::create_directories(At("real/deep"));
    std::filesystem::create_directory_symlink(At("real"), At("link"));
    std::filesystem::create_directory_symlink("../real/deep", At("real/up"));
    EXPECT_THAT(WriteFile(*io_, At("real/deep/f"), {}), IsOk());
    std::filesystem::create_symlink(At("real/deep/f"), At("l"));
    std::filesystem::create_symlink(At("nothing"), At("dangling"));
    std::filesystem::create_symlink(At("loop"), At("loop"));
  }
  std::string At(const std::string& name) const { return folder_.Join(name); }

  TemporaryFolder folder_;
  std::shared_ptr<FileIO> io_ = MakeLocalFileIO();
  RealNames names_{*io_};
};

TEST_F(RealNamesTest, OneFileHasOneNameWhateverLinksLeadToIt) {
  const std::string file = At("real/deep/f");
  for (const std::string& name :
       {file, "file:" + file, "file://" + file, At("link/deep/f"), At("real/up/f"),
        At("link/up/../deep/f"), At("real//deep/./f"), "file://localhost" + At("link/up/f")}) {
    EXPECT_THAT(names_.Entry(name), IsOkAnd(file)) << name;
    const auto found = names_.Find(name);
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->file(), file) << name;
    EXPECT_EQ(found->target, "") << name;
  }
}

TEST_F(RealNamesTest, ALinkIsAnEntryOfItsOwnThatLeadsToItsTarget) {
  const auto found = names_.Find("file:" + At("l"));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->entry, At("l"));
  EXPECT_EQ(found->target, At("real/deep/f"));
  EXPECT_THAT(names_.Entry(At("l")), IsOkAnd(At("l")));
}

TEST_F(RealNamesTest, FindsLinksInFoldersOfManyFiles) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = At("real/deep/m" + std::to_string(i));
    if (i % 10 == 3) {
      std::filesystem::create_symlink(At("real/deep/f"), name);
    } else {
      EXPECT_THAT(WriteFile(*io_, name, {}), IsOk());
    }
  }
  for (int i = 0; i < 100; ++i) {
    const auto found = names_.Find(At("link/deep/m" + std::to_string(i)));
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(found->target, i % 10 == 3 ? At("real/deep/f") : "") << i;
  }
}

TEST_F(RealNamesTest, WhatDoesNotExistIsNamedByTheFoldersThatDo) {
  EXPECT_THAT(names_.Entry(At("link/new/a/b")), IsOkAnd(At("real/new/a/b")));
  EXPECT_THAT(names_.Folder(At("link/new/../other")), IsOkAnd(At("real/other")));
  for (const std::string name : {"dangling", "loop", "real/deep/f/below"}) {
    const auto found = names_.Find(At(name));
    ASSERT_THAT(found, IsOk()) << name;
    EXPECT_EQ(found->entry, At(name));
  }
}

TEST_F(RealNamesTest, AFolderIsWithinAnotherByAnyOfItsNames) {
  EXPECT_THAT(names_.IsWithin(At("link/deep"), At("real")), IsOkAnd(IsTrue()));
  EXPECT_THAT(names_.IsWithin(At("link/new/table"), "file:" + At("real/")), IsOkAnd(IsTrue()));
  EXPECT_THAT(names_.IsWithin(At("real"), At("link")), IsOkAnd(IsTrue()));
  EXPECT_THAT(names_.IsWithin(At("real"), At("link/deep")), IsOkAnd(IsFalse()));
  EXPECT_THAT(names_.IsWithin(At("realm"), At("real")), IsOkAnd(IsFalse()));
  EXPECT_THAT(names_.IsWithin("s3a://b/t/x", "s3://b/t/"), IsOkAnd(IsTrue()));
  EXPECT_THAT(names_.IsWithin("s3://b/tt", "s3://b/t"), IsOkAnd(IsFalse()));
}

TEST_F(RealNamesTest, NamesThatAreNotLocalStayAsTheyAre) {
  const auto memory = MakeMemoryFileIO(SystemClock());
  const RealNames names(*memory);
  EXPECT_THAT(names.Entry(At("link/deep/f")), IsOkAnd(At("link/deep/f")));
  EXPECT_THAT(names_.Entry("s3a://b/k//x"), IsOkAnd(std::string("s3://b/k//x")));
}

TEST_F(RealNamesTest, LooksThroughRulesForPrefixes) {
  const auto registry = MakeSchemeRegistry();
  registry->Register("file", io_);
  const auto io = MakePrefixFileIO(registry->Make(), {{"s3://b/t", At("link")}});
  const RealNames names(*io);
  EXPECT_THAT(names.Entry("s3://b/t/deep/f"), IsOkAnd(At("real/deep/f")));
  EXPECT_THAT(names.Entry("s3://b/other"), IsOkAnd(std::string("s3://b/other")));
}

}  // namespace
}  // namespace firn
