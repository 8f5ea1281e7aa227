#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/procedure/procedure.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::VariantWith;

const Timestamp kNow{std::chrono::sys_days{std::chrono::year{2026} / 2 / 1}};

Result<Arguments::ArgumentValue> Parse(ArgumentType type, const std::vector<std::string>& texts) {
  return ParseArgument({.name = "x", .type = type}, texts, kNow);
}

TEST(ArgumentTextTest, ReadsTimesAndDurationsBackFromNow) {
  const auto time = [](std::string_view text) {
    const auto value = Parse(ArgumentType::kTimestamp, {std::string(text)});
    EXPECT_THAT(value, IsOk()) << text;
    return value.ok() ? std::get<Timestamp>(*value) : Timestamp();
  };
  EXPECT_EQ(time("now"), kNow);
  EXPECT_EQ(time("7d"), kNow - std::chrono::days(7));
  EXPECT_EQ(time("1d12h"), kNow - std::chrono::hours(36));
  EXPECT_EQ(time("2w"), kNow - std::chrono::days(14));
  EXPECT_EQ(time("90s"), kNow - std::chrono::seconds(90));
  EXPECT_EQ(time("0m"), kNow);
  EXPECT_EQ(time("2026-01-31T00:00:00Z"), kNow - std::chrono::days(1));
  EXPECT_EQ(time("2026-01-31 00:00:00"), kNow - std::chrono::days(1));
  EXPECT_EQ(time("2026-01-31T01:00:00+01:00"), kNow - std::chrono::days(1));
  EXPECT_EQ(time("2026-01-31"), kNow - std::chrono::days(1));
  EXPECT_EQ(time("2026-01-31T23:59:59.999999"), kNow - std::chrono::milliseconds(1));
  EXPECT_EQ(time("1969-12-31T23:59:59.999500").time_since_epoch(), std::chrono::milliseconds(-1));
}

TEST(ArgumentTextTest, RefusesWhatIsNoTime) {
  for (const char* text : {"", "yesterday", "7", "7x", "d", "-7d", "7 d", "2026-13-01",
                           "99999999999999999999d", "999999999999w", "1769817600000"}) {
    EXPECT_THAT(Parse(ArgumentType::kTimestamp, {text}),
                IsError(ErrorCode::kInvalidInput, "argument 'x' is '" + std::string(text) + "'"))
        << text;
  }
}

TEST(ArgumentTextTest, ReadsNumbersAndFlags) {
  EXPECT_THAT(Parse(ArgumentType::kInteger, {"-9223372036854775808"}),
              IsOkAnd(VariantWith<int64_t>(INT64_MIN)));
  EXPECT_THAT(Parse(ArgumentType::kNumber, {"0.25"}), IsOkAnd(VariantWith<double>(0.25)));
  EXPECT_THAT(Parse(ArgumentType::kBoolean, {"TRUE"}), IsOkAnd(VariantWith<bool>(true)));
  EXPECT_THAT(Parse(ArgumentType::kBoolean, {"0"}), IsOkAnd(VariantWith<bool>(false)));
  for (const char* text : {"", "1.0", "1e3", " 1", "9223372036854775808", "0x10"}) {
    EXPECT_THAT(Parse(ArgumentType::kInteger, {text}), IsError(ErrorCode::kInvalidInput)) << text;
  }
  EXPECT_THAT(Parse(ArgumentType::kNumber, {"nan"}), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(Parse(ArgumentType::kBoolean, {"maybe"}), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(Parse(ArgumentType::kInteger, {"1", "2"}),
              IsError(ErrorCode::kInvalidInput, "2 times"));
}

TEST(ArgumentTextTest, ReadsListsAndMaps) {
  EXPECT_THAT(Parse(ArgumentType::kTextList, {"a,b.c", " d "}),
              IsOkAnd(VariantWith<std::vector<std::string>>(ElementsAre("a", "b.c", "d"))));
  EXPECT_THAT(Parse(ArgumentType::kIntegerList, {"1,2", "3"}),
              IsOkAnd(VariantWith<std::vector<int64_t>>(ElementsAre(1, 2, 3))));
  EXPECT_THAT(Parse(ArgumentType::kIntegerList, {"1,x"}), IsError(ErrorCode::kInvalidInput, "'x'"));
  using Map = std::map<std::string, std::string>;
  EXPECT_THAT(
      Parse(ArgumentType::kTextMap, {"a=1", "b=x=y", "c="}),
      IsOkAnd(VariantWith<Map>(ElementsAre(Pair("a", "1"), Pair("b", "x=y"), Pair("c", "")))));
  EXPECT_THAT(Parse(ArgumentType::kTextMap, {"a"}), IsError(ErrorCode::kInvalidInput, "KEY=VALUE"));
  EXPECT_THAT(Parse(ArgumentType::kTextMap, {"a=1", "a=2"}),
              IsError(ErrorCode::kInvalidInput, "'a' twice"));
}

}  // namespace
}  // namespace firn
