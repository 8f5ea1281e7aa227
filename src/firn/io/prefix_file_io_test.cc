#include <map>
#include <set>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/io/io.h"
#include "firn/io/uri.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

MATCHER_P2(IsRule, from, to, "") { return arg.from == from && arg.to == to; }

class PrefixFileIOTest : public testing::Test {
 protected:
  std::shared_ptr<FileIO> Make(std::string_view rules) {
    const auto parsed = ParsePrefixRules(rules);
    EXPECT_THAT(parsed, IsOk());
    return MakePrefixFileIO(inner_, *parsed);
  }

  static std::vector<std::string> List(FileIO& io, const std::string& uri) {
    std::vector<std::string> uris;
    EXPECT_THAT(io.List(uri,
                        [&](const FileInfo& info) -> Status {
                          uris.push_back(info.uri);
                          return {};
                        }),
                IsOk());
    return uris;
  }

  void Put(const std::string& place) {
    EXPECT_THAT(WriteFile(*inner_, place, AsBytes(place)), IsOk());
  }

  FakeClock clock_;
  std::shared_ptr<FileIO> inner_ = MakeMemoryFileIO(clock_);
};

TEST(PrefixRulesTest, ParsesPairs) {
  EXPECT_THAT(*ParsePrefixRules("s3://old/=/new, file:/a=s3://b/p=1"),
              ElementsAre(IsRule("s3://old", "/new"), IsRule("file:/a", "s3://b/p=1")));
  EXPECT_THAT(*ParsePrefixRules(" "), ElementsAre());
}

TEST(PrefixRulesTest, RefusesWhatIsNoPair) {
  for (const char* text : {"/a", "/a=", "=/b", "/a=/b,", "=", ","}) {
    EXPECT_THAT(ParsePrefixRules(text), IsError(ErrorCode::kInvalidInput, "old=new")) << text;
  }
  EXPECT_THAT(ParsePrefixRules("/a=/b,/a/=/c"),
              IsError(ErrorCode::kInvalidInput, "'/a' is mapped"));
}

TEST_F(PrefixFileIOTest, ReadsAndWritesElsewhereUnderTheRecordedName) {
  const auto io = Make("s3://old/wh=/new");
  EXPECT_THAT(WriteFile(*io, "s3://old/wh/t/f", AsBytes("rows")), IsOk());
  EXPECT_THAT(List(*inner_, "/"), ElementsAre("/new/t/f"));
  EXPECT_EQ(ReadFile(*io, "s3://old/wh/t/f")->view(), "rows");
  EXPECT_EQ((*io->Open("s3://old/wh/t/f"))->uri(), "s3://old/wh/t/f");
  EXPECT_EQ((*io->Create("s3://old/wh/t/g"))->uri(), "s3://old/wh/t/g");
  EXPECT_EQ(io->Stat("s3://old/wh/t/f")->uri, "s3://old/wh/t/f");
  EXPECT_THAT(List(*io, "s3://old/wh/t"), ElementsAre("s3://old/wh/t/f"));
  EXPECT_THAT(List(*io, "s3://old/wh/"), ElementsAre("s3://old/wh/t/f"));
  EXPECT_EQ(io->DeleteMany(std::vector<std::string>{"s3://old/wh/t/f"})[0].uri, "s3://old/wh/t/f");
  EXPECT_TRUE(List(*inner_, "/").empty());
}

TEST_F(PrefixFileIOTest, LeavesOtherPathsAlone) {
  const auto io = Make("s3://old/wh=/new");
  Put("/other/f");
  EXPECT_EQ(ReadFile(*io, "/other/f")->view(), "/other/f");
  EXPECT_THAT(List(*io, "/other"), ElementsAre("/other/f"));
}

TEST_F(PrefixFileIOTest, MapsAtPathBoundariesOnly) {
  const auto io = Make("/wh/t=/new");
  Put("/wh/t2/f");
  Put("/wh/t%2Ff");
  EXPECT_THAT(io->Stat("/wh/t2/f"), IsOk());
  EXPECT_THAT(io->Stat("/wh/t%2Ff"), IsOk());
  EXPECT_THAT(io->Stat("/wh/t/f"),
              IsError(ErrorCode::kNotFound, "recorded '/wh/t/f': file '/new/f'"));
}

// The recorded text counts, not what it names.
TEST_F(PrefixFileIOTest, ComparesTheTextBeforeItIsAUri) {
  const auto io = Make("file:/a=/new");
  Put("file:///a/f");
  Put("/a/f");
  EXPECT_EQ(ReadFile(*io, "file:///a/f")->view(), "file:///a/f");
  EXPECT_EQ(ReadFile(*io, "/a/f")->view(), "/a/f");
  EXPECT_THAT(ReadFile(*io, "file:/a/f"), IsError(ErrorCode::kNotFound, "/new/f"));
}

// B87: relative recorded paths open only through a rule, in whatever way they are relative.
TEST_F(PrefixFileIOTest, RefusesRelativePathsThatNoRuleMaps) {
  const auto io = Make("data/persistent=/x,file://data/persistent=/x");
  Put("/x/t/f");
  EXPECT_THAT(ReadFile(*io, "data/persistent/t/f"), IsOk());
  EXPECT_THAT(ReadFile(*io, "file://data/persistent/t/f"), IsOk());
  for (const std::string uri : {"data/other/f", "file://data/other/f", "file:f", "f", ""}) {
    const auto refused = IsError(ErrorCode::kInvalidInput, "io.rewrite-prefix");
    EXPECT_THAT(io->Open(uri), refused);
    EXPECT_THAT(io->Create(uri), refused);
    EXPECT_THAT(io->Stat(uri), refused);
    EXPECT_THAT(io->Delete(uri), refused);
    EXPECT_THAT(io->List(uri, [](const FileInfo&) { return Status(); }), refused);
    EXPECT_THAT(io->DeleteMany(std::vector{uri})[0].status, refused);
  }
}

TEST_F(PrefixFileIOTest, TakesTheLongestRule) {
  const auto io = Make("/a=/short,/a/b/c=/long,/a/b=/middle");
  for (const char* place : {"/short/f", "/middle/f", "/long/f"})
    Put(place);
  EXPECT_EQ(ReadFile(*io, "/a/f")->view(), "/short/f");
  EXPECT_EQ(ReadFile(*io, "/a/b/f")->view(), "/middle/f");
  EXPECT_EQ(ReadFile(*io, "/a/b/c/f")->view(), "/long/f");
}

// A listing that missed these files, or named others, would let orphan removal delete live ones.
TEST_F(PrefixFileIOTest, ListsAllPlacesOfAFolderAndHidesWhatALongerRuleCovers) {
  const auto io = Make("/a=/short,/a/b=/long");
  for (const char* place : {"/short/f", "/short/b/hidden", "/long/g"})
    Put(place);
  EXPECT_THAT(List(*io, "/a"), UnorderedElementsAre("/a/f", "/a/b/g"));
  EXPECT_THAT(List(*io, "/a/b"), ElementsAre("/a/b/g"));
  EXPECT_THAT(List(*io, "/"),
              UnorderedElementsAre("/a/f", "/a/b/g", "/short/f", "/short/b/hidden", "/long/g"));
}

TEST_F(PrefixFileIOTest, MapsRoots) {
  const auto down = Make("/=/mnt/copy");
  Put("/mnt/copy/a/f");
  EXPECT_THAT(List(*down, "/a"), ElementsAre("/a/f"));
  EXPECT_THAT(List(*down, "/"), ElementsAre("/a/f"));
  const auto up = Make("s3://bucket=/");
  Put("/b/g");
  EXPECT_THAT(List(*up, "s3://bucket/b"), ElementsAre("s3://bucket/b/g"));
  EXPECT_THAT(up->Stat("s3://bucket/b/g"), IsOk());
}

TEST_F(PrefixFileIOTest, DeletesManyInTheOrderAskedForAndRefusesTheRest) {
  const auto io = Make("/a=/new");
  Put("/new/f");
  Put("/g");
  const std::vector<std::string> uris = {"relative", "/g", "/a/missing", "/a/f"};
  const auto outcomes = io->DeleteMany(uris);
  ASSERT_EQ(outcomes.size(), 4U);
  for (size_t i = 0; i < uris.size(); ++i)
    EXPECT_EQ(outcomes[i].uri, uris[i]);
  EXPECT_THAT(outcomes[0].status, IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(outcomes[1].status, IsOk());
  EXPECT_TRUE(outcomes[2].was_missing);
  EXPECT_FALSE(outcomes[3].was_missing);
}

std::string AnyFolder() {
  const auto name = rc::gen::element<std::string>("a", "b", "ab", "a%2Fb", "x y");
  const auto names = *rc::gen::container<std::vector<std::string>>(
      static_cast<size_t>(*rc::gen::inRange(1, 4)), name);
  std::string folder = "s3://old";
  for (const std::string& part : names)
    folder += "/" + part;
  return folder;
}

// Where a file belongs, by the words of the contract.
std::string ExpectedPlace(const std::string& uri, const std::vector<PrefixRule>& rules) {
  const PrefixRule* longest = nullptr;
  for (const PrefixRule& rule : rules) {
    if (!uri.starts_with(rule.from + "/")) continue;
    if (longest == nullptr || rule.from.size() > longest->from.size()) longest = &rule;
  }
  return longest == nullptr ? uri : longest->to + uri.substr(longest->from.size());
}

TEST(PrefixFileIOPropertyTest, MapsDownAndBackToTheSameName) {
  EXPECT_TRUE(rc::check([] {
    FakeClock clock;
    const std::shared_ptr<FileIO> inner = MakeMemoryFileIO(clock);
    std::vector<PrefixRule> rules;
    std::set<std::string> taken;
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      std::string from = AnyFolder();
      if (taken.insert(from).second) {
        rules.push_back({.from = std::move(from), .to = "/place" + std::to_string(i)});
      }
    }
    const auto io = MakePrefixFileIO(inner, rules);
    std::set<std::string> written;
    for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
      const std::string uri = AnyFolder() + "/f" + std::to_string(i);
      written.insert(uri);
      RC_ASSERT(WriteFile(*io, uri, AsBytes(uri)).ok());
      const auto placed = ReadFile(*inner, ExpectedPlace(uri, rules));
      RC_ASSERT(placed.ok());
      RC_ASSERT(placed->view() == uri);
    }
    const std::string folder = AnyFolder();
    std::set<std::string> expected;
    for (const std::string& uri : written) {
      if (uri.starts_with(folder + "/")) expected.insert(uri);
    }
    std::set<std::string> listed;
    RC_ASSERT(io->List(folder, [&](const FileInfo& info) -> Status {
                  RC_ASSERT(listed.insert(info.uri).second);
                  return {};
                }).ok());
    RC_ASSERT(listed == expected);
  }));
}

}  // namespace
}  // namespace firn
