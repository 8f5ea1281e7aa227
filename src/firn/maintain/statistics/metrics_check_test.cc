#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/maintain/statistics/metrics_check_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NestedField Field(int32_t id, const std::string& name, TypeId type) {
  return {.id = id, .name = name, .type = Type::Primitive(type)};
}

std::string Bound(Value value, TypeId type) { return *ToBoundBytes(value, *Type::Primitive(type)); }

class MetricsCheckTest : public testing::Test {
 protected:
  MetricsCheckTest()
      : schema_(0, {Field(1, "id", TypeId::kLong), Field(2, "name", TypeId::kString),
                    Field(3, "x", TypeId::kDouble)}) {
    facts_.record_count = 10;
    facts_.file_size = 100;
    facts_.found_ids = {1, 2};
    facts_.metrics.value_counts = {{1, 10}, {2, 10}};
    facts_.metrics.lower_bounds = {{1, Bound(Value(int64_t{5}), TypeId::kLong)},
                                   {2, Bound(Value(std::string("abc")), TypeId::kString)}};
    facts_.metrics.upper_bounds = {{1, Bound(Value(int64_t{9}), TypeId::kLong)},
                                   {2, Bound(Value(std::string("xyz")), TypeId::kString)}};
    facts_.ranges[1] = {.value_count = 10, .lower = Value(int64_t{5}), .upper = Value(int64_t{9})};
    facts_.ranges[2] = {
        .value_count = 10, .lower = Value(std::string("abc")), .upper = Value(std::string("xyz"))};
    file_.record_count = 10;
    file_.file_size_in_bytes = 100;
    file_.metrics = facts_.metrics;
  }

  // Column and metric of all that is wrong.
  std::vector<std::string> Correct() {
    std::vector<std::string> found;
    for (const MetricsDifference& one : CorrectMetrics(schema_, facts_, file_))
      found.push_back(one.column + "." + one.metric);
    return found;
  }

  Schema schema_;
  FileFacts facts_;
  DataFile file_;
};

TEST_F(MetricsCheckTest, WiderBoundsAreRightAndNarrowerOnesAreNot) {
  EXPECT_THAT(Correct(), IsEmpty());
  file_.metrics.lower_bounds = {{1, Bound(Value(int64_t{4}), TypeId::kLong)},
                                {2, Bound(Value(std::string("ab")), TypeId::kString)}};
  EXPECT_THAT(Correct(), IsEmpty());
  EXPECT_EQ(file_.metrics.lower_bounds[0].second, Bound(Value(int64_t{4}), TypeId::kLong));
  file_.metrics.lower_bounds[0].second = Bound(Value(int64_t{6}), TypeId::kLong);
  file_.metrics.upper_bounds[1].second = Bound(Value(std::string("xy")), TypeId::kString);
  EXPECT_THAT(Correct(), ElementsAre("id.lower_bound", "name.upper_bound"));
  EXPECT_EQ(file_.metrics.lower_bounds[0].second, Bound(Value(int64_t{5}), TypeId::kLong));
  EXPECT_THAT(Correct(), IsEmpty());
}

TEST_F(MetricsCheckTest, WhatIsMissingIsPutIn) {
  file_.metrics = {};
  EXPECT_THAT(Correct(), ElementsAre("id.value_count", "id.lower_bound", "id.upper_bound",
                                     "name.value_count", "name.lower_bound", "name.upper_bound"));
  EXPECT_EQ(file_.metrics.lower_bounds, facts_.metrics.lower_bounds);
  EXPECT_THAT(Correct(), IsEmpty());
}

// B99
TEST_F(MetricsCheckTest, BoundsOfAColumnThatTheFileLacksGo) {
  file_.metrics.lower_bounds.emplace_back(3, Bound(Value(1.0), TypeId::kDouble));
  EXPECT_THAT(Correct(), ElementsAre("x.all"));
  EXPECT_EQ(file_.metrics.lower_bounds, facts_.metrics.lower_bounds);
}

TEST_F(MetricsCheckTest, CountsAndSizesOfTheFileAreCompared) {
  file_.record_count = 11;
  file_.file_size_in_bytes = -1;
  file_.split_offsets = {4, 2000};
  facts_.split_offsets = {4, 50};
  EXPECT_THAT(Correct(), ElementsAre(".record_count", ".file_size_in_bytes", ".split_offsets"));
  EXPECT_THAT(Correct(), IsEmpty());
}

TEST_F(MetricsCheckTest, BothZerosAreTheSame) {
  facts_.found_ids.insert(3);
  facts_.metrics.lower_bounds.emplace_back(3, Bound(Value(-0.0), TypeId::kDouble));
  facts_.ranges[3] = {.value_count = 10, .lower = Value(-0.0), .upper = Value(0.0)};
  file_.metrics.lower_bounds.emplace_back(3, Bound(Value(0.0), TypeId::kDouble));
  EXPECT_THAT(Correct(), IsEmpty());
}

// What the file says to be wider than its values is nothing to go by.
TEST_F(MetricsCheckTest, ABoundThatIsTighterThanAnInexactOneStays) {
  facts_.ranges[2].is_exact = false;
  file_.metrics.lower_bounds[1].second = Bound(Value(std::string("abcdef")), TypeId::kString);
  EXPECT_THAT(Correct(), IsEmpty());
}

}  // namespace
}  // namespace firn
