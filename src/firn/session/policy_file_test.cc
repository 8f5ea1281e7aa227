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

const PolicyKeys kKeys = {.known = {"a", "compact.min-input-files", "enabled", "expire.retain-last",
                                    "orphans.max-fraction", "orphans.quarantine", "steps"}};

TEST(PolicyFileTest, NarrowerSectionsWin) {
  const auto sections = ParsePolicyFile(kPolicy, "p.toml", kKeys);
  ASSERT_THAT(sections, IsOk());
  EXPECT_THAT(PolicyFor(*sections, "home", "other", {"db"}, "t"),
              ElementsAre(Pair("expire.retain-last", "5"), Pair("orphans.quarantine", "false"),
                          Pair("steps", "compact,expire")));
  EXPECT_THAT(PolicyFor(*sections, "home", "lake", {"db"}, "u"),
              ElementsAre(Pair("compact.min-input-files", "3"), Pair("enabled", "true"),
                          Pair("expire.retain-last", "4"), Pair("orphans.quarantine", "false"),
                          Pair("steps", "compact,expire")));
  EXPECT_EQ(PolicyFor(*sections, "home", "lake", {"db"}, "t")["expire.retain-last"], "3");
  EXPECT_EQ(PolicyFor(*sections, "home", "lake", {"db"}, "t")["orphans.max-fraction"], "0.25");
  EXPECT_EQ(PolicyFor(*sections, "home", "lake", {"db", "inner"}, "t")["expire.retain-last"], "4");
}

TEST(PolicyFileTest, TakesNamesWithoutTheDefaultCatalogAsCommandsDo) {
  const auto sections = ParsePolicyFile(
      "[namespace.db]\na = 1\nenabled = true\n[table.'db.t']\na = 2\n", "p.toml", kKeys);
  ASSERT_THAT(sections, IsOk());
  EXPECT_THAT(PolicyFor(*sections, "lake", "lake", {"db"}, "t"),
              ElementsAre(Pair("a", "2"), Pair("enabled", "true")));
  EXPECT_EQ(PolicyFor(*sections, "lake", "lake", {"db"}, "u")["a"], "1");
  EXPECT_THAT(PolicyFor(*sections, "lake", "other", {"db"}, "t"), IsEmpty());
}

TEST(PolicyFileTest, RefusesValuesWhereTheyStand) {
  PolicyKeys keys = kKeys;
  keys.check = [](const std::string& key, const std::string& value) -> Status {
    if (key != "a" || value == "1") return {};
    return MakeError(ErrorCode::kInvalidInput, "'{}' is '{}', expected 1", key, value);
  };
  EXPECT_THAT(ParsePolicyFile("[default]\na = 1\n[table.t]\na = 2\n", "p.toml", keys),
              IsError(ErrorCode::kInvalidInput, "p.toml line 4: 'a' is '2', expected 1"));
}

TEST(PolicyFileTest, SaysThatNamesWithDotsStandInQuotes) {
  EXPECT_THAT(ParsePolicyFile("[table.shop.hive]\nenabled = false\n", "p.toml", kKeys),
              IsError(ErrorCode::kInvalidInput,
                      "p.toml line 1: [table.shop.hive] names nothing; a name with dots stands in "
                      "quotes, as in [table.'shop.hive']"));
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
