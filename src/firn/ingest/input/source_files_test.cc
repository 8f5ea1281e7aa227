#include <gmock/gmock.h>

#include "firn/base/random.h"
#include "firn/ingest/input/source_files_internal.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

class SourceFilesTest : public testing::Test {
 protected:
  SourceFilesTest() : io_(MakeMemoryFileIO(clock_)) {
    for (const char* name : {"in/a.csv", "in/b.csv", "in/c.txt", "in/_tmp/x.csv", "in/.hidden.csv",
                             "in/year=2025/d.csv", "in/year=2026/m=a%2Fb/e.csv",
                             "in/year=__HIVE_DEFAULT_PARTITION__/f.csv", "odd[1].csv"}) {
      EXPECT_THAT(WriteFile(*io_, std::string("memory:/") + name, AsBytes("x")), IsOk());
    }
  }

  std::vector<std::string> Find(const std::vector<std::string>& sources) {
    const auto files = FindSourceFiles(*io_, sources);
    EXPECT_THAT(files, IsOk());
    std::vector<std::string> names;
    if (!files.ok()) return names;
    for (const SourceFile& file : *files)
      names.push_back(file.info.uri.substr(std::string("memory:/").size()));
    return names;
  }

  FakeClock clock_;
  std::shared_ptr<FileIO> io_;
};

TEST_F(SourceFilesTest, AreFilesFoldersAndGlobsInOrder) {
  EXPECT_THAT(Find({"memory:/in/b.csv", "memory:/in/a.csv"}), ElementsAre("in/b.csv", "in/a.csv"));
  EXPECT_THAT(Find({"memory:/in/*.csv"}), ElementsAre("in/a.csv", "in/b.csv"));
  EXPECT_THAT(Find({"memory:/in/[ac].*"}), ElementsAre("in/a.csv", "in/c.txt"));
  EXPECT_THAT(
      Find({"memory:/in/**/?.csv"}),
      ElementsAre("in/a.csv", "in/b.csv", "in/year=2025/d.csv", "in/year=2026/m=a%2Fb/e.csv",
                  "in/year=__HIVE_DEFAULT_PARTITION__/f.csv"));
}

TEST_F(SourceFilesTest, LeavesHiddenFilesOfAFolderOut) {
  EXPECT_THAT(Find({"memory:/in"}), ElementsAre("in/a.csv", "in/b.csv", "in/c.txt",
                                                "in/year=2025/d.csv", "in/year=2026/m=a%2Fb/e.csv",
                                                "in/year=__HIVE_DEFAULT_PARTITION__/f.csv"));
  EXPECT_THAT(Find({"memory:/in/.hidden.csv"}), ElementsAre("in/.hidden.csv"));
}

TEST_F(SourceFilesTest, TakesAnExistingNameBeforeAGlob) {
  EXPECT_THAT(Find({"memory:/odd[1].csv"}), ElementsAre("odd[1].csv"));
}

TEST_F(SourceFilesTest, KnowsTheFoldersOfHive) {
  const auto files = FindSourceFiles(*io_, {"memory:/in/year*/**"});
  ASSERT_THAT(files, IsOk());
  ASSERT_EQ(files->size(), 3U);
  EXPECT_THAT((*files)[0].folders, ElementsAre(Pair("year", Optional(std::string("2025")))));
  EXPECT_THAT((*files)[1].folders, ElementsAre(Pair("year", Optional(std::string("2026"))),
                                               Pair("m", Optional(std::string("a/b")))));
  EXPECT_THAT((*files)[2].folders, ElementsAre(Pair("year", std::nullopt)));
}

TEST_F(SourceFilesTest, RefusesWhatIsNotThereAndWhatIsThereTwice) {
  EXPECT_THAT(FindSourceFiles(*io_, {"memory:/nothing"}), IsError(ErrorCode::kNotFound, "nothing"));
  EXPECT_THAT(FindSourceFiles(*io_, {"memory:/in/*.pdf"}), IsError(ErrorCode::kNotFound, "*.pdf"));
  EXPECT_THAT(FindSourceFiles(*io_, {"memory:/in/a.csv", "memory:/in/*.csv"}),
              IsError(ErrorCode::kInvalidInput, "named twice"));
  EXPECT_THAT(FindSourceFiles(*io_, {""}), IsError(ErrorCode::kInvalidInput, "empty text"));
  EXPECT_THAT(FindSourceFiles(*io_, {}), IsError(ErrorCode::kInvalidInput, "no source"));
}

}  // namespace
}  // namespace firn
