#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <gmock/gmock.h>

#include "firn/data/sort/packed_batch_internal.h"

namespace firn {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
constexpr int64_t kRows = 37;

template <typename Builder, typename MakeValue>
ArrayPtr Build(Builder builder, bool has_nulls, const MakeValue& make) {
  for (int64_t i = 0; i < kRows; ++i) {
    const bool is_null = has_nulls && i % 3 == 1;
    EXPECT_TRUE((is_null ? builder.AppendNull() : builder.Append(make(i))).ok());
  }
  return builder.Finish().ValueOrDie();
}

template <typename Builder, typename T>
void AddNumbers(std::vector<ArrayPtr>& columns, bool has_nulls) {
  using Limits = std::numeric_limits<T>;
  columns.push_back(Build(Builder(), has_nulls, [](int64_t) { return T{7}; }));
  columns.push_back(Build(Builder(), has_nulls, [](int64_t i) { return static_cast<T>(i); }));
  columns.push_back(Build(Builder(), has_nulls,
                          [](int64_t i) { return i % 2 == 0 ? Limits::min() : Limits::max(); }));
  columns.push_back(Build(Builder(), has_nulls, [](int64_t i) {
    return static_cast<T>(Limits::max() - static_cast<T>(i));
  }));
}

ArrayPtr BuildDecimals(bool has_nulls, int64_t high) {
  return Build(arrow::Decimal128Builder(arrow::decimal128(38, 2)), has_nulls, [high](int64_t i) {
    return arrow::Decimal128(i % 2 == 0 ? high : -high - 1, static_cast<uint64_t>(i));
  });
}

ArrayPtr BuildLists(bool has_nulls) {
  auto values = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), values);
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_TRUE(builder.Append(!has_nulls || i % 5 != 0).ok());
    for (int64_t k = 0; k < i % 4; ++k)
      EXPECT_TRUE(values->Append(std::to_string(i)).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::vector<ArrayPtr> MakeColumns(bool has_nulls) {
  std::vector<ArrayPtr> columns;
  AddNumbers<arrow::Int8Builder, int8_t>(columns, has_nulls);
  AddNumbers<arrow::Int16Builder, int16_t>(columns, has_nulls);
  AddNumbers<arrow::Int32Builder, int32_t>(columns, has_nulls);
  AddNumbers<arrow::Int64Builder, int64_t>(columns, has_nulls);
  AddNumbers<arrow::UInt16Builder, uint16_t>(columns, has_nulls);
  AddNumbers<arrow::UInt64Builder, uint64_t>(columns, has_nulls);
  AddNumbers<arrow::Date32Builder, int32_t>(columns, has_nulls);
  columns.push_back(BuildDecimals(has_nulls, 0));
  columns.push_back(BuildDecimals(has_nulls, 12345678));
  columns.push_back(Build(arrow::BooleanBuilder(), has_nulls, [](int64_t i) { return i % 7 < 3; }));
  columns.push_back(Build(arrow::DoubleBuilder(), has_nulls,
                          [](int64_t i) { return 1.0 / static_cast<double>(i); }));
  columns.push_back(Build(arrow::FixedSizeBinaryBuilder(arrow::fixed_size_binary(3)), has_nulls,
                          [](int64_t i) { return std::to_string(100 + i); }));
  columns.push_back(Build(arrow::StringBuilder(), has_nulls,
                          [](int64_t i) { return std::string(static_cast<size_t>(i * i), 'x'); }));
  columns.push_back(Build(arrow::BinaryBuilder(), has_nulls, [](int64_t) { return ""; }));
  columns.push_back(
      Build(arrow::LargeStringBuilder(), has_nulls, [](int64_t i) { return std::to_string(i); }));
  columns.push_back(BuildLists(has_nulls));
  columns.push_back(std::make_shared<arrow::NullArray>(kRows));
  return columns;
}

std::shared_ptr<arrow::RecordBatch> MakeBatch(bool has_nulls) {
  std::vector<ArrayPtr> columns = MakeColumns(has_nulls);
  arrow::FieldVector fields;
  for (const ArrayPtr& column : columns)
    fields.push_back(arrow::field(std::to_string(fields.size()), column->type()));
  return arrow::RecordBatch::Make(arrow::schema(fields), kRows, std::move(columns));
}

std::shared_ptr<arrow::Buffer> Pack(const arrow::RecordBatch& batch) {
  arrow::BufferBuilder out;
  EXPECT_TRUE(PackBatch(batch, arrow::default_memory_pool(), out).ok());
  return out.Finish().ValueOrDie();
}

TEST(PackedBatchTest, EveryTypeComesBack) {
  for (const bool has_nulls : {false, true}) {
    const auto whole = MakeBatch(has_nulls);
    for (const auto& [offset, length] : std::vector<std::pair<int64_t, int64_t>>{
             {0, kRows}, {0, 0}, {3, 20}, {8, 8}, {kRows - 1, 1}, {5, 0}}) {
      const auto batch = whole->Slice(offset, length);
      const auto found =
          UnpackBatch(whole->schema(), Pack(*batch), arrow::default_memory_pool()).ValueOrDie();
      EXPECT_TRUE(found->ValidateFull().ok()) << found->ValidateFull().ToString();
      EXPECT_TRUE(found->Equals(*batch)) << has_nulls << " " << offset << " " << length;
    }
  }
}

TEST(PackedBatchTest, NumbersTakeTheBytesThatTheyNeed) {
  const auto column = Build(arrow::Int64Builder(), false, [](int64_t i) { return 1000000 + i; });
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("a", arrow::int64())}), kRows, {column});
  EXPECT_LT(Pack(*batch)->size(), kRows + 32);
}

TEST(PackedBatchTest, BytesThatEndEarlyAreAnError) {
  const auto batch = MakeBatch(true);
  const auto bytes = Pack(*batch);
  for (int64_t size = 0; size < bytes->size(); size += 1 + size / 50) {
    const auto found = UnpackBatch(batch->schema(), arrow::SliceBuffer(bytes, 0, size),
                                   arrow::default_memory_pool());
    EXPECT_FALSE(found.ok()) << size;
  }
}

}  // namespace
}  // namespace firn
