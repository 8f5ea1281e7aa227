#include "firn/base/result.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

constexpr ErrorCode kAllCodes[] = {
    ErrorCode::kInvalidInput,     ErrorCode::kNotFound,          ErrorCode::kAlreadyExists,
    ErrorCode::kPermissionDenied, ErrorCode::kUnsupported,       ErrorCode::kCorrupt,
    ErrorCode::kUnavailable,      ErrorCode::kResourceExhausted, ErrorCode::kCommitConflict,
    ErrorCode::kCommitUnknown,    ErrorCode::kCancelled,         ErrorCode::kInternal};

Result<int> ParseDigit(char c) {
  if (c < '0' || c > '9') return MakeError(ErrorCode::kInvalidInput, "'{}' is no digit", c);
  return c - '0';
}

Result<int> SumDigits(std::string_view text) {
  int sum = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    FIRN_ASSIGN(const int digit, ParseDigit(text[i]), "character {}", i + 1);
    sum += digit;
  }
  return sum;
}

Status CheckDigits(std::string_view text) {
  FIRN_RETURN_IF_ERROR(SumDigits(text));
  return {};
}

Status CheckField(std::string_view text) {
  FIRN_RETURN_IF_ERROR(CheckDigits(text), "field '{}'", "size");
  return {};
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> value = 7;
  const Result<int> error = Error(ErrorCode::kCorrupt, "broken");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 7);
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().code(), ErrorCode::kCorrupt);
  EXPECT_EQ(error.error().message(), "broken");
}

TEST(ResultTest, CarriesTypesThatOnlyMove) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(ResultTest, ConvertsFromWhatConvertsToItsValue) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  const Result<std::unique_ptr<Base>> pointer = std::make_unique<Derived>();
  const Result<std::string> text = "literal";
  EXPECT_TRUE(pointer.ok());
  EXPECT_EQ(*text, "literal");
}

TEST(ResultTest, AssignGivesTheValueOrReturnsWithThePlaceBeforeTheMessage) {
  EXPECT_EQ(*SumDigits("123"), 6);
  const Result<int> failed = SumDigits("12x");
  ASSERT_THAT(failed, IsError(ErrorCode::kInvalidInput));
  EXPECT_EQ(failed.error().message(), "character 3: 'x' is no digit");
}

TEST(ResultTest, AssignTakesVariablesAndMembers) {
  struct Holder {
    int value = 0;
  } holder;
  const auto assign = [&](std::string_view text) -> Status {
    FIRN_ASSIGN(holder.value, SumDigits(text));
    return {};
  };
  EXPECT_THAT(assign("45"), IsOk());
  EXPECT_EQ(holder.value, 9);
  EXPECT_THAT(assign("x"), IsError(ErrorCode::kInvalidInput, "character 1"));
  EXPECT_EQ(holder.value, 9);
}

TEST(ResultTest, ReturnIfErrorPassesOkAndAddsThePlaceOnlyWhereGiven) {
  EXPECT_THAT(CheckDigits("123"), IsOk());
  EXPECT_EQ(CheckDigits("x").error().message(), "character 1: 'x' is no digit");
  EXPECT_EQ(CheckField("x").error().message(), "field 'size': character 1: 'x' is no digit");
}

TEST(ResultTest, FormatsAsUsersSeeIt) {
  const Error error = Error(ErrorCode::kCorrupt, "size is -1").Within("entry 17");
  EXPECT_EQ(error.Format(), "corrupt: entry 17: size is -1");
}

TEST(ResultTest, EveryCodeHasAWordOfItsOwnAndTheExitCodeOfTheStyleGuide) {
  std::set<std::string_view> words;
  std::vector<int> exits;
  for (const ErrorCode code : kAllCodes) {
    words.insert(FormatErrorCode(code));
    exits.push_back(ExitCode(code));
  }
  EXPECT_EQ(words.size(), std::size(kAllCodes));
  EXPECT_THAT(exits, testing::ElementsAre(2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70));
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorAborts) {
  const Result<int> error = Error(ErrorCode::kCorrupt, "broken");
  EXPECT_DEATH(static_cast<void>(*error), "check failed");
  const Result<int> value = 1;
  EXPECT_DEATH(static_cast<void>(value.error()), "check failed");
}

}  // namespace
}  // namespace firn
