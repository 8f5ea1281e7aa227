#include <string>

#include <gtest/gtest.h>

#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// The filter as firn understands it.
std::string Reformat(std::string_view text) {
  const auto expression = ParseExpression(text);
  return expression.ok() ? FormatExpression(**expression) : expression.error().Format();
}

TEST(ParseExpressionTest, ReadsComparisonsInBothOrders) {
  EXPECT_EQ(Reformat("id=5"), "id = 5");
  EXPECT_EQ(Reformat("5 < id"), "id > 5");
  EXPECT_EQ(Reformat("5 >= id"), "id <= 5");
  EXPECT_EQ(Reformat("'a' != name"), "name <> 'a'");
  EXPECT_EQ(Reformat("id == -5"), "id = -5");
  EXPECT_EQ(Reformat("id > +1.5e-3"), "id > 1.5e-3");
  EXPECT_EQ(Reformat("id>=10L and d < 2.5D"), "id >= 10 AND d < 2.5");
  EXPECT_EQ(Reformat("id<-1"), "id < -1");
}

TEST(ParseExpressionTest, BindsNotTighterThanAndTighterThanOr) {
  EXPECT_EQ(Reformat("a=1 or b=2 and not c=3"), "a = 1 OR b = 2 AND NOT (c = 3)");
  EXPECT_EQ(Reformat("(a=1 or b=2) and c=3"), "(a = 1 OR b = 2) AND c = 3");
  EXPECT_EQ(Reformat("NOT (a = 1 AND b = 2)"), "NOT (a = 1 AND b = 2)");
  EXPECT_EQ(Reformat("!a = 1"), "NOT (a = 1)");
  EXPECT_EQ(Reformat("not not a = 1"), "a = 1");
}

TEST(ParseExpressionTest, ReadsSetsRangesAndTests) {
  EXPECT_EQ(Reformat("id in (1, 2,3)"), "id IN (1, 2, 3)");
  EXPECT_EQ(Reformat("id NOT IN (1, NULL)"), "id NOT IN (1, NULL)");
  EXPECT_EQ(Reformat("id between 1 and 5 and b = 2"), "id >= 1 AND id <= 5 AND b = 2");
  EXPECT_EQ(Reformat("id not between 1 and 5"), "NOT (id >= 1 AND id <= 5)");
  EXPECT_EQ(Reformat("a is null or b is not null"), "a IS NULL OR b IS NOT NULL");
  EXPECT_EQ(Reformat("a is nan or b is not nan"), "a IS NAN OR b IS NOT NAN");
  EXPECT_EQ(Reformat("isnan(a) or isnull(b.c) or isnotnull(d)"),
            "a IS NAN OR b.c IS NULL OR d IS NOT NULL");
}

TEST(ParseExpressionTest, ReadsBooleanColumns) {
  EXPECT_EQ(Reformat("flag"), "flag = TRUE");
  EXPECT_EQ(Reformat("not flag and id = 1"), "NOT (flag = TRUE) AND id = 1");
  EXPECT_EQ(Reformat("flag is true"), "flag IS NOT NULL AND flag = TRUE");
  EXPECT_EQ(Reformat("flag is not false"), "NOT (flag IS NOT NULL AND flag = FALSE)");
  EXPECT_EQ(Reformat("false = flag"), "flag = FALSE");
}

TEST(ParseExpressionTest, FoldsConstants) {
  EXPECT_EQ(Reformat("true"), "TRUE");
  EXPECT_EQ(Reformat("1 = 1 and id = 2"), "id = 2");
  EXPECT_EQ(Reformat("1.0 = 1"), "TRUE");
  EXPECT_EQ(Reformat("1e2 < 99.9"), "FALSE");
  EXPECT_EQ(Reformat("'a' < 'b'"), "TRUE");
  EXPECT_EQ(Reformat("id = 2 or true"), "TRUE");
}

TEST(ParseExpressionTest, ReadsNullSafeEquality) {
  EXPECT_EQ(Reformat("id <=> 5"), "id IS NOT NULL AND id = 5");
  EXPECT_EQ(Reformat("NULL <=> id"), "id IS NULL");
}

TEST(ParseExpressionTest, ReadsTypedLiterals) {
  EXPECT_EQ(Reformat("d = date '2026-01-31'"), "d = DATE '2026-01-31'");
  EXPECT_EQ(Reformat("ts >= TIMESTAMP_NTZ' 2026-01-31 10:00:00 '"),
            "ts >= TIMESTAMP '2026-01-31 10:00:00'");
  EXPECT_EQ(Reformat("t < time '10:00'"), "t < TIME '10:00'");
  EXPECT_EQ(Reformat("b = x'0AfF'"), "b = X'0aff'");
  EXPECT_EQ(Reformat("u = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"),
            "u = UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'");
  EXPECT_EQ(Reformat("s = 'it''s'"), "s = 'it''s'");
}

TEST(ParseExpressionTest, LetsColumnsHaveTheNamesOfTypes) {
  EXPECT_EQ(Reformat("date > '2026-01-01'"), "date > '2026-01-01'");
  EXPECT_EQ(Reformat("date > date '2026-01-01'"), "date > DATE '2026-01-01'");
  EXPECT_EQ(Reformat("timestamp is null and days = 1"), "timestamp IS NULL AND days = 1");
}

// Iceberg's documentation writes texts so, since Spark takes them so.
TEST(ParseExpressionTest, DoubleQuotesAreATextWhereALiteralStands) {
  EXPECT_EQ(Reformat("id = 3 and name = \"foo\""), "id = 3 AND name = 'foo'");
  EXPECT_EQ(Reformat("\"name\" = \"foo\""), "name = 'foo'");
  EXPECT_EQ(Reformat("name <=> \"foo\""), "name IS NOT NULL AND name = 'foo'");
  EXPECT_EQ(Reformat("name IN (\"a\", 'b')"), "name IN ('a', 'b')");
  EXPECT_EQ(Reformat("name BETWEEN \"a\" AND \"b\""), "name >= 'a' AND name <= 'b'");
  EXPECT_EQ(Reformat("name LIKE \"a%\""), "name LIKE 'a%'");
}

TEST(ParseExpressionTest, ReadsQuotedAndNestedNames) {
  EXPECT_EQ(Reformat("a.b.c = 1"), "a.b.c = 1");
  EXPECT_EQ(Reformat("`a`.\"b\" = 1"), "a.b = 1");
  EXPECT_EQ(Reformat("\"a b\" = 1"), "`a b` = 1");
  EXPECT_EQ(Reformat("'x' = \"a b\""), "`a b` = 'x'");
  EXPECT_EQ(Reformat("`x``y` = 1"), "`x``y` = 1");
  EXPECT_EQ(Reformat("`1st` = 1 and `and` = 2"), "`1st` = 1 AND `and` = 2");
  EXPECT_EQ(Reformat("größe > 1"), "größe > 1");
}

TEST(ParseExpressionTest, ReadsTransforms) {
  EXPECT_EQ(Reformat("days(ts) = DATE '2026-01-31'"), "days(ts) = DATE '2026-01-31'");
  EXPECT_EQ(Reformat("DATE '2026-01-31' >= day(a.ts)"), "days(a.ts) <= DATE '2026-01-31'");
  EXPECT_EQ(Reformat("system.bucket(16, id) in (1,2)"), "bucket(16, id) IN (1, 2)");
  EXPECT_EQ(Reformat("cat.system.hours(ts) > 5"), "hours(ts) > 5");
  EXPECT_EQ(Reformat("truncate(10, name) = 'a'"), "truncate(10, name) = 'a'");
  EXPECT_EQ(Reformat("truncate(name, 10) = 'a'"), "truncate(10, name) = 'a'");
  EXPECT_EQ(Reformat("months(ts) = '2026-01'"), "months(ts) = '2026-01'");
}

TEST(ParseExpressionTest, TakesYearAsTheCalendarYear) {
  EXPECT_EQ(Reformat("year(ts) = 2026"), "years(ts) = 56");
  EXPECT_EQ(Reformat("year(ts) in (1969, 1970)"), "years(ts) IN (-1, 0)");
}

TEST(ParseExpressionTest, RefusesPartsOfDatesThatRepeat) {
  EXPECT_THAT(ParseExpression("month(ts) = 1"),
              IsError(ErrorCode::kInvalidInput, "month(ts) = '2026-01'"));
  EXPECT_THAT(ParseExpression("day(ts) in (31)"),
              IsError(ErrorCode::kInvalidInput, "day(ts) = '2026-01-31'"));
  EXPECT_THAT(ParseExpression("hour(ts) between 8 and 10"),
              IsError(ErrorCode::kInvalidInput, "hour(ts) = '2026-01-31-10'"));
}

TEST(ParseExpressionTest, ReadsPatterns) {
  EXPECT_EQ(Reformat("s like 'ab%'"), "s LIKE 'ab%'");
  EXPECT_EQ(Reformat("s not like 'ab%'"), "s NOT LIKE 'ab%'");
  EXPECT_EQ(Reformat("s like 'a_b%c'"), "s LIKE 'a_b%c'");
  EXPECT_EQ(Reformat("s like '50\\%%'"), "s LIKE '50\\%%'");
  EXPECT_EQ(Reformat("s like '50!%%' escape '!'"), "s LIKE '50\\%%'");
  EXPECT_EQ(Reformat("s like 'a\\b%' escape '!'"), "s LIKE 'a\\\\b%'");
  EXPECT_EQ((*ParseExpression("s like 'ab%'"))->kind(), ExpressionKind::kStartsWith);
  EXPECT_EQ((*ParseExpression("s like '%ab'"))->kind(), ExpressionKind::kLike);
}

TEST(ParseExpressionTest, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "filter, character 1: found the end of the filter, expected a literal"},
      {"id", ""},
      {"id = ", "filter, character 6: found the end of the filter, expected a literal"},
      {"id = 5 name = 'x'", "filter, character 8: found name, expected an operator, AND, OR"},
      {"é = 5 )", "filter, character 7: found )"},
      {"(id = 5", "character 8: found the end of the filter, expected ')', AND or OR"},
      {"id in ()", "character 8: found ), expected a literal"},
      {"id in (1,)", "character 10: found ), expected a literal"},
      {"id between 1", "expected AND and the upper end of BETWEEN"},
      {"id not 5", "found 5, expected IN, BETWEEN or LIKE"},
      {"id is 5", "found 5, expected NULL, NAN, TRUE or FALSE"},
      {"s like 5", "found 5, expected a pattern in quotes"},
      {"s like 'a' escape 'ab'", "expected one character in quotes"},
      {"s like 'a\\b'", "the escape character '\\' stands before 'b'"},
      {"a = b", "character 5: found a second column"},
      {"NULL = 1", "a comparison of two literals"},
      {"s = 'abc", "character 5: found ' without its closing '"},
      {"`s = 1", "found ` without its closing `"},
      {"b = X'0'", "expected an even number of hexadecimal digits"},
      {"b = X'0g'", "expected an even number of hexadecimal digits"},
      {"id = 5x", "found '5x', expected a number"},
      {"id % 2 = 0", "character 4: found '%', but a filter computes nothing"},
      {"id = 1e", "found '1e', expected a number"},
      {"upper(s) = 'A'", "found the function 'upper', expected one of bucket, days"},
      {"my.days(ts) = 1", "found the function 'my.days'"},
      {"bucket(0, id) = 1", "found 0, expected a whole number from 1"},
      {"bucket(id) = 1", "expected ',' and a width"},
      {"id = 5 ; drop", "found ';'"},
      {"``= 1", "found ``, expected a column"},
      {"a. = 1", "found =, expected a column"},
      {"5", "expected a comparison with a column"},
  };
  for (const auto& [text, message] : cases) {
    const auto result = ParseExpression(text);
    if (message.empty()) {
      EXPECT_THAT(result, IsOk()) << text;
    } else {
      EXPECT_THAT(result, IsError(ErrorCode::kInvalidInput, message)) << text;
    }
  }
}

TEST(ParseExpressionTest, LimitsDepthButNotLength) {
  const auto nest = [](size_t depth) {
    return std::string(depth, '(') + "a = 1" + std::string(depth, ')');
  };
  EXPECT_EQ(Reformat(nest(200)), "a = 1");
  EXPECT_THAT(ParseExpression(nest(201)),
              IsError(ErrorCode::kInvalidInput, "nested deeper than 200"));
  EXPECT_THAT(ParseExpression(nest(1'000'000)), IsError(ErrorCode::kInvalidInput));
  std::string nots;
  for (int i = 0; i < 1000; ++i)
    nots += "NOT ";
  EXPECT_THAT(ParseExpression(nots + "a = 1"), IsError(ErrorCode::kInvalidInput));
  std::string wide = "a = 0";
  std::string list = "a IN (0";
  for (int i = 1; i < 50'000; ++i) {
    wide += " OR a = " + std::to_string(i);
    list += ", " + std::to_string(i);
  }
  EXPECT_EQ((*ParseExpression(wide))->children().size(), 50'000);
  EXPECT_EQ((*ParseExpression(list + ")"))->literals().size(), 50'000);
}

}  // namespace
}  // namespace firn
