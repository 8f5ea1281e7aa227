#include <algorithm>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/datum.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/pool_store_internal.h"
#include "firn/data/parquet/column_set_internal.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

// Columns of files that Arrow wrote, of every type and encoding, are what Arrow reads.

namespace firn {
namespace {

// Choices that a seed repeats.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(MakeSeededRandom(seed)) {}
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_->Below(static_cast<uint64_t>(bound)));
  }
  bool OneIn(int64_t count) { return Below(count) == 0; }
  template <typename T>
  T OneOf(std::vector<T> values) {
    return values[static_cast<size_t>(Below(static_cast<int64_t>(values.size())))];
  }
  uint64_t Bits() { return random_->Next(); }

 private:
  std::unique_ptr<Random> random_;
};

std::vector<std::shared_ptr<arrow::DataType>> AllTypes() {
  return {arrow::boolean(),
          arrow::int32(),
          arrow::int64(),
          arrow::uint32(),
          arrow::uint64(),
          arrow::float32(),
          arrow::float64(),
          arrow::date32(),
          arrow::time32(arrow::TimeUnit::MILLI),
          arrow::time64(arrow::TimeUnit::MICRO),
          arrow::timestamp(arrow::TimeUnit::MICRO),
          arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
          arrow::decimal128(5, 2),
          arrow::decimal128(12, 2),
          arrow::decimal128(18, 0),
          arrow::decimal128(27, 4),
          arrow::decimal128(38, 10),
          arrow::utf8(),
          arrow::binary(),
          arrow::fixed_size_binary(3),
          arrow::fixed_size_binary(16)};
}

// How the values of a column are spread.
struct ValueShape {
  int64_t null_percent = 0;
  int64_t distinct = 0;  // 0: no two are the same.
  int64_t run = 1;       // How often a value comes in a row.
  int64_t length = 10;   // Of texts, at most.
};

std::string TextOf(uint64_t value, int64_t length) {
  std::string text(static_cast<size_t>(length), 'a');
  for (char& c : text) {
    c = static_cast<char>(value >> 57);  // ASCII: Arrow checks texts.
    value = value * 6364136223846793005U + 1442695040888963407U;
  }
  return text;
}

arrow::Decimal128 DecimalOf(uint64_t value, int32_t precision) {
  arrow::Decimal128 decimal(static_cast<int64_t>(value));
  if (precision > 20) decimal = decimal * arrow::Decimal128(static_cast<int64_t>(value >> 3));
  return decimal % arrow::Decimal128(arrow::Decimal128::GetScaleMultiplier(precision));
}

void AppendValue(const arrow::DataType& type, uint64_t value, int64_t length,
                 arrow::ArrayBuilder& to) {
  switch (static_cast<int>(type.id())) {
    case arrow::Type::BOOL:
      return (void)static_cast<arrow::BooleanBuilder&>(to).Append(value % 3 == 0);
    case arrow::Type::FLOAT:
      return (void)static_cast<arrow::FloatBuilder&>(to).Append(static_cast<float>(value) / 7);
    case arrow::Type::DOUBLE:
      return (void)static_cast<arrow::DoubleBuilder&>(to).Append(static_cast<double>(value) / 7);
    case arrow::Type::INT32:
      return (void)static_cast<arrow::Int32Builder&>(to).Append(static_cast<int32_t>(value));
    case arrow::Type::UINT32:
      return (void)static_cast<arrow::UInt32Builder&>(to).Append(static_cast<uint32_t>(value));
    case arrow::Type::DATE32:
      return (void)static_cast<arrow::Date32Builder&>(to).Append(static_cast<int32_t>(value));
    case arrow::Type::TIME32:
      return (void)static_cast<arrow::Time32Builder&>(to).Append(
          static_cast<int32_t>(value % 86'400'000));
    case arrow::Type::INT64:
      return (void)static_cast<arrow::Int64Builder&>(to).Append(static_cast<int64_t>(value));
    case arrow::Type::UINT64:
      return (void)static_cast<arrow::UInt64Builder&>(to).Append(value);
    case arrow::Type::TIME64:
      return (void)static_cast<arrow::Time64Builder&>(to).Append(
          static_cast<int64_t>(value % 86'400'000'000));
    case arrow::Type::TIMESTAMP:
      // Whole microseconds: version 1 knows no finer ones.
      return (void)static_cast<arrow::TimestampBuilder&>(to).Append(static_cast<int64_t>(value) /
                                                                    1000 * 1000);
    case arrow::Type::DECIMAL128:
      return (void)static_cast<arrow::Decimal128Builder&>(to).Append(
          DecimalOf(value, static_cast<const arrow::Decimal128Type&>(type).precision()));
    case arrow::Type::FIXED_SIZE_BINARY:
      return (void)static_cast<arrow::FixedSizeBinaryBuilder&>(to).Append(
          TextOf(value, static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width()));
    default:
      return (void)static_cast<arrow::BinaryBuilder&>(to).Append(
          TextOf(value, static_cast<int64_t>(value % static_cast<uint64_t>(length + 1))));
  }
}

std::shared_ptr<arrow::Array> MakeValues(const std::shared_ptr<arrow::DataType>& type, int64_t rows,
                                         const ValueShape& shape, Dice& dice) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  uint64_t value = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (row % shape.run == 0) {
      value = dice.Bits();
      if (shape.distinct > 0) {
        value = (value % static_cast<uint64_t>(shape.distinct) + 1) * 0x9E3779B97F4A7C15U;
      }
    }
    if (dice.Below(100) < shape.null_percent) {
      (void)builder->AppendNull();
    } else {
      AppendValue(*type, value, shape.length, *builder);
    }
  }
  return builder->Finish().ValueOrDie();
}

struct WrittenFile {
  std::shared_ptr<arrow::Table> table;
  std::shared_ptr<arrow::Buffer> bytes;
};

std::shared_ptr<arrow::Table> MakeTable(Dice& dice) {
  const int64_t rows = 1 + dice.Below(6000);
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const auto& type : AllTypes()) {
    const ValueShape shape{.null_percent = dice.OneOf<int64_t>({0, 0, 1, 30, 95, 100}),
                           .distinct = dice.OneOf<int64_t>({0, 1, 2, 9, 300, 5000}),
                           .run = dice.OneOf<int64_t>({1, 1, 3, 40, 1000}),
                           .length = dice.OneOf<int64_t>({0, 5, 20, 40, 400})};
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), type,
                                  shape.null_percent > 0 || dice.OneIn(2)));
    columns.push_back(MakeValues(type, rows, shape, dice));
  }
  return arrow::Table::Make(arrow::schema(fields), columns);
}

// Encodings that are not chosen by themselves.
void SetEncodings(const arrow::FieldVector& fields, Dice& dice,
                  parquet::WriterProperties::Builder& properties) {
  using E = parquet::Encoding;
  for (const auto& field : fields) {
    if (dice.OneIn(3)) continue;
    std::vector<E::type> fitting = {E::PLAIN};
    switch (static_cast<int>(field->type()->id())) {
      case arrow::Type::BOOL:
        fitting = {E::RLE};
        break;
      case arrow::Type::INT32:
      case arrow::Type::INT64:
      case arrow::Type::DATE32:
      case arrow::Type::TIMESTAMP:
        fitting = {E::DELTA_BINARY_PACKED, E::BYTE_STREAM_SPLIT};
        break;
      case arrow::Type::FLOAT:
      case arrow::Type::DOUBLE:
        fitting = {E::BYTE_STREAM_SPLIT};
        break;
      case arrow::Type::FIXED_SIZE_BINARY:
        fitting = {E::BYTE_STREAM_SPLIT, E::DELTA_BYTE_ARRAY};
        break;
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        fitting = {E::DELTA_LENGTH_BYTE_ARRAY, E::DELTA_BYTE_ARRAY};
        break;
      default:
        break;
    }
    properties.encoding(field->name(), dice.OneOf(fitting));
  }
}

WrittenFile WriteFile(Dice& dice) {
  WrittenFile file{.table = MakeTable(dice)};
  parquet::WriterProperties::Builder properties;
  properties
      .compression(dice.OneOf<parquet::Compression::type>(
          {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY,
           parquet::Compression::GZIP, parquet::Compression::ZSTD, parquet::Compression::LZ4}))
      ->data_page_version(dice.OneOf<parquet::ParquetDataPageVersion>(
          {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}))
      ->version(dice.OneOf<parquet::ParquetVersion::type>(
          {parquet::ParquetVersion::PARQUET_1_0, parquet::ParquetVersion::PARQUET_2_6}))
      ->data_pagesize(dice.OneOf<int64_t>({64, 1000, 20000, 1 << 20}))
      ->dictionary_pagesize_limit(dice.OneOf<int64_t>({100, 4000, 1 << 20}))
      ->write_batch_size(dice.OneOf<int64_t>({7, 100, 1024}))
      ->max_row_group_length(1 + dice.Below(5000));
  if (dice.OneIn(2)) {
    properties.disable_dictionary();
    SetEncodings(file.table->schema()->fields(), dice, properties);
  }
  if (dice.OneIn(2)) properties.enable_store_decimal_as_integer();
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const arrow::Status status = parquet::arrow::WriteTable(*file.table, arrow::default_memory_pool(),
                                                          sink, 1 << 20, properties.build());
  EXPECT_TRUE(status.ok()) << status;
  file.bytes = sink->Finish().ValueOrDie();
  return file;
}

// A file with what is needed to read its columns either way.
class OpenedFile {
 public:
  explicit OpenedFile(const WrittenFile& written) {
    EXPECT_THAT(firn::WriteFile(*io_, "memory:f", AsBytes(written.bytes->ToString())), IsOk());
    file_ = *io_->Open("memory:f");
    auto input = std::make_shared<arrow::io::BufferReader>(written.bytes);
    reader_ = parquet::arrow::FileReader::Make(arrow::default_memory_pool(),
                                               parquet::ParquetFileReader::Open(input))
                  .ValueOrDie();
    size_ = written.bytes->size();
  }

  const parquet::FileMetaData& metadata() { return *reader_->parquet_reader()->metadata(); }

  std::shared_ptr<arrow::Array> ReadWithArrow(int column, const std::vector<int>& row_groups) {
    std::shared_ptr<arrow::Table> table;
    EXPECT_TRUE(reader_->ReadRowGroups(row_groups, {column}).Value(&table).ok());
    return arrow::Concatenate(table->column(0)->chunks()).ValueOrDie();
  }

  std::unique_ptr<ColumnSet> Open(int column, const std::vector<int>& row_groups, size_t read_bytes,
                                  size_t text_bytes_max) {
    std::shared_ptr<arrow::Schema> schema;
    EXPECT_TRUE(reader_->GetSchema(&schema).ok());
    const FileField field{.name = schema->field(column)->name(),
                          .type = schema->field(column)->type(),
                          .first_leaf = column,
                          .leaf_end = column + 1};
    const RowGroupRun run{.row_groups = row_groups, .batch_rows = 1000};
    const auto leaf = FlatLeafOf(field, metadata(), run, size_);
    if (!leaf) return nullptr;
    const FlatReadOptions options{
        .file = file_.get(),
        .make_store = [] { return std::make_unique<PoolStore>(arrow::default_memory_pool()); },
        .read_bytes = read_bytes,
        .verifies_checksums = true};
    return MakeFlatColumnSet(field, *leaf, metadata(), run, options,
                             std::make_shared<FlatScratch>(), arrow::default_memory_pool(),
                             text_bytes_max);
  }

 private:
  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  std::shared_ptr<InputFile> file_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  int64_t size_ = 0;
};

// A dictionary array as its values.
std::shared_ptr<arrow::ArrayData> Decoded(const std::shared_ptr<arrow::ArrayData>& array) {
  if (array->type->id() != arrow::Type::DICTIONARY) return array;
  EXPECT_TRUE(arrow::MakeArray(array)->ValidateFull().ok());
  const auto& type = static_cast<const arrow::DictionaryType&>(*array->type);
  return arrow::compute::Cast(arrow::Datum(array), type.value_type()).ValueOrDie().array();
}

void ExpectEqual(const arrow::ArrayData& made, const arrow::Array& expected) {
  const auto array = arrow::MakeArray(made.Copy());
  ASSERT_TRUE(array->ValidateFull().ok()) << array->ValidateFull();
  ASSERT_EQ(array->null_count(), expected.null_count());
  ASSERT_TRUE(array->Equals(expected, arrow::EqualOptions().nans_equal(true)))
      << array->type()->ToString() << "\n"
      << array->ToString() << expected.ToString();
}

std::vector<uint32_t> PickSome(int64_t rows, Dice& dice) {
  std::vector<uint32_t> picks;
  const int64_t one_in = dice.OneOf<int64_t>({1, 2, 5, 30, 500});
  for (int64_t row = 0; row < rows; ++row) {
    if (dice.OneIn(one_in)) picks.push_back(static_cast<uint32_t>(row));
  }
  if (picks.empty()) picks.push_back(static_cast<uint32_t>(rows - 1));
  return picks;
}

// There is no more text than was allowed, but for that of the first row.
void ExpectWithin(const arrow::ArrayData& made, size_t text_bytes_max) {
  if (!arrow::is_binary_like(made.type->id())) return;
  const auto* ends = made.GetValues<int32_t>(1);
  const auto first = static_cast<size_t>(ends[1] - ends[0]);
  EXPECT_LE(static_cast<size_t>(ends[made.length] - ends[0]), std::max(text_bytes_max, first));
}

// Read all rows in steps of one kind or another, which large texts make smaller.
void ExpectSame(ColumnSet& columns, const arrow::Array& expected, size_t text_bytes_max,
                Dice& dice) {
  int64_t row = 0;
  while (row < expected.length()) {
    const int64_t left = expected.length() - row;
    int64_t rows = std::min(left, 1 + dice.Below(dice.OneOf<int64_t>({3, 200, 3000})));
    const int64_t kind = dice.Below(5);
    if (kind == 4) {
      const auto testable = columns.CountTestable(rows);
      ASSERT_THAT(testable, IsOk());
      rows = *testable;
    }
    SCOPED_TRACE(fmt::format("rows {} of {} from {}, kind {}", rows, left, row, kind));
    const auto slice = expected.Slice(row, rows);
    if (kind == 0) {
      ASSERT_THAT(columns.Skip(rows), IsOk());
    } else if (kind == 1) {
      const std::vector<uint32_t> picks = PickSome(rows, dice);
      arrow::UInt32Builder places;
      ASSERT_TRUE(places.AppendValues(picks).ok());
      const auto wanted =
          arrow::compute::Take(slice, arrow::Datum(places.Finish().ValueOrDie())).ValueOrDie();
      const auto made = columns.Pick(rows, picks);
      ASSERT_THAT(made, IsOk());
      const int64_t count = (*made)[0]->length;
      ASSERT_GT(count, 0);
      ExpectEqual(*(*made)[0], *wanted.make_array()->Slice(0, count));
      ExpectWithin(*(*made)[0], text_bytes_max);
      if (count < std::ssize(picks)) rows = picks[static_cast<size_t>(count)];
    } else if (kind == 4) {
      const auto made = columns.ReadToTest(rows);
      ASSERT_THAT(made, IsOk());
      rows = (*made)[0]->length;
      ExpectEqual(*Decoded((*made)[0]), *slice->Slice(0, rows));
    } else {
      const auto made = columns.Read(rows);
      ASSERT_THAT(made, IsOk());
      rows = (*made)[0]->length;
      ASSERT_GT(rows, 0);
      ExpectEqual(*(*made)[0], *slice->Slice(0, rows));
      ExpectWithin(*(*made)[0], text_bytes_max);
    }
    if (testing::Test::HasFatalFailure()) return;
    row += rows;
  }
  EXPECT_FALSE(columns.Read(1).ok()) << "behind the last row";
}

class ColumnSetPropertyTest : public testing::TestWithParam<uint64_t> {};

TEST_P(ColumnSetPropertyTest, ReadsWhatArrowReads) {
  ASSERT_THAT(InitializeArrowCompute(), IsOk());
  Dice dice(GetParam());
  const WrittenFile written = WriteFile(dice);
  OpenedFile file(written);
  std::vector<int> row_groups;
  for (int i = 0; i < file.metadata().num_row_groups(); ++i) {
    if (row_groups.empty() || !dice.OneIn(5)) row_groups.push_back(i);
  }
  for (int column = 0; column < file.metadata().num_columns(); ++column) {
    SCOPED_TRACE(written.table->schema()->field(column)->ToString());
    const auto text_bytes_max = dice.OneOf<size_t>({SIZE_MAX, SIZE_MAX, 1, 100, 3000});
    const auto columns = file.Open(
        column, row_groups, dice.OneOf<size_t>({100, 5000, size_t{1} << 18}), text_bytes_max);
    const auto expected = file.ReadWithArrow(column, row_groups);
    if (columns == nullptr) {
      // Version 1 stores unsigned numbers as wider ones, which become other types.
      EXPECT_EQ(expected->type_id(), arrow::Type::UINT32);
      continue;
    }
    ExpectSame(*columns, *expected, text_bytes_max, dice);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ColumnSetPropertyTest, testing::Range<uint64_t>(1, 61));

}  // namespace
}  // namespace firn
