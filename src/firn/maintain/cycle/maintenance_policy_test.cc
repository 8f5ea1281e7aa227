#include "firn/maintain/cycle/maintenance_policy.h"

#include <gmock/gmock.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(MaintenancePolicyTest, DoesEverythingInTheSafeOrderUnlessToldOtherwise) {
  const auto policy = MakeMaintenancePolicy({}, {});
  ASSERT_THAT(policy, IsOk());
  EXPECT_TRUE(policy->is_enabled);
  EXPECT_THAT(policy->steps, SizeIs(6));
  EXPECT_TRUE(policy->orphans_quarantine);
  EXPECT_THAT(MakeMaintenancePolicy({{"steps", "expire, compact"}}, {})->steps,
              ElementsAre(MaintenanceStep::kCompact, MaintenanceStep::kExpire));
}

TEST(MaintenancePolicyTest, PropertiesOfTheTableWin) {
  const auto policy = MakeMaintenancePolicy(
      {{"expire.retain-last", "5"}, {"orphans.quarantine", "false"}, {"budget.bytes", "1000"}},
      {{"firn.maintain.expire.retain-last", "7"},
       {"firn.maintain.expire.older-than", "1d12h"},
       {"firn.maintain.compact.min-input-files", "2"},
       {"firn.maintain.compact.strategy", "sort"},
       {"other", "x"}});
  ASSERT_THAT(policy, IsOk());
  EXPECT_EQ(policy->expire_retain_last, 7);
  EXPECT_EQ(policy->expire_older_than, hours(36));
  EXPECT_FALSE(policy->orphans_quarantine);
  EXPECT_EQ(policy->budget_bytes, 1000);
  EXPECT_EQ(policy->compact_strategy, "sort");
  EXPECT_THAT(policy->compact_options, ElementsAre(Pair("min-input-files", "2")));
}

TEST(MaintenancePolicyTest, RefusesWhatItDoesNotUnderstand) {
  const auto error = [](const char* key, const char* value) {
    return MakeMaintenancePolicy({{key, value}}, {});
  };
  EXPECT_THAT(error("expire.retain", "1"),
              IsError(ErrorCode::kInvalidInput, "unknown key 'expire.retain', expected one of"));
  EXPECT_THAT(error("steps", "compact,orphan"), IsError(ErrorCode::kInvalidInput, "some of"));
  EXPECT_THAT(error("enabled", "yes"), IsError(ErrorCode::kInvalidInput, "true or false"));
  EXPECT_THAT(error("expire.retain-last", "0"), IsError(ErrorCode::kInvalidInput, "1 or more"));
  EXPECT_THAT(error("expire.older-than", "7"), IsError(ErrorCode::kInvalidInput, "7d or 12h"));
  EXPECT_THAT(error("orphans.older-than", "99999999999999999999d"),
              IsError(ErrorCode::kInvalidInput, "duration"));
  EXPECT_THAT(error("orphans.max-fraction", "1.5"), IsError(ErrorCode::kInvalidInput, "0 to 1"));
  EXPECT_THAT(error("orphans.max-fraction", "NaN"), IsError(ErrorCode::kInvalidInput, "0 to 1"));
}

TEST(MaintenancePolicyTest, RowsGoOnlyIfItIsSaidWhich) {
  const Properties both = {{"expire-rows.column", "day"}, {"expire-rows.keep-days", "30"}};
  const auto policy = MakeMaintenancePolicy(both, {});
  ASSERT_THAT(policy, IsOk());
  EXPECT_THAT(policy->steps, SizeIs(7));
  EXPECT_EQ(policy->steps.front(), MaintenanceStep::kRows);
  ASSERT_TRUE(policy->expire_rows.has_value());
  EXPECT_EQ(policy->expire_rows->column, "day");
  EXPECT_EQ(policy->expire_rows->keep_days, 30);
  Properties compacting = both;
  compacting["steps"] = "compact";
  EXPECT_THAT(MakeMaintenancePolicy(compacting, {})->steps, ElementsAre(MaintenanceStep::kCompact));

  EXPECT_THAT(MakeMaintenancePolicy({{"steps", "compact,rows"}}, {}),
              IsError(ErrorCode::kInvalidInput, "which rows are too old is not said"));
  EXPECT_THAT(MakeMaintenancePolicy({{"expire-rows.column", "day"}}, {}),
              IsError(ErrorCode::kInvalidInput, "'expire-rows.keep-days' is not"));
  EXPECT_THAT(MakeMaintenancePolicy({}, {{"firn.maintain.expire-rows.keep-days", "3"}}),
              IsError(ErrorCode::kInvalidInput, "'expire-rows.column' is not"));
  EXPECT_THAT(
      MakeMaintenancePolicy({{"expire-rows.column", "day"}, {"expire-rows.keep-days", "3d"}}, {}),
      IsError(ErrorCode::kInvalidInput, "a number of 0 or more"));
}

}  // namespace
}  // namespace firn
