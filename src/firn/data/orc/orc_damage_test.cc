#include <set>
#include <string>

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

// Files with one bit flipped, wherever it is: each gives rows or an error, within its memory. ORC
// has no checksums: a value whose bit flipped is another value.

namespace firn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kBudgetBytes = 64 << 20;

NestedField Element(int32_t id, TypePtr type) { return Optional(id, "element", std::move(type)); }

std::vector<NestedField> Columns() {
  const TypePtr text = Primitive(TypeId::kString);
  const TypePtr number = Primitive(TypeId::kLong);
  const TypePtr inner =
      Type::Struct({Optional(31, "k", text), Optional(32, "v", Type::Decimal(20, 2))});
  return {Optional(1, "b", Primitive(TypeId::kBoolean)),
          Optional(2, "i", Primitive(TypeId::kInt)),
          Optional(3, "l", number),
          Optional(4, "f", Primitive(TypeId::kFloat)),
          Optional(5, "d", Primitive(TypeId::kDouble)),
          Optional(6, "dec", Type::Decimal(9, 2)),
          Optional(7, "day", Primitive(TypeId::kDate)),
          Optional(8, "t", Primitive(TypeId::kTime)),
          Optional(9, "ts", Primitive(TypeId::kTimestamp)),
          Optional(10, "tz", Primitive(TypeId::kTimestamptz)),
          Optional(11, "s", text),
          Optional(12, "u", Primitive(TypeId::kUuid)),
          Optional(13, "x", Type::Fixed(2)),
          Optional(14, "y", Primitive(TypeId::kBinary)),
          Optional(15, "list", Type::List(Element(33, inner))),
          Optional(16, "m", Type::Map(Required(34, "key", text), Optional(35, "value", number))),
          Optional(17, "word", text)};
}

StructValue Row(int64_t i) {
  if (i % 11 == 3) return {std::vector<Value>(Columns().size())};
  const std::string text = fmt::format("text {}", i * 7919 % 1000);
  std::vector<Value> items;
  for (int64_t k = 0; k < i % 4; ++k)
    items.push_back(k == 2 ? Value() : Value::Struct({text, Int128{i * 100 + k}}));
  const auto small = static_cast<int32_t>(i);
  return {{i % 3 == 0, small * 3, i * i * 1'000'003, 1.5F * static_cast<float>(i), 0.1 * double(i),
           Int128{i * 37 - 50}, small - 20, i * 1'000'000, i * 86'400'000'001, i * 3'600'000'007,
           text, UuidBytes{std::byte{uint8_t(i)}, std::byte{9}},
           BinaryValue{i % 2 == 0 ? "ab" : "cd"}, BinaryValue{text + text}, Value::List(items),
           Value::Map({{text, i}, {"b", {}}}), i % 2 == 0 ? "even" : "odd"}};
}

// Read the file with each `step`th bit flipped. Returns the messages of those that are refused.
std::vector<std::string> FlipBits(RowTable& table, const FileScanTask& task, size_t step) {
  const std::string whole(ReadFile(table.io(), task.file.file_path)->view());
  std::vector<std::string> messages;
  for (size_t bit = 0; bit < whole.size() * 8; bit += step) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    FIRN_CHECK(WriteFile(table.io(), task.file.file_path, AsBytes(bytes)).ok());
    const auto rows = table.Read({task});
    if (rows.ok()) continue;
    messages.push_back(rows.error().message());
    EXPECT_THAT(rows.error().code(), testing::AnyOf(ErrorCode::kCorrupt, ErrorCode::kUnsupported,
                                                    ErrorCode::kResourceExhausted))
        << "bit " << bit << ": " << rows.error().Format();
    EXPECT_THAT(messages.back(), HasSubstr(task.file.file_path));
  }
  EXPECT_EQ(table.budget().used_bytes(), 0);
  FIRN_CHECK(WriteFile(table.io(), task.file.file_path, AsBytes(whole)).ok());
  return messages;
}

struct DamageCase {
  std::string codec;
  int64_t rows = 0;
  int64_t stripes = 0;
  size_t step = 1;  // Every so many bits are flipped.
};

class OrcDamageTest : public testing::TestWithParam<DamageCase> {
 protected:
  OrcDamageTest() : table_(Columns(), kBudgetBytes, 1) {}

  FileScanTask WriteFileOf(const DamageCase& damage) {
    auto& properties = table_.metadata().properties;
    properties["write.format.default"] = "orc";
    properties["write.orc.compression-codec"] = damage.codec;
    if (damage.stripes > 1) properties["write.orc.stripe-size-bytes"] = "1";
    std::vector<StructValue> rows;
    for (int64_t i = 0; i < damage.rows; ++i)
      rows.push_back(Row(i));
    auto options = TableWriteOptions(table_.metadata());
    FIRN_CHECK(options.ok());
    options->partition = StructValue{};
    const auto files = WriteDataFiles(table_.write_context(), *options,
                                      *MakeRowStream(options->schema->as_struct(), rows));
    FIRN_CHECK(files.ok() && files->size() == 1);
    return {.file = (*files)[0], .sequence_number = 1};
  }

  RowTable table_;
};

TEST_P(OrcDamageTest, FilesWithAFlippedBitGiveRowsOrAnError) {
  const FileScanTask task = WriteFileOf(GetParam());
  const auto rows = table_.Read({task});
  ASSERT_THAT(rows, IsOkAnd(testing::SizeIs(GetParam().rows)));

  const auto messages = FlipBits(table_, task, GetParam().step);

  EXPECT_THAT(messages, testing::Contains(AllOf(HasSubstr("stripe 0"), HasSubstr("rows 0 to"),
                                                HasSubstr("column 'list': an element"))));
  EXPECT_EQ(*table_.Read({task}), *rows);
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, OrcDamageTest,
    testing::Values(DamageCase{"none", 12, 1, 41}, DamageCase{"zlib", 12, 1, 41},
                    DamageCase{"snappy", 12, 1, 67}, DamageCase{"lz4", 12, 1, 67},
                    DamageCase{"zstd", 12, 1, 67}, DamageCase{"none", 1100, 2, 9973},
                    DamageCase{"zlib", 1100, 2, 3989}),
    [](const auto& made) { return fmt::format("{}In{}", made.param.codec, made.param.stripes); });

TEST(SparkOrcDamageTest, FilesWithAFlippedBitGiveRowsOrAnError) {
  const TypePtr text = Primitive(TypeId::kString);
  RowTable table(
      {Optional(1, "id", Primitive(TypeId::kLong)), Optional(2, "name", text),
       Optional(3, "d", Primitive(TypeId::kDate)),
       Optional(4, "ts", Primitive(TypeId::kTimestamptz)), Optional(5, "dec", Type::Decimal(9, 2)),
       Optional(6, "tags", Type::List(Element(8, text))),
       Optional(
           7, "st",
           Type::Struct({Optional(9, "a", Primitive(TypeId::kInt)), Optional(10, "b", text)}))},
      kBudgetBytes, 1);
  const auto local = MakeLocalFileIO();
  const auto bytes =
      ReadFile(*local, TestDataPath("spark/orc_table/data/"
                                    "00000-414-c82c68fd-444f-403c-9527-217fe4505d88-0-00001.orc"));
  ASSERT_THAT(bytes, IsOk());
  const FileScanTask task = table.AddFile("spark.orc", bytes->view(), FileFormat::kOrc);
  const auto rows = table.Read({task});
  ASSERT_THAT(rows, IsOkAnd(testing::SizeIs(1)));

  EXPECT_GT(FlipBits(table, task, 11).size(), 10U);

  EXPECT_EQ(*table.Read({task}), *rows);
}

}  // namespace
}  // namespace firn
