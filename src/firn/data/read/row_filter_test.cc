#include <cmath>
#include <limits>

#include <arrow/array.h>
#include <arrow/memory_pool.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/read/row_filter_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// Values of a column that lie close together, so that filters hit them, with the odd ones.
struct Sample {
  TypePtr type;
  std::vector<Value> values;
  std::vector<std::string> literals;
};

std::vector<Sample> Samples() {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  return {
      {Primitive(TypeId::kInt), {{}, -1, 0, 1, 2, INT32_MAX, INT32_MIN}, {"-1", "0", "2147483647"}},
      {Primitive(TypeId::kLong),
       {{}, int64_t{-1}, int64_t{0}, int64_t{7}, INT64_MAX, INT64_MIN},
       {"-1", "0", "7", "9223372036854775807"}},
      {Primitive(TypeId::kFloat),
       {{}, 0.0F, -0.0F, 1.5F, -1.5F, static_cast<float>(nan), static_cast<float>(infinity)},
       {"0.0", "1.5", "-1.5"}},
      {Primitive(TypeId::kDouble),
       {{}, 0.0, -0.0, 1.5, -1.5, nan, -nan, infinity, -infinity},
       {"0.0", "1.5", "1e300"}},
      {Type::Decimal(9, 2), {{}, Int128{0}, Int128{-125}, Int128{150}}, {"0", "-1.25", "1.5"}},
      {Primitive(TypeId::kDate), {{}, 0, -1, 20000}, {"DATE '1970-01-01'", "DATE '2024-10-04'"}},
      {Primitive(TypeId::kTimestamp),
       {{}, int64_t{0}, int64_t{-1}, int64_t{86400000000}},
       {"TIMESTAMP '1970-01-01 00:00:00'", "TIMESTAMP '1970-01-02 00:00:00'"}},
      {Primitive(TypeId::kString),
       {{}, "", "a", "ab", "b", "\xC3\xA9"},
       {"''", "'a'", "'ab'", "'b'", "'\xC3\xA9'"}},
      {Primitive(TypeId::kBoolean), {{}, true, false}, {"true", "false"}}};
}

std::string RandomPredicate(Random& random, const Sample& sample, const std::string& column) {
  const auto literal = [&] { return sample.literals[random.Below(sample.literals.size())]; };
  const TypeId id = sample.type->id();
  const bool is_ordered = id != TypeId::kBoolean;
  switch (random.Below(8)) {
    case 0:
      return column + " IS NULL";
    case 1:
      return column + " IS NOT NULL";
    case 2:
      return column + " IN (" + literal() + ", " + literal() + ")";
    case 3:
      return column + " NOT IN (" + literal() + ", " + literal() + ")";
    case 4:
      return column + " <> " + literal();
    case 5:
      return column + " = " + literal();
    case 6:
      if (id == TypeId::kString) return column + " LIKE 'a%'";
      if (sample.type->is_float()) return column + " IS NAN";
      return column + " = " + literal();
    default:
      break;
  }
  static constexpr const char* kOperators[] = {" < ", " <= ", " > ", " >= "};
  return column + (is_ordered ? kOperators[random.Below(4)] : " = ") + literal();
}

std::string RandomFilter(Random& random, const std::vector<Sample>& samples, int depth) {
  if (depth == 0 || random.Below(3) == 0) {
    const size_t i = random.Below(samples.size());
    // The last column stands inside a struct too.
    const std::string column = "c" + std::to_string(i);
    return RandomPredicate(random, samples[i], random.Below(4) == 0 ? "s." + column : column);
  }
  const std::string a = RandomFilter(random, samples, depth - 1);
  const std::string b = RandomFilter(random, samples, depth - 1);
  switch (random.Below(3)) {
    case 0:
      return "(" + a + " AND " + b + ")";
    case 1:
      return "(" + a + " OR " + b + ")";
    default:
      return "NOT (" + a + ")";
  }
}

TEST(RowFilterTest, KeepsTheRowsThatTheRowMatcherKeeps) {
  const std::vector<Sample> samples = Samples();
  std::vector<NestedField> fields;
  std::vector<NestedField> inner;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string name = "c" + std::to_string(i);
    fields.push_back(Optional(static_cast<int32_t>(i) + 1, name, samples[i].type));
    inner.push_back(Optional(static_cast<int32_t>(i) + 101, name, samples[i].type));
  }
  fields.push_back(Optional(100, "s", Type::Struct(inner)));
  const Schema schema(0, fields);
  const auto random = MakeSeededRandom(7);
  const auto pick = [&](const Sample& sample) {
    return sample.values[random->Below(sample.values.size())];
  };
  std::vector<StructValue> rows;
  for (int i = 0; i < 200; ++i) {
    StructValue row;
    std::vector<Value> nested;
    for (const Sample& sample : samples) {
      row.fields.push_back(pick(sample));
      nested.push_back(pick(sample));
    }
    row.fields.push_back(random->Below(5) == 0 ? Value() : Value::Struct(std::move(nested)));
    rows.push_back(std::move(row));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (size_t i = 0; i < fields.size(); ++i) {
    std::vector<Value> values;
    for (const StructValue& row : rows)
      values.push_back(row.fields[i]);
    auto column = MakeValueArray(*fields[i].type, values, arrow::default_memory_pool());
    ASSERT_THAT(column, IsOk());
    columns.push_back(*column);
  }
  for (int i = 0; i < 500; ++i) {
    const std::string text = RandomFilter(*random, samples, 3);
    SCOPED_TRACE(text);
    const auto parsed = ParseExpression(text);
    ASSERT_THAT(parsed, IsOk());
    const auto bound = Bind(*parsed, schema);
    ASSERT_THAT(bound, IsOk());
    const auto filter = RowFilter::Make(*bound, fields);
    ASSERT_THAT(filter, IsOk());
    const auto mask =
        filter->Match(columns, static_cast<int64_t>(rows.size()), arrow::default_memory_pool());
    ASSERT_THAT(mask, IsOk());
    const RowMatcher matcher(*bound, *schema.as_struct());
    for (size_t row = 0; row < rows.size(); ++row) {
      ASSERT_EQ((*mask)[row] != 0, matcher.Matches(rows[row])) << "row " << row;
    }
  }
}

}  // namespace
}  // namespace firn
