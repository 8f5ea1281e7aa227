#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// What a manifest says about the column "x" (id 1) of a file.
struct ColumnInfo {
  TypePtr type;
  int64_t values = 10;
  std::optional<int64_t> nulls = 0;
  std::optional<int64_t> nans;
  Value lower;
  Value upper;
  std::optional<std::string> lower_bytes;  // Instead of `lower`.
  std::optional<std::string> upper_bytes;
  int64_t record_count = 10;
};

FileMetrics MakeMetrics(const ColumnInfo& info) {
  FileMetrics metrics;
  metrics.value_counts = {{1, info.values}};
  if (info.nulls) metrics.null_value_counts = {{1, *info.nulls}};
  if (info.nans) metrics.nan_value_counts = {{1, *info.nans}};
  if (!info.lower.is_null()) {
    metrics.lower_bounds = {{1, ToBoundBytes(info.lower, *info.type).value()}};
  }
  if (!info.upper.is_null()) {
    metrics.upper_bounds = {{1, ToBoundBytes(info.upper, *info.type).value()}};
  }
  if (info.lower_bytes) metrics.lower_bounds = {{1, *info.lower_bytes}};
  if (info.upper_bytes) metrics.upper_bounds = {{1, *info.upper_bytes}};
  return metrics;
}

// "maybe", "none" (no row can match) or "all" (all rows match).
std::string Judge(const ColumnInfo& info, std::string_view filter) {
  const Schema schema(0, {{.id = 1, .name = "x", .type = info.type}});
  const auto bound = Bind(*ParseExpression(filter), schema);
  if (!bound.ok()) return bound.error().Format();
  const FileMetrics metrics = MakeMetrics(info);
  const ColumnMetrics columns{.metrics = &metrics, .record_count = info.record_count};
  const bool might = MightMatchMetrics(**bound, schema, columns);
  const bool all = AllMatchMetrics(**bound, schema, columns);
  if (all && !might) return "contradiction";
  return all ? "all" : (might ? "maybe" : "none");
}

ColumnInfo Ints(int32_t lower, int32_t upper) {
  return {.type = Type::Primitive(TypeId::kInt), .lower = Value(lower), .upper = Value(upper)};
}

TEST(MetricsEvaluatorTest, ComparesWithBounds) {
  const ColumnInfo info = Ints(5, 9);
  EXPECT_EQ(Judge(info, "x < 5"), "none");
  EXPECT_EQ(Judge(info, "x <= 5"), "maybe");
  EXPECT_EQ(Judge(info, "x < 10"), "all");
  EXPECT_EQ(Judge(info, "x <= 9"), "all");
  EXPECT_EQ(Judge(info, "x > 9"), "none");
  EXPECT_EQ(Judge(info, "x >= 9"), "maybe");
  EXPECT_EQ(Judge(info, "x > 4"), "all");
  EXPECT_EQ(Judge(info, "x = 4"), "none");
  EXPECT_EQ(Judge(info, "x = 7"), "maybe");
  EXPECT_EQ(Judge(info, "x <> 7"), "maybe");
  EXPECT_EQ(Judge(info, "x <> 10"), "all");
  EXPECT_EQ(Judge(info, "x in (1, 2, 12)"), "none");
  EXPECT_EQ(Judge(info, "x in (1, 6, 12)"), "maybe");
  EXPECT_EQ(Judge(info, "x not in (1, 12)"), "all");
  EXPECT_EQ(Judge(info, "x not in (1, 6)"), "maybe");
  EXPECT_EQ(Judge(info, "x is null"), "none");
  EXPECT_EQ(Judge(info, "x is not null"), "all");
  EXPECT_EQ(Judge(info, "x between 1 and 4 or x > 20"), "none");
  EXPECT_EQ(Judge(info, "x > 4 and x < 20"), "all");
}

TEST(MetricsEvaluatorTest, KnowsFilesOfOneValue) {
  const ColumnInfo info = Ints(7, 7);
  EXPECT_EQ(Judge(info, "x = 7"), "all");
  EXPECT_EQ(Judge(info, "x in (1, 7)"), "all");
  EXPECT_EQ(Judge(info, "x <> 7"), "none");
  EXPECT_EQ(Judge(info, "x not in (1, 7)"), "none");
  EXPECT_EQ(Judge(info, "bucket(16, x) = 99"), "none");
  EXPECT_EQ(Judge(info, "truncate(5, x) = 5"), "all");
}

TEST(MetricsEvaluatorTest, DoesNotCountNullAsAMatch) {
  ColumnInfo info = Ints(7, 7);
  info.nulls = 3;
  EXPECT_EQ(Judge(info, "x = 7"), "maybe");
  EXPECT_EQ(Judge(info, "x < 100"), "maybe");
  EXPECT_EQ(Judge(info, "x <> 9"), "maybe");
  EXPECT_EQ(Judge(info, "x not in (9)"), "maybe");
  EXPECT_EQ(Judge(info, "x <> 7"), "none");
  EXPECT_EQ(Judge(info, "x is null"), "maybe");
  info.nulls = 10;
  info.lower = info.upper = Value();
  EXPECT_EQ(Judge(info, "x <> 9"), "none");
  EXPECT_EQ(Judge(info, "x not in (1, 9)"), "none");
  EXPECT_EQ(Judge(info, "x is null"), "all");
  EXPECT_EQ(Judge(info, "x is not null"), "none");
}

TEST(MetricsEvaluatorTest, TakesMissingMetricsAsUnknown) {
  const ColumnInfo info{.type = Type::Primitive(TypeId::kInt), .nulls = std::nullopt};
  for (const char* filter : {"x < 5", "x > 5", "x = 5", "x <> 5", "x in (5, 6)", "x not in (5, 6)",
                             "x is null", "x is not null"}) {
    EXPECT_EQ(Judge(info, filter), "maybe") << filter;
  }
  const Schema schema(0, {{.id = 1, .name = "x", .type = info.type}});
  const auto bound = Bind(*ParseExpression("x = 5"), schema);
  EXPECT_TRUE(MightMatchMetrics(**bound, schema, {.metrics = nullptr, .record_count = 3}));
  EXPECT_FALSE(AllMatchMetrics(**bound, schema, {.metrics = nullptr, .record_count = 3}));
}

TEST(MetricsEvaluatorTest, KnowsEmptyFilesButNotNegativeCounts) {
  ColumnInfo info = Ints(5, 9);
  info.record_count = 0;
  const Schema schema(0, {{.id = 1, .name = "x", .type = info.type}});
  const auto bound = Bind(*ParseExpression("x = 7"), schema);
  const FileMetrics metrics = MakeMetrics(info);
  EXPECT_FALSE(MightMatchMetrics(**bound, schema, {.metrics = &metrics, .record_count = 0}));
  EXPECT_TRUE(AllMatchMetrics(**bound, schema, {.metrics = &metrics, .record_count = 0}));
  EXPECT_TRUE(MightMatchMetrics(**bound, schema, {.metrics = &metrics, .record_count = -1}));
  EXPECT_FALSE(AllMatchMetrics(**bound, schema, {.metrics = &metrics, .record_count = -1}));
}

// B90
TEST(MetricsEvaluatorTest, KeepsFilesWithNanForGreaterAndDifferent) {
  const TypePtr type = Type::Primitive(TypeId::kDouble);
  const ColumnInfo a{.type = type, .values = 2, .nans = 1, .lower = 1.0, .upper = 1.0};
  EXPECT_EQ(Judge(a, "x > 5"), "maybe");
  EXPECT_EQ(Judge(a, "x >= 0"), "all");
  EXPECT_EQ(Judge(a, "x < 1"), "none");
  EXPECT_EQ(Judge(a, "x <= 1"), "maybe");
  EXPECT_EQ(Judge(a, "x <> 1"), "maybe");
  EXPECT_EQ(Judge(a, "x is nan"), "maybe");
  const ColumnInfo b{.type = type, .values = 2, .nans = 2};
  EXPECT_EQ(Judge(b, "x > 5"), "all");
  EXPECT_EQ(Judge(b, "x <> 1"), "all");
  EXPECT_EQ(Judge(b, "x < 5"), "none");
  EXPECT_EQ(Judge(b, "x = 5"), "none");
  EXPECT_EQ(Judge(b, "x is nan"), "all");
  EXPECT_EQ(Judge(b, "x is not nan"), "none");
  const ColumnInfo d{.type = type, .values = 1, .nulls = 1, .nans = 0};
  EXPECT_EQ(Judge(d, "x > 5"), "none");
  EXPECT_EQ(Judge(d, "x is nan"), "none");
  EXPECT_EQ(Judge(d, "x is not nan"), "all");
}

TEST(MetricsEvaluatorTest, TreatsBothZerosAsEqual) {
  const TypePtr type = Type::Primitive(TypeId::kDouble);
  for (const double lower : {-0.0, 0.0}) {
    for (const double upper : {-0.0, 0.0}) {
      const ColumnInfo c{.type = type, .nans = 0, .lower = lower, .upper = upper};
      EXPECT_EQ(Judge(c, "x = 0.0"), "all");
      EXPECT_EQ(Judge(c, "x = -0.0"), "all");
      EXPECT_EQ(Judge(c, "x < 0.0"), "none");
      EXPECT_EQ(Judge(c, "x > -0.0"), "none");
      EXPECT_EQ(Judge(c, "x <> 0"), "none");
    }
  }
}

// B91
TEST(MetricsEvaluatorTest, TakesNanBoundsAsUnknown) {
  const TypePtr type = Type::Primitive(TypeId::kDouble);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [lower, upper] :
       {std::pair(1.0, nan), std::pair(nan, 1.0), std::pair(nan, nan), std::pair(nan, -nan)}) {
    const ColumnInfo info{.type = type, .values = 2, .lower = lower, .upper = upper};
    EXPECT_EQ(Judge(info, "x not in (1.0, 2.0)"), "maybe");
    EXPECT_EQ(Judge(info, "x = 1.0"), "maybe");
    EXPECT_EQ(Judge(info, "x < 0.5"), "maybe");
    EXPECT_EQ(Judge(info, "x > 99"), "maybe");
    EXPECT_EQ(Judge(info, "x is nan"), "maybe");
  }
}

// B91
TEST(MetricsEvaluatorTest, TakesMissingNanCountsAsUnknown) {
  const ColumnInfo info{
      .type = Type::Primitive(TypeId::kFloat), .lower = Value(1.0F), .upper = Value(2.0F)};
  EXPECT_EQ(Judge(info, "x > 0"), "maybe");
  EXPECT_EQ(Judge(info, "x < 5"), "maybe");
  EXPECT_EQ(Judge(info, "x not in (7, 8)"), "maybe");
  EXPECT_EQ(Judge(info, "x > 5"), "maybe");
  EXPECT_EQ(Judge(info, "x < 1"), "none");
}

// B92
TEST(MetricsEvaluatorTest, ReadsBoundsOfTheWidthBeforeAPromotion) {
  const TypePtr narrow = Type::Primitive(TypeId::kInt);
  ColumnInfo old{.type = Type::Primitive(TypeId::kLong)};
  old.lower_bytes = ToBoundBytes(int32_t{-3}, *narrow).value();
  old.upper_bytes = ToBoundBytes(int32_t{7}, *narrow).value();
  EXPECT_EQ(Judge(old, "x < 0"), "maybe");
  EXPECT_EQ(Judge(old, "x < -3"), "none");
  EXPECT_EQ(Judge(old, "x = 7"), "maybe");
  EXPECT_EQ(Judge(old, "x > 8589934592"), "none");

  ColumnInfo floats{.type = Type::Primitive(TypeId::kDouble), .nans = 0};
  floats.lower_bytes = ToBoundBytes(-1.5F, *Type::Primitive(TypeId::kFloat)).value();
  floats.upper_bytes = ToBoundBytes(2.5F, *Type::Primitive(TypeId::kFloat)).value();
  EXPECT_EQ(Judge(floats, "x < -1.5"), "none");
  EXPECT_EQ(Judge(floats, "x <= 2.5"), "all");

  ColumnInfo decimals{.type = Type::Decimal(20, 2)};
  decimals.lower_bytes = ToBoundBytes(Int128{-100}, *Type::Decimal(9, 2)).value();
  decimals.upper_bytes = ToBoundBytes(Int128{250}, *Type::Decimal(9, 2)).value();
  EXPECT_EQ(Judge(decimals, "x < -1"), "none");
  EXPECT_EQ(Judge(decimals, "x <= 2.50"), "all");
}

TEST(MetricsEvaluatorTest, IgnoresBoundsThatMakeNoSense) {
  EXPECT_EQ(Judge(Ints(9, 5), "x = 100"), "maybe");
  ColumnInfo info = Ints(5, 9);
  info.lower_bytes = std::string("abc");
  EXPECT_EQ(Judge(info, "x = 100"), "maybe");
  EXPECT_EQ(Judge(info, "x < 100"), "maybe");
}

Value Uuid(uint8_t first, uint8_t last) {
  UuidBytes bytes{};
  bytes[0] = std::byte{first};
  bytes[15] = std::byte{last};
  return Value(bytes);
}

TEST(MetricsEvaluatorTest, PrunesUuidsOnlyWhereBothOrdersAgree) {
  ColumnInfo info{.type = Type::Primitive(TypeId::kUuid)};
  info.lower = Uuid(0x10, 0);
  info.upper = Uuid(0x20, 0);
  EXPECT_EQ(Judge(info, "x = '30000000-0000-0000-0000-000000000000'"), "none");
  EXPECT_EQ(Judge(info, "x = '18000000-0000-0000-0000-000000000000'"), "maybe");
  EXPECT_EQ(Judge(info, "x <> '30000000-0000-0000-0000-000000000000'"), "all");
  EXPECT_EQ(Judge(info, "x < '01000000-0000-0000-0000-000000000000'"), "maybe");
  // Unsigned 10.. to f0..; signed f0.. is below 10.., so such bounds contradict one order.
  info.upper = Uuid(0xf0, 0);
  EXPECT_EQ(Judge(info, "x = '80000000-0000-0000-0000-000000000000'"), "maybe");
  // Signed order: f0.. (negative) to 10..; in unsigned order lower is above upper.
  info.lower = Uuid(0xf0, 0);
  info.upper = Uuid(0x10, 0);
  EXPECT_EQ(Judge(info, "x = '80000000-0000-0000-0000-000000000000'"), "maybe");
  EXPECT_EQ(Judge(info, "x = '00000000-0000-0000-0000-000000000000'"), "maybe");
  // One value is one value in any order.
  info.lower = info.upper;
  EXPECT_EQ(Judge(info, "x = '10000000-0000-0000-0000-000000000000'"), "all");
}

TEST(MetricsEvaluatorTest, TestsPrefixesAgainstCutBounds) {
  ColumnInfo info{.type = Type::Primitive(TypeId::kString)};
  info.lower = std::string("abc");
  info.upper = std::string("abd");
  EXPECT_EQ(Judge(info, "x like 'ab%'"), "all");
  EXPECT_EQ(Judge(info, "x not like 'ab%'"), "none");
  EXPECT_EQ(Judge(info, "x like 'abcdef%'"), "maybe");
  EXPECT_EQ(Judge(info, "x like 'abe%'"), "none");
  EXPECT_EQ(Judge(info, "x not like 'abe%'"), "all");
  EXPECT_EQ(Judge(info, "x like 'aa%'"), "none");
  EXPECT_EQ(Judge(info, "x like 'x_%z'"), "none");
  EXPECT_EQ(Judge(info, "x like 'ab_%z'"), "maybe");
  EXPECT_EQ(Judge(info, "x not like 'x_%z'"), "all");
  EXPECT_EQ(Judge(info, "x not like 'ab_%z'"), "maybe");
  EXPECT_EQ(Judge(info, "x like '%z'"), "maybe");
}

TEST(MetricsEvaluatorTest, DoesNotDecideForAllRowsByNestedColumns) {
  const Schema schema(
      0, {{.id = 2,
           .name = "s",
           .type = Type::Struct({{.id = 1, .name = "x", .type = Type::Primitive(TypeId::kInt)}})}});
  const FileMetrics metrics = MakeMetrics(Ints(5, 9));
  const ColumnMetrics columns{.metrics = &metrics, .record_count = 10};
  const auto judge = [&](std::string_view filter) {
    const auto bound = Bind(*ParseExpression(filter), schema);
    return std::pair(MightMatchMetrics(**bound, schema, columns),
                     AllMatchMetrics(**bound, schema, columns));
  };
  EXPECT_EQ(judge("s.x < 5"), std::pair(false, false));
  EXPECT_EQ(judge("s.x < 10"), std::pair(true, false));
  EXPECT_EQ(judge("s.x is null"), std::pair(true, false));
}

// B106
TEST(MetricsEvaluatorTest, DoesNotPruneByAColumnThatTheFileLacks) {
  const Schema schema(0, {{.id = 1, .name = "x", .type = Type::Primitive(TypeId::kInt)},
                          {.id = 2,
                           .name = "c",
                           .type = Type::Primitive(TypeId::kInt),
                           .initial_default = Value(int32_t{5})}});
  const FileMetrics metrics = MakeMetrics(Ints(5, 9));
  const auto bound = Bind(*ParseExpression("c = 5"), schema);
  EXPECT_TRUE(MightMatchMetrics(**bound, schema, {.metrics = &metrics, .record_count = 10}));
}

}  // namespace
}  // namespace firn
