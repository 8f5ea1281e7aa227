#include <string>

#include <gtest/gtest.h>

#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

NestedField Column(int32_t id, std::string name, TypePtr type, bool required = false) {
  return {.id = id, .name = std::move(name), .type = std::move(type), .required = required};
}

TypePtr Of(TypeId id) { return Type::Primitive(id); }

const Schema& TestSchema() {
  static const Schema kSchema(
      0, {Column(1, "i", Of(TypeId::kInt)), Column(2, "l", Of(TypeId::kLong)),
          Column(3, "f", Of(TypeId::kFloat)), Column(4, "d", Of(TypeId::kDouble)),
          Column(5, "dec", Type::Decimal(4, 2)), Column(6, "s", Of(TypeId::kString)),
          Column(7, "dt", Of(TypeId::kDate)), Column(8, "ts", Of(TypeId::kTimestamp)),
          Column(9, "tz", Of(TypeId::kTimestamptz)), Column(10, "ns", Of(TypeId::kTimestampNs)),
          Column(11, "t", Of(TypeId::kTime)), Column(12, "u", Of(TypeId::kUuid)),
          Column(13, "b", Of(TypeId::kBinary)), Column(14, "flag", Of(TypeId::kBoolean)),
          Column(15, "req", Of(TypeId::kInt), true), Column(16, "gone", Of(TypeId::kUnknown)),
          Column(17, "st",
                 Type::Struct(
                     {Column(18, "x", Of(TypeId::kInt), true), Column(19, "Y", Of(TypeId::kInt))})),
          Column(20, "li", Type::List(Column(21, "element", Of(TypeId::kInt)))),
          Column(22, "a.b", Of(TypeId::kInt))});
  return kSchema;
}

// The bound filter as text, or the error.
std::string BindText(std::string_view text, bool is_case_sensitive = true) {
  const auto expression = ParseExpression(text);
  if (!expression.ok()) return expression.error().Format();
  const auto bound = Bind(*expression, TestSchema(), is_case_sensitive);
  return bound.ok() ? FormatExpression(**bound) : bound.error().Format();
}

TEST(BindExpressionTest, FoldsComparisonsBeyondTheRangeOfTheType) {
  EXPECT_EQ(BindText("i < 3e9"), "i IS NOT NULL");
  EXPECT_EQ(BindText("i > 3e9"), "FALSE");
  EXPECT_EQ(BindText("i <> 3000000000"), "i IS NOT NULL");
  EXPECT_EQ(BindText("i = -3000000000"), "FALSE");
  EXPECT_EQ(BindText("i >= -3000000000"), "i IS NOT NULL");
  EXPECT_EQ(BindText("i <= 2147483647"), "i <= 2147483647");
  EXPECT_EQ(BindText("l < 1e400"), "l IS NOT NULL");
  EXPECT_EQ(BindText("dec < 100"), "dec IS NOT NULL");
  EXPECT_EQ(BindText("dec <= 99.99"), "dec <= 99.99");
  EXPECT_EQ(BindText("req < 3e9"), "TRUE");
  EXPECT_EQ(BindText("ns < TIMESTAMP '2500-01-01 00:00:00'"), "ns IS NOT NULL");
  EXPECT_EQ(BindText("ns < TIMESTAMP '1500-01-01 00:00:00'"), "FALSE");
}

TEST(BindExpressionTest, RoundsFractionsInTheRightDirection) {
  EXPECT_EQ(BindText("i < 2.5"), "i <= 2");
  EXPECT_EQ(BindText("i <= 2.5"), "i <= 2");
  EXPECT_EQ(BindText("i > 2.5"), "i > 2");
  EXPECT_EQ(BindText("i >= 2.5"), "i > 2");
  EXPECT_EQ(BindText("i >= -2.5"), "i > -3");
  EXPECT_EQ(BindText("i = 2.5"), "FALSE");
  EXPECT_EQ(BindText("i <> 2.5"), "i IS NOT NULL");
  EXPECT_EQ(BindText("i = 2.0"), "i = 2");
  EXPECT_EQ(BindText("i > 2147483647.5"), "i > 2147483647");
  EXPECT_EQ(BindText("dec = 1.234"), "FALSE");
  EXPECT_EQ(BindText("dec < 1.234"), "dec <= 1.23");
  EXPECT_EQ(BindText("dec = 1.5"), "dec = 1.50");
  EXPECT_EQ(BindText("ts < TIMESTAMP '2026-01-31 10:00:00.1234567'"),
            "ts <= TIMESTAMP '2026-01-31T10:00:00.123456'");
  EXPECT_EQ(BindText("dt < TIMESTAMP '2026-01-31 10:00:00'"), "dt <= DATE '2026-01-31'");
  EXPECT_EQ(BindText("dt < TIMESTAMP '2026-01-31 00:00:00'"), "dt < DATE '2026-01-31'");
  EXPECT_EQ(BindText("dt > TIMESTAMP '1969-12-31 23:59:59'"), "dt > DATE '1969-12-31'");
}

TEST(BindExpressionTest, TakesTheNearestFloat) {
  EXPECT_EQ(BindText("f = 0.1"), "f = 0.1");
  EXPECT_EQ(BindText("d < 1e-400"), "d <= 0");
  EXPECT_EQ(BindText("d > 1e400"), "d > 1.7976931348623157e+308");
  EXPECT_EQ(BindText("f < 1e39"), "f <= 3.4028235e+38");
  EXPECT_EQ(BindText("f < -1e39"), "f <= '-Infinity'");
  EXPECT_EQ(BindText("d = 'Infinity'"), "d = 'Infinity'");
}

TEST(BindExpressionTest, TurnsNanLiteralsIntoTests) {
  EXPECT_EQ(BindText("d = 'NaN'"), "d IS NAN");
  EXPECT_EQ(BindText("d >= 'NaN'"), "d IS NAN");
  EXPECT_EQ(BindText("d > 'NaN'"), "FALSE");
  EXPECT_EQ(BindText("d <= 'NaN'"), "d IS NOT NULL");
  EXPECT_EQ(BindText("d < 'NaN'"), "d IS NOT NULL AND d IS NOT NAN");
  EXPECT_EQ(BindText("d in (1, 'NaN')"), "d IS NAN OR d = 1");
  EXPECT_EQ(BindText("d not in (1, 'NaN')"), "d IS NOT NAN AND d <> 1");
}

TEST(BindExpressionTest, PushesNotDown) {
  EXPECT_EQ(BindText("not (i < 1 or s like 'a%')"), "i >= 1 AND s NOT LIKE 'a%'");
  EXPECT_EQ(BindText("not (i in (1,2) and s is null)"), "i NOT IN (1, 2) OR s IS NOT NULL");
  EXPECT_EQ(BindText("not flag"), "flag <> TRUE");
  EXPECT_EQ(BindText("not s like 'a_%b'"), "s NOT LIKE 'a_%b'");
}

TEST(BindExpressionTest, LetsComparisonsWithNullMatchNothing) {
  EXPECT_EQ(BindText("i = NULL"), "FALSE");
  EXPECT_EQ(BindText("i <> NULL"), "FALSE");
  EXPECT_EQ(BindText("not (i = NULL)"), "FALSE");
  EXPECT_EQ(BindText("i in (1, NULL)"), "i = 1");
  EXPECT_EQ(BindText("i not in (1, NULL)"), "FALSE");
  EXPECT_EQ(BindText("not (i in (1, NULL))"), "FALSE");
}

TEST(BindExpressionTest, SortsSetsAndDropsWhatCannotBe) {
  EXPECT_EQ(BindText("i in (3, 1, 2.0, 3e9, 1.5, 1)"), "i IN (1, 2, 3)");
  EXPECT_EQ(BindText("i in (3e9)"), "FALSE");
  EXPECT_EQ(BindText("i not in (3e9)"), "i IS NOT NULL");
  EXPECT_EQ(BindText("i in (7, 7)"), "i = 7");
}

TEST(BindExpressionTest, DecidesNullTestsByTheSchema) {
  EXPECT_EQ(BindText("req is null"), "FALSE");
  EXPECT_EQ(BindText("req is not null"), "TRUE");
  EXPECT_EQ(BindText("st.x is null"), "st.x IS NULL");  // Its struct may be null.
  EXPECT_EQ(BindText("gone is null"), "TRUE");
  EXPECT_EQ(BindText("gone = 1"), "FALSE");
  EXPECT_EQ(BindText("li is null"), "li IS NULL");
  EXPECT_EQ(BindText("bucket(4, i) is null"), "i IS NULL");
}

TEST(BindExpressionTest, TurnsTimeTransformsIntoRanges) {
  EXPECT_EQ(BindText("days(ts) = DATE '2026-01-31'"),
            "ts >= TIMESTAMP '2026-01-31T00:00:00.000000' AND "
            "ts < TIMESTAMP '2026-02-01T00:00:00.000000'");
  EXPECT_EQ(BindText("years(dt) <= '1969'"), "dt < DATE '1970-01-01'");
  EXPECT_EQ(BindText("year(dt) > 2026"), "dt >= DATE '2027-01-01'");
  EXPECT_EQ(BindText("months(dt) <> '2026-12'"),
            "dt < DATE '2026-12-01' OR dt >= DATE '2027-01-01'");
  EXPECT_EQ(BindText("months(dt) < -11"), "dt < DATE '1969-02-01'");
  EXPECT_EQ(BindText("hours(tz) >= '2026-01-31-10'"),
            "tz >= TIMESTAMP '2026-01-31T10:00:00.000000+00:00'");
  EXPECT_EQ(BindText("days(dt) in (0, 1, 5)"),
            "dt >= DATE '1970-01-01' AND dt < DATE '1970-01-03' OR "
            "dt >= DATE '1970-01-06' AND dt < DATE '1970-01-07'");
  EXPECT_EQ(BindText("days(ts) < TIMESTAMP '2026-01-31 10:00:00'"),
            "ts < TIMESTAMP '2026-02-01T00:00:00.000000'");
  EXPECT_EQ(BindText("years(ts) < 1e15"), "ts IS NOT NULL");
  EXPECT_EQ(BindText("years(ts) = 9000000000000000000"), "FALSE");
  EXPECT_EQ(BindText("days(ts) <> NULL"), "FALSE");
}

TEST(BindExpressionTest, ReadsTimesWithAndWithoutZone) {
  EXPECT_EQ(BindText("tz = TIMESTAMP '2026-01-31 10:00:00'"),
            "tz = TIMESTAMP '2026-01-31T10:00:00.000000+00:00'");
  EXPECT_EQ(BindText("tz = '2026-01-31T12:00:00+02:00'"),
            "tz = TIMESTAMP '2026-01-31T10:00:00.000000+00:00'");
  EXPECT_THAT(BindText("ts = TIMESTAMP '2026-01-31T10:00:00Z'"),
              testing::HasSubstr("expected a timestamp without zone"));
  EXPECT_EQ(BindText("ts >= DATE '2026-01-31'"), "ts >= TIMESTAMP '2026-01-31T00:00:00.000000'");
  EXPECT_EQ(BindText("ts >= '2026-01-31'"), "ts >= TIMESTAMP '2026-01-31T00:00:00.000000'");
  EXPECT_EQ(BindText("t = '10:00'"), "t = TIME '10:00:00.000000'");
  EXPECT_EQ(BindText("ns = TIMESTAMP '2026-01-31 10:00:00.123456789'"),
            "ns = TIMESTAMP '2026-01-31T10:00:00.123456789'");
}

TEST(BindExpressionTest, SimplifiesPatterns) {
  EXPECT_EQ(BindText("s like 'abc'"), "s = 'abc'");
  EXPECT_EQ(BindText("s not like 'abc'"), "s <> 'abc'");
  EXPECT_EQ(BindText("s like '%'"), "s IS NOT NULL");
  EXPECT_EQ(BindText("s not like '%'"), "FALSE");
  EXPECT_THAT(BindText("i like '1%'"), testing::HasSubstr("expected a string column"));
}

TEST(BindExpressionTest, ReadsTextForOtherTypes) {
  EXPECT_EQ(BindText("i = '5'"), "i = 5");
  EXPECT_EQ(BindText("flag = 'TRUE'"), "flag = TRUE");
  EXPECT_EQ(BindText("u = 'F79C3E09-677C-4BBD-A479-3F349CB785E7'"),
            "u = UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'");
  EXPECT_EQ(BindText("b = X'00ff'"), "b = X'00ff'");
  EXPECT_EQ(BindText("bucket(16, i) = 3"), "bucket(16, i) = 3");
  EXPECT_EQ(BindText("truncate(3, s) = 'abc'"), "truncate(3, s) = 'abc'");
}

TEST(BindExpressionTest, NamesColumnAndLiteralInErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"i = 'x'", "'i' has type int and is compared with 'x', expected a number"},
      {"i = DATE '2026-01-01'", "expected a number"},
      {"s = 5", "'s' has type string and is compared with '5', expected text in single quotes"},
      {"dt = 5", "expected a date such as DATE '2026-01-31'"},
      {"dt = '2026-02-30'", "compared with '2026-02-30', expected a date"},
      {"ts = 'soon'", "expected a timestamp"},
      {"b = 'x'", "expected bytes such as X'0aff'"},
      {"u = 'x'", "expected a UUID"},
      {"flag = 1", "expected TRUE or FALSE"},
      {"li = 1", "'li' has type list<"},
      {"st = 1", "expected a column of a primitive type"},
      {"li.element = 1", "'li.element' lies in a list or a map"},
      {"i is nan", "expected float or double for IS NAN"},
      {"days(i) = 1", "day cannot be applied to 'i' of type int"},
      {"hours(dt) = 1", "hour cannot be applied to 'dt' of type date"},
      {"days(ts) = 'x'", "days(ts) is compared with 'x', expected a literal such as DATE"},
      {"months(ts) = '2026'", "expected a literal such as '2026-01'"},
      {"nope = 1", "there is no column 'nope'; the columns are i, l, f, d"},
      {"flog = TRUE", "there is no column 'flog' (did you mean 'flag'?)"},
      {"FLAG = TRUE", "there is no column 'FLAG' (did you mean 'flag'?)"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(BindText(text), testing::HasSubstr(message)) << text;
  }
}

TEST(BindExpressionTest, FindsNamesIgnoringCaseOnRequest) {
  EXPECT_EQ(BindText("I = 1 and ST.y = 2", false), "i = 1 AND st.Y = 2");
  EXPECT_EQ(BindText("`a.b` = 1"), "a.b = 1");
}

TEST(BindExpressionTest, TellsTheFieldsItReads) {
  const auto bound =
      Bind(*ParseExpression("i = 1 or (st.x = 2 and not s like 'a%')"), TestSchema());
  ASSERT_THAT(bound, IsOk());
  EXPECT_EQ(ReferencedFields(**bound), (std::set<int32_t>{1, 6, 18}));
}

}  // namespace
}  // namespace firn
