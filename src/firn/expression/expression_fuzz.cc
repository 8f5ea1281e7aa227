#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/check.h"
#include "firn/expression/expression.h"

// A filter of any bytes: parsed, formatted and parsed again, bound to every type, projected and
// evaluated.

namespace firn {
namespace {

const Schema& FuzzSchema() {
  static const Schema kSchema(
      0, {{.id = 1, .name = "i", .type = Type::Primitive(TypeId::kInt)},
          {.id = 2, .name = "l", .type = Type::Primitive(TypeId::kLong)},
          {.id = 3, .name = "d", .type = Type::Primitive(TypeId::kDouble)},
          {.id = 4, .name = "n", .type = Type::Decimal(9, 2)},
          {.id = 5, .name = "s", .type = Type::Primitive(TypeId::kString)},
          {.id = 6, .name = "dt", .type = Type::Primitive(TypeId::kDate)},
          {.id = 7, .name = "ts", .type = Type::Primitive(TypeId::kTimestamp)},
          {.id = 8, .name = "tz", .type = Type::Primitive(TypeId::kTimestamptzNs)},
          {.id = 9, .name = "t", .type = Type::Primitive(TypeId::kTime)},
          {.id = 10, .name = "u", .type = Type::Primitive(TypeId::kUuid)},
          {.id = 11, .name = "b", .type = Type::Primitive(TypeId::kBinary)},
          {.id = 12, .name = "o", .type = Type::Primitive(TypeId::kBoolean)}});
  return kSchema;
}

const PartitionSpec& FuzzSpec() {
  static const PartitionSpec kSpec{
      0,
      {{{1}, 1000, "i_bucket", {.kind = TransformKind::kBucket, .width = 16}},
       {{2}, 1001, "l_trunc", {.kind = TransformKind::kTruncate, .width = 10}},
       {{5}, 1002, "s_trunc", {.kind = TransformKind::kTruncate, .width = 2}},
       {{7}, 1003, "ts_hour", {.kind = TransformKind::kHour}},
       {{6}, 1004, "dt_month", {.kind = TransformKind::kMonth}}}};
  return kSpec;
}

void Evaluate(const ExpressionPtr& bound) {
  const Schema& schema = FuzzSchema();
  const TypePtr partition_type =
      PartitionType(FuzzSpec(), {std::make_shared<const Schema>(schema)});
  const auto inclusive = ProjectInclusive(bound, FuzzSpec(), *partition_type);
  const auto strict = ProjectStrict(bound, FuzzSpec(), *partition_type);
  FIRN_CHECK(inclusive.ok() && strict.ok());
  FIRN_CHECK(ParseExpression(FormatExpression(**inclusive)).ok());
  const StructValue partition{
      {Value(3), Value(int64_t{10}), Value(std::string("ab")), Value(-1), Value()}};
  const bool can_match = MatchesRow(*inclusive, *partition_type, partition);
  FIRN_CHECK(can_match || !MatchesRow(*strict, *partition_type, partition));
  const FileMetrics metrics;
  const ColumnMetrics columns{.metrics = &metrics, .record_count = 1};
  if (AllMatchMetrics(*bound, schema, columns)) {
    FIRN_CHECK(MightMatchMetrics(*bound, schema, columns));
  }
  const StructValue row{{Value(5), Value(int64_t{15}), Value(1.5), Value(Int128{150}),
                         Value(std::string("abc")), Value(-1), Value(int64_t{-1}), Value(),
                         Value(int64_t{0}), Value(), Value(BinaryValue{"x"}), Value(true)}};
  MatchesRow(bound, *schema.as_struct(), row);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firn;  // NOLINT: the entry point has to be global
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = ParseExpression(text);
  if (!expression.ok()) {
    FIRN_CHECK(!expression.error().message().empty());
    return 0;
  }
  const auto again = ParseExpression(FormatExpression(**expression));
  FIRN_CHECK(again.ok() && **again == **expression);
  const auto bound = Bind(*expression, FuzzSchema());
  if (bound.ok()) Evaluate(*bound);
  return 0;
}
