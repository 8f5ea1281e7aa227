#include <string>

#include <gtest/gtest.h>

#include "firn/expression/expression.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

const Schema& TestSchema() {
  static const Schema kSchema(0,
                              {{.id = 1, .name = "i", .type = Type::Primitive(TypeId::kInt)},
                               {.id = 2, .name = "s", .type = Type::Primitive(TypeId::kString)},
                               {.id = 3, .name = "ts", .type = Type::Primitive(TypeId::kTimestamp)},
                               {.id = 4, .name = "dt", .type = Type::Primitive(TypeId::kDate)},
                               {.id = 5, .name = "d", .type = Type::Primitive(TypeId::kDouble)},
                               {.id = 6, .name = "dec", .type = Type::Decimal(9, 2)}});
  return kSchema;
}

struct Partitioning {
  PartitionSpec spec;
  TypePtr type;
};

// One field for each of "bucket[16](i)".
Partitioning MakePartitioning(const std::vector<std::pair<std::string, std::string>>& fields) {
  Partitioning result;
  int32_t id = 1000;
  for (const auto& [column, transform] : fields) {
    result.spec.fields.push_back({.source_ids = {TestSchema().FindField(column)->id},
                                  .field_id = id++,
                                  .name = "p" + std::to_string(id - 1000),
                                  .transform = ParseTransform(transform).value()});
  }
  result.type = PartitionType(result.spec, {std::make_shared<const Schema>(TestSchema())});
  return result;
}

ExpressionPtr BindFilter(std::string_view filter) {
  auto parsed = ParseExpression(filter);
  if (!parsed.ok()) return nullptr;
  auto bound = Bind(*parsed, TestSchema());
  return bound.ok() ? *bound : nullptr;
}

// Inclusive and strict projection as text.
std::string Project(const Partitioning& partitioning, std::string_view filter) {
  const ExpressionPtr bound = BindFilter(filter);
  const auto inclusive = ProjectInclusive(bound, partitioning.spec, *partitioning.type);
  const auto strict = ProjectStrict(bound, partitioning.spec, *partitioning.type);
  return FormatExpression(**inclusive) + " | " + FormatExpression(**strict);
}

TEST(ProjectionTest, ProjectsToBuckets) {
  const Partitioning p = MakePartitioning({{"i", "bucket[16]"}});
  EXPECT_EQ(Project(p, "i = 34"), "p1 = 3 | FALSE");
  EXPECT_EQ(Project(p, "i in (34, -1, 0)"), "p1 IN (3, 8, 12) | FALSE");
  EXPECT_EQ(Project(p, "i <> 34"), "TRUE | p1 <> 3");
  EXPECT_EQ(Project(p, "i not in (34, -1)"), "TRUE | p1 NOT IN (3, 8)");
  EXPECT_EQ(Project(p, "i < 34"), "TRUE | FALSE");
  EXPECT_EQ(Project(p, "i is null"), "p1 IS NULL | p1 IS NULL");
  EXPECT_EQ(Project(p, "bucket(16, i) > 3"), "p1 > 3 | p1 > 3");
  EXPECT_EQ(Project(p, "bucket(8, i) = 3"), "TRUE | FALSE");
}

TEST(ProjectionTest, ProjectsToTruncatedNumbers) {
  const Partitioning p = MakePartitioning({{"dec", "truncate[50]"}});
  EXPECT_EQ(Project(p, "dec < 10.50"), "p1 <= 10.00 | p1 < 10.50");
  EXPECT_EQ(Project(p, "dec <= 10.50"), "p1 <= 10.50 | p1 < 10.50");
  EXPECT_EQ(Project(p, "dec > 10.49"), "p1 >= 10.50 | p1 > 10.00");
  EXPECT_EQ(Project(p, "dec >= 10.50"), "p1 >= 10.50 | p1 > 10.00");
  EXPECT_EQ(Project(p, "dec = 10.65"), "p1 = 10.50 | FALSE");
  EXPECT_EQ(Project(p, "dec <> -0.05"), "TRUE | p1 <> -0.50");
}

TEST(ProjectionTest, AllowsForTruncationThatWraps) {
  // truncate[10] of the least int is 2147483646.
  const Partitioning p = MakePartitioning({{"i", "truncate[10]"}});
  EXPECT_EQ(Project(p, "i < 15"), "p1 <= 10 OR p1 = 2147483646 | p1 < 10");
  EXPECT_EQ(Project(p, "i > 15"), "p1 >= 10 | p1 > 10 AND p1 <> 2147483646");
  EXPECT_EQ(Project(p, "i > -2147483648"), "TRUE | p1 > 2147483646 AND p1 <> 2147483646");
  EXPECT_EQ(Project(p, "i >= -2147483648"), "TRUE | p1 IS NOT NULL");
  EXPECT_EQ(Project(p, "i < -2147483648"), "FALSE | FALSE");
}

TEST(ProjectionTest, ProjectsToTruncatedText) {
  const Partitioning p = MakePartitioning({{"s", "truncate[3]"}});
  EXPECT_EQ(Project(p, "s = 'abcdef'"), "p1 = 'abc' | FALSE");
  EXPECT_EQ(Project(p, "s < 'abcdef'"), "p1 <= 'abc' | p1 < 'abc'");
  EXPECT_EQ(Project(p, "s > 'ab'"), "p1 >= 'ab' | p1 > 'ab'");
  EXPECT_EQ(Project(p, "s <> 'abcdef'"), "TRUE | p1 <> 'abc'");
  EXPECT_EQ(Project(p, "s like 'ab%'"), "p1 LIKE 'ab%' | p1 LIKE 'ab%'");
  EXPECT_EQ(Project(p, "s like 'äbc%'"), "p1 = 'äbc' | p1 = 'äbc'");
  EXPECT_EQ(Project(p, "s like 'abcd%'"), "p1 = 'abc' | FALSE");
  EXPECT_EQ(Project(p, "s not like 'ab%'"), "p1 NOT LIKE 'ab%' | p1 NOT LIKE 'ab%'");
  EXPECT_EQ(Project(p, "s not like 'abc%'"), "p1 <> 'abc' | p1 <> 'abc'");
  EXPECT_EQ(Project(p, "s not like 'abcd%'"), "TRUE | p1 <> 'abc'");
  EXPECT_EQ(Project(p, "s like 'ab_d'"), "p1 LIKE 'ab%' | FALSE");
  EXPECT_EQ(Project(p, "s not like 'ab_d'"), "TRUE | p1 NOT LIKE 'ab%'");
}

TEST(ProjectionTest, ProjectsToDays) {
  const Partitioning p = MakePartitioning({{"ts", "day"}});
  EXPECT_EQ(Project(p, "ts < TIMESTAMP '2026-01-31 00:00:00'"),
            "p1 <= DATE '2026-01-30' | p1 < DATE '2026-01-31'");
  EXPECT_EQ(Project(p, "ts <= TIMESTAMP '2026-01-31 23:59:59.999999'"),
            "p1 <= DATE '2026-01-31' | p1 < DATE '2026-02-01'");
  EXPECT_EQ(Project(p, "ts >= TIMESTAMP '2026-01-31 00:00:00'"),
            "p1 >= DATE '2026-01-31' | p1 > DATE '2026-01-30'");
  EXPECT_EQ(Project(p, "ts = TIMESTAMP '2026-01-31 10:00:00'"), "p1 = DATE '2026-01-31' | FALSE");
  EXPECT_EQ(Project(p, "days(ts) = DATE '2026-01-31'"),
            "p1 >= DATE '2026-01-31' AND p1 <= DATE '2026-01-31' | "
            "p1 > DATE '2026-01-30' AND p1 < DATE '2026-02-01'");
}

// B79
TEST(ProjectionTest, WidensForValuesOfOldWritersBefore1970) {
  const Partitioning hour = MakePartitioning({{"ts", "hour"}});
  EXPECT_EQ(Project(hour, "ts = TIMESTAMP '1969-12-31 23:59:59'"), "p1 IN (-1, 0) | FALSE");
  EXPECT_EQ(Project(hour, "ts < TIMESTAMP '1970-01-01 00:00:00'"), "p1 <= 0 | p1 < 0");
  EXPECT_EQ(Project(hour, "ts <> TIMESTAMP '1969-12-31 23:59:59'"), "TRUE | p1 NOT IN (-1, 0)");
  EXPECT_EQ(Project(hour, "ts >= TIMESTAMP '1969-12-31 23:00:00'"), "p1 >= -1 | p1 > -1");
  EXPECT_EQ(Project(hour, "ts in (TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '1970-01-01 05:00')"),
            "p1 IN (-1, 0, 5) | FALSE");
  // The day of a date is the date.
  const Partitioning day = MakePartitioning({{"dt", "day"}});
  EXPECT_EQ(Project(day, "dt = DATE '1969-12-31'"), "p1 = DATE '1969-12-31' | FALSE");
  const Partitioning year = MakePartitioning({{"dt", "year"}});
  EXPECT_EQ(Project(year, "dt = DATE '1969-12-31'"), "p1 IN (-1, 0) | FALSE");
  EXPECT_EQ(Project(year, "dt < DATE '1969-01-01'"), "p1 <= -1 | p1 < -1");
}

TEST(ProjectionTest, KeepsPredicatesOnIdentityPartitions) {
  const Partitioning p = MakePartitioning({{"s", "identity"}, {"d", "identity"}});
  EXPECT_EQ(Project(p, "s like 'a_c' and d is nan"),
            "p1 LIKE 'a_c' AND p2 IS NAN | p1 LIKE 'a_c' AND p2 IS NAN");
  EXPECT_EQ(Project(p, "truncate(2, s) = 'ab'"), "truncate(2, p1) = 'ab' | truncate(2, p1) = 'ab'");
}

TEST(ProjectionTest, JoinsSeveralFieldsOnOneColumn) {
  const Partitioning p = MakePartitioning({{"ts", "month"}, {"ts", "day"}});
  EXPECT_EQ(Project(p, "ts > TIMESTAMP '2026-01-30 23:59:59.999999'"),
            "p1 >= 672 AND p2 >= DATE '2026-01-31' | p1 > 672 OR p2 > DATE '2026-01-30'");
}

TEST(ProjectionTest, SaysNothingByVoidAndUnknownTransforms) {
  for (const char* transform : {"void", "zorder[3]"}) {
    const Partitioning p = MakePartitioning({{"i", transform}});
    EXPECT_EQ(Project(p, "i = 5"), "TRUE | FALSE");
    EXPECT_EQ(Project(p, "i is null"), "TRUE | FALSE");
    EXPECT_EQ(Project(p, "i is not null"), "TRUE | FALSE");
  }
}

TEST(ProjectionTest, SaysNothingByTransformsOfSeveralColumns) {
  Partitioning p = MakePartitioning({{"i", "bucket[16]"}});
  p.spec.fields[0].source_ids = {1, 2};
  EXPECT_EQ(Project(p, "i = 34"), "TRUE | FALSE");
}

TEST(ProjectionTest, CombinesProjectionsByTheFilter) {
  const Partitioning p = MakePartitioning({{"i", "bucket[16]"}, {"dt", "year"}});
  EXPECT_EQ(Project(p, "i = 34 or s = 'x'"), "TRUE | FALSE");
  EXPECT_EQ(Project(p, "i = 34 and s = 'x'"), "p1 = 3 | FALSE");
  EXPECT_EQ(Project(p, "not (i = 34 or dt < DATE '2026-01-01')"), "p2 >= 56 | p1 <> 3 AND p2 > 55");
}

TEST(ProjectionTest, LeavesOnlyWhatThePartitionDoesNotDecide) {
  const Partitioning p = MakePartitioning({{"ts", "day"}, {"i", "identity"}});
  const auto residual = [&](std::string_view filter, std::optional<int32_t> day,
                            std::optional<int32_t> i) {
    const StructValue partition{{day ? Value(*day) : Value(), i ? Value(*i) : Value()}};
    const auto result = ResidualFor(BindFilter(filter), p.spec, *p.type, partition);
    return FormatExpression(**result);
  };
  const std::string filter = "ts >= TIMESTAMP '1970-01-03 12:00:00' and i in (1, 2) and s = 'x'";
  EXPECT_EQ(residual(filter, 3, 1), "s = 'x'");
  EXPECT_EQ(residual(filter, 2, 1), "ts >= TIMESTAMP '1970-01-03T12:00:00.000000' AND s = 'x'");
  EXPECT_EQ(residual(filter, 1, 1), "FALSE");
  EXPECT_EQ(residual(filter, 3, 7), "FALSE");
  EXPECT_EQ(residual(filter, 3, std::nullopt), "FALSE");
  EXPECT_EQ(residual("ts < TIMESTAMP '1970-01-03 00:00:00' or i is null", 1, 5), "TRUE");
  EXPECT_EQ(residual("not (i = 5)", 1, std::nullopt), "FALSE");
}

// What the manifest list says of one partition field.
bool Might(const Partitioning& p, std::string_view filter, const FieldSummary& summary) {
  const auto projected = ProjectInclusive(BindFilter(filter), p.spec, *p.type);
  ManifestFile manifest;
  manifest.partitions = {summary};
  return MightMatchManifest(**projected, p.spec, *p.type, manifest);
}

TEST(ManifestEvaluatorTest, PrunesByPartitionSummaries) {
  const Partitioning p = MakePartitioning({{"i", "identity"}});
  const Type type = *Type::Primitive(TypeId::kInt);
  const FieldSummary summary{.contains_null = false,
                             .lower_bound = ToBoundBytes(int32_t{5}, type).value(),
                             .upper_bound = ToBoundBytes(int32_t{9}, type).value()};
  EXPECT_FALSE(Might(p, "i = 4", summary));
  EXPECT_TRUE(Might(p, "i = 5", summary));
  EXPECT_FALSE(Might(p, "i is null", summary));
  EXPECT_FALSE(Might(p, "i in (1, 10)", summary));
  EXPECT_TRUE(Might(p, "i <> 5", summary));
  FieldSummary all_null{.contains_null = true};
  EXPECT_FALSE(Might(p, "i = 4", all_null));
  EXPECT_FALSE(Might(p, "i <> 4", all_null));
  EXPECT_FALSE(Might(p, "i is not null", all_null));
  EXPECT_TRUE(Might(p, "i is null", all_null));
}

TEST(ManifestEvaluatorTest, KeepsManifestsWithoutSummaries) {
  const Partitioning p = MakePartitioning({{"i", "identity"}});
  const auto projected = ProjectInclusive(BindFilter("i = 4"), p.spec, *p.type);
  ManifestFile manifest;
  EXPECT_TRUE(MightMatchManifest(**projected, p.spec, *p.type, manifest));
  manifest.partitions.emplace();  // Fewer than the spec has fields.
  EXPECT_TRUE(MightMatchManifest(**projected, p.spec, *p.type, manifest));
}

TEST(ManifestEvaluatorTest, RemembersNanPartitions) {
  const Partitioning p = MakePartitioning({{"d", "identity"}});
  const Type type = *Type::Primitive(TypeId::kDouble);
  FieldSummary summary{.contains_null = false,
                       .contains_nan = true,
                       .lower_bound = ToBoundBytes(1.0, type).value(),
                       .upper_bound = ToBoundBytes(1.0, type).value()};
  EXPECT_TRUE(Might(p, "d > 5", summary));
  EXPECT_TRUE(Might(p, "d is nan", summary));
  summary.contains_nan = false;
  EXPECT_FALSE(Might(p, "d > 5", summary));
  EXPECT_FALSE(Might(p, "d is nan", summary));
  summary.contains_nan.reset();
  EXPECT_TRUE(Might(p, "d > 5", summary));
  EXPECT_FALSE(Might(p, "d < 1", summary));
  const FieldSummary only_nan{.contains_null = false, .contains_nan = true};
  EXPECT_TRUE(Might(p, "d > 5", only_nan));
  EXPECT_FALSE(Might(p, "d = 5", only_nan));
}

}  // namespace
}  // namespace firn
