#include "firn/session/policy_file.h"

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::string_view kPolicy = R"(
[default]
steps = ["compact", "expire"]
expire.retain-last = 5
[default.orphans]
quarantine = false
[catalog.lake]
enabled = true
[namespace.'lake.db']
compact.min-input-files = 3
expire.retain-last = 4
[table.'lake.db.t']
expire.retain-last = 3
orphans.max-fraction = 0.25
)";

const std::vector<std::string> kKeys = {"a",
                                        "compact.min-input-files",
                                        "enabled",
                                        "expire.retain-last",
                                        "orphans.max-fraction",
                                        "orphans.quarantine",
                                        "steps"};

TEST(PolicyFileTest, NarrowerSectionsWin) {
  const auto sections = ParsePolicyFile(kPolicy, "p.toml", kKeys);
  ASSERT_THAT(sections, IsOk());
  EXPECT_THAT(PolicyFor(*sections, "other", {"db"}, "t"),
              ElementsAre(Pair("expire.retain-last", "5"), Pair("orphans.quarantine", "false"),
                          Pair("steps", "compact,expire")));
  EXPECT_THAT(PolicyFor(*sections, "lake", {"db"}, "u"),
              ElementsAre(Pair("compact.min-input-files", "3"), Pair("enabled", "true"),
                          Pair("expire.retain-last", "4"), Pair("orphans.quarantine", "false"),
                          Pair("steps", "compact,expire")));
  EXPECT_EQ(PolicyFor(*sections, "lake", {"db"}, "t")["expire.retain-last"], "3");
  EXPECT_EQ(PolicyFor(*sections, "lake", {"db"}, "t")["orphans.max-fraction"], "0.25");
  EXPECT_EQ(PolicyFor(*sections, "lake", {"db", "inner"}, "t")["expire.retain-last"], "4");
}

TEST(PolicyFileTest, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(ParsePolicyFile("", "p.toml", kKeys), IsOkAnd(IsEmpty()));
  EXPECT_THAT(ParsePolicyFile("[default]\nsteps = ", "p.toml", kKeys),
              IsError(ErrorCode::kInvalidInput, "p.toml line 2"));
  EXPECT_THAT(ParsePolicyFile("[defaults]\na = 1", "p.toml", kKeys),
              IsError(ErrorCode::kInvalidInput, "found 'defaults', expected the sections"));
  EXPECT_THAT(ParsePolicyFile("[table]\nt = 1", "p.toml", kKeys),
              IsError(ErrorCode::kInvalidInput, "p.toml line 2: 'table.t' is no section"));
  EXPECT_THAT(ParsePolicyFile("[default]\na = 2026-01-01", "p.toml", kKeys),
              IsError(ErrorCode::kInvalidInput, "'a' is a date"));
  EXPECT_THAT(
      ParsePolicyFile("[default]\na = 1\n[table.t]\norphans.quarantin = true\n", "p.toml", kKeys),
      IsError(ErrorCode::kInvalidInput,
              "p.toml line 4: unknown key 'orphans.quarantin' (did you mean "
              "'orphans.quarantine'?), expected one of a, compact.min-input-files,"));
}

}  // namespace
}  // namespace firn
