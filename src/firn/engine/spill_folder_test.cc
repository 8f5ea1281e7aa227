#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "firn/engine/spill_folder_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

TEST(SpillFolderTest, IsRemovedWithAllThatIsInIt) {
  TemporaryFolder parent;
  {
    const auto folder = SpillFolder::Make(parent.path(), SystemRandom());
    ASSERT_THAT(folder, IsOk());
    std::ofstream(folder->path() + "/rows.tmp") << "x";
  }
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

// As processes that were given the same seed do.
TEST(SpillFolderTest, TakesAnotherNameIfItsOwnIsTaken) {
  TemporaryFolder parent;
  const auto first = SpillFolder::Make(parent.path(), *MakeSeededRandom(7));
  const auto second = SpillFolder::Make(parent.path(), *MakeSeededRandom(7));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  EXPECT_NE(first->path(), second->path());
}

TEST(SpillFolderTest, RemovesWhatADeadProcessLeftAndNothingElse) {
  TemporaryFolder parent;
  const auto live = SpillFolder::Make(parent.path(), SystemRandom());
  ASSERT_THAT(live, IsOk());
  const std::string dead = parent.Join("firn-spill-dead");
  fs::create_directory(dead);
  std::ofstream(dead + "/rows.tmp") << "x";
  std::ofstream(dead + ".lock") << "";
  fs::create_directory(parent.Join("firn-spill-unlocked"));  // Of another making.

  const auto next = SpillFolder::Make(parent.path(), SystemRandom());
  ASSERT_THAT(next, IsOk());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_FALSE(fs::exists(dead + ".lock"));
  EXPECT_TRUE(fs::exists(live->path()));
  EXPECT_TRUE(fs::exists(parent.Join("firn-spill-unlocked")));
}

TEST(SpillFolderTest, SaysWhereNoneCanBeMade) {
  EXPECT_THAT(SpillFolder::Make("/nowhere", SystemRandom()),
              IsError(ErrorCode::kUnavailable, "'/nowhere'; set TMPDIR"));
}

}  // namespace
}  // namespace firn
