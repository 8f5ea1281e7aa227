#include <algorithm>
#include <limits>
#include <optional>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/log.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/transcode/transcode_files.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

// Files that other writers made, in any encoding, in tables whose schema went on since: what is put
// together below rows has the rows and the statistics that the row path gives.

namespace firn {
namespace {

using testing::SizeIs;
using ArrowId = arrow::Type;

void Ok(const arrow::Status& status) { ASSERT_TRUE(status.ok()) << status.ToString(); }

// A column as a file has it, and as the table has it by now.
struct Pair {
  std::shared_ptr<arrow::DataType> file;
  TypePtr table;
  bool is_uuid_text = false;
};

TypePtr ListOf(TypeId element, int id) {
  return Type::List(Optional(id, "element", Primitive(element)));
}

TypePtr StructOf(TypeId a, int id) {
  return Type::Struct(
      {Optional(id, "a", Primitive(a)), Optional(id + 1, "b", Primitive(TypeId::kString))});
}

TypePtr MapOf(TypeId value, int id) {
  return Type::Map(Required(id, "key", Primitive(TypeId::kString)),
                   Optional(id + 1, "value", Primitive(value)));
}

// A struct with fields that came later.
TypePtr GrownStruct(int id) {
  return Type::Struct(
      {Optional(id + 3, "c", Primitive(TypeId::kLong)),
       Optional(id, "a", Primitive(TypeId::kDouble)),
       Optional(id + 1, "b", Primitive(TypeId::kString)),
       Optional(id + 4, "d", Type::List(Optional(id + 5, "element", Primitive(TypeId::kInt))))});
}

// `id`: of the first part of a nested type.
std::vector<Pair> AllPairs(int id) {
  using arrow::TimeUnit;
  const auto list = arrow::list(arrow::field("element", arrow::int32()));
  const auto group =
      arrow::struct_({arrow::field("a", arrow::float32()), arrow::field("b", arrow::utf8())});
  return {
      {arrow::boolean(), Primitive(TypeId::kBoolean)},
      {arrow::int8(), Primitive(TypeId::kInt)},
      {arrow::uint16(), Primitive(TypeId::kInt)},
      {arrow::int32(), Primitive(TypeId::kInt)},
      {arrow::int32(), Primitive(TypeId::kLong)},
      {arrow::int16(), Primitive(TypeId::kLong)},
      {arrow::uint8(), Primitive(TypeId::kLong)},
      {arrow::uint32(), Primitive(TypeId::kLong)},
      {arrow::int64(), Primitive(TypeId::kLong)},
      {arrow::float32(), Primitive(TypeId::kFloat)},
      {arrow::float32(), Primitive(TypeId::kDouble)},
      {arrow::float64(), Primitive(TypeId::kDouble)},
      {arrow::decimal128(5, 2), Type::Decimal(9, 2)},
      {arrow::decimal128(9, 2), Type::Decimal(14, 2)},
      {arrow::decimal128(12, 3), Type::Decimal(25, 3)},
      {arrow::decimal128(7, 0), Type::Decimal(38, 0)},
      {arrow::decimal128(20, 4), Type::Decimal(20, 4)},
      {arrow::date32(), Primitive(TypeId::kDate)},
      {arrow::date32(), Primitive(TypeId::kTimestamp)},
      {arrow::date32(), Primitive(TypeId::kTimestampNs)},
      {arrow::int32(), Primitive(TypeId::kDate)},
      {arrow::timestamp(TimeUnit::MILLI), Primitive(TypeId::kTimestamp)},
      {arrow::timestamp(TimeUnit::MICRO), Primitive(TypeId::kTimestamp)},
      {arrow::timestamp(TimeUnit::NANO), Primitive(TypeId::kTimestamp)},
      {arrow::timestamp(TimeUnit::MILLI, "UTC"), Primitive(TypeId::kTimestamptz)},
      {arrow::timestamp(TimeUnit::MICRO, "UTC"), Primitive(TypeId::kTimestamptzNs)},
      {arrow::int64(), Primitive(TypeId::kTimestamptz)},
      {arrow::time32(TimeUnit::MILLI), Primitive(TypeId::kTime)},
      {arrow::time64(TimeUnit::MICRO), Primitive(TypeId::kTime)},
      {arrow::time64(TimeUnit::NANO), Primitive(TypeId::kTime)},
      {arrow::utf8(), Primitive(TypeId::kString)},
      {arrow::binary(), Primitive(TypeId::kString)},
      {arrow::utf8(), Primitive(TypeId::kBinary)},
      {arrow::large_binary(), Primitive(TypeId::kBinary)},
      {arrow::fixed_size_binary(5), Primitive(TypeId::kBinary)},
      {arrow::fixed_size_binary(5), Type::Fixed(5)},
      {arrow::fixed_size_binary(16), Primitive(TypeId::kUuid)},
      {arrow::utf8(), Primitive(TypeId::kUuid), true},
      {list, ListOf(TypeId::kLong, id)},
      {group, StructOf(TypeId::kDouble, id)},
      {arrow::map(arrow::utf8(), arrow::int32()), MapOf(TypeId::kLong, id)},
      {group, GrownStruct(id)},
      {arrow::list(arrow::field("element", group)),
       Type::List(Optional(id, "element", GrownStruct(id + 1)))},
      {arrow::struct_({arrow::field("s", arrow::list(arrow::field("element", arrow::int32())))}),
       Type::Struct({Optional(id + 3, "new", Primitive(TypeId::kLong)),
                     Optional(id + 4, "new_list", ListOf(TypeId::kLong, id + 5)),
                     Optional(id, "s", ListOf(TypeId::kLong, id + 1))})},
  };
}

// Values by chance: few distinct ones, or nearly as many as rows.
class Values {
 public:
  Values(Random& random, bool has_nulls) : random_(random), has_nulls_(has_nulls) {
    domain_ = random.Below(3) == 0 ? int64_t{1} << 40 : 2 + static_cast<int64_t>(random.Below(30));
  }

  std::shared_ptr<arrow::Array> Make(const Pair& pair, int64_t rows) {
    std::unique_ptr<arrow::ArrayBuilder> builder;
    Ok(arrow::MakeBuilder(arrow::default_memory_pool(), pair.file, &builder));
    is_uuid_text_ = pair.is_uuid_text;
    for (int64_t i = 0; i < rows; ++i)
      AppendAny(*pair.file, *builder, has_nulls_);
    return *builder->Finish();
  }

 private:
  int64_t Number() {
    return static_cast<int64_t>(random_.Below(static_cast<uint64_t>(domain_))) - domain_ / 2;
  }

  std::string Bytes() {
    const std::string digits = std::to_string(Number());
    if (!is_uuid_text_) return random_.Below(9) == 0 ? "" : "text " + digits;
    std::string hex(32, '0');
    std::copy(digits.rbegin(), digits.rend() - (digits[0] == '-' ? 1 : 0), hex.rbegin());
    return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
           hex.substr(16, 4) + "-" + hex.substr(20);
  }

  template <typename Builder>
  void AppendNumber(arrow::ArrayBuilder& builder, int64_t limit, bool is_signed = true) {
    using T = typename Builder::value_type;
    const int64_t number = Number() % limit;
    const auto value = static_cast<T>(is_signed ? number : std::abs(number));
    Ok(static_cast<Builder&>(builder).Append(value));
  }

  template <typename Builder>
  void AppendReal(arrow::ArrayBuilder& builder) {
    using T = typename Builder::value_type;
    const T special[] = {std::numeric_limits<T>::quiet_NaN(), T{-0.0}, T{0},
                         -std::numeric_limits<T>::infinity()};
    const uint64_t choice = random_.Below(12);
    Ok(static_cast<Builder&>(builder).Append(
        choice < 4 ? special[choice] : static_cast<T>(Number() % 1000000) / T{2}));
  }

  void AppendDecimal(const arrow::DataType& type, arrow::ArrayBuilder& builder) {
    const int precision = static_cast<const arrow::DecimalType&>(type).precision();
    Int128 value = Int128{Number()} % PowerOfTen(std::min(precision, 18));
    if (precision > 18) value *= PowerOfTen(precision - 18);
    const arrow::Decimal128 decimal(static_cast<int64_t>(value >> 64),
                                    static_cast<uint64_t>(value));
    Ok(static_cast<arrow::Decimal128Builder&>(builder).Append(decimal));
  }

  void AppendNested(const arrow::DataType& type, arrow::ArrayBuilder& builder) {
    if (type.id() == ArrowId::STRUCT) {
      auto& group = static_cast<arrow::StructBuilder&>(builder);
      Ok(group.Append());
      for (int i = 0; i < type.num_fields(); ++i)
        AppendAny(*type.field(i)->type(), *group.field_builder(i), true);
      return;
    }
    const uint64_t count = random_.Below(4);
    if (type.id() == ArrowId::LIST) {
      auto& list = static_cast<arrow::ListBuilder&>(builder);
      Ok(list.Append());
      for (uint64_t i = 0; i < count; ++i)
        AppendAny(*type.field(0)->type(), *list.value_builder(), true);
      return;
    }
    const auto& shape = static_cast<const arrow::MapType&>(type);
    auto& map = static_cast<arrow::MapBuilder&>(builder);
    Ok(map.Append());
    for (uint64_t i = 0; i < count; ++i) {
      Ok(static_cast<arrow::StringBuilder*>(map.key_builder())->Append(std::to_string(i)));
      AppendAny(*shape.item_type(), *map.item_builder(), true);
    }
  }

  void AppendAny(const arrow::DataType& type, arrow::ArrayBuilder& builder, bool may_be_null) {
    if (may_be_null && random_.Below(6) == 0) return Ok(builder.AppendNull());
    constexpr int64_t kDay = 86400;
    switch (static_cast<int>(type.id())) {  // Few of Arrow's many types.
      case ArrowId::BOOL:
        return Ok(static_cast<arrow::BooleanBuilder&>(builder).Append(Number() % 2 == 0));
      case ArrowId::INT8:
        return AppendNumber<arrow::Int8Builder>(builder, 128);
      case ArrowId::INT16:
        return AppendNumber<arrow::Int16Builder>(builder, 32768);
      case ArrowId::INT32:
        return AppendNumber<arrow::Int32Builder>(builder, 3000000);
      case ArrowId::UINT8:
        return AppendNumber<arrow::UInt8Builder>(builder, 256, false);
      case ArrowId::UINT16:
        return AppendNumber<arrow::UInt16Builder>(builder, 65536, false);
      case ArrowId::UINT32:
        return AppendNumber<arrow::UInt32Builder>(builder, int64_t{1} << 32, false);
      case ArrowId::INT64:
        return AppendNumber<arrow::Int64Builder>(builder, int64_t{1} << 50);
      case ArrowId::FLOAT:
        return AppendReal<arrow::FloatBuilder>(builder);
      case ArrowId::DOUBLE:
        return AppendReal<arrow::DoubleBuilder>(builder);
      case ArrowId::DECIMAL128:
        return AppendDecimal(type, builder);
      case ArrowId::DATE32:
        return AppendNumber<arrow::Date32Builder>(builder, 30000);
      case ArrowId::TIMESTAMP:
        return AppendNumber<arrow::TimestampBuilder>(builder, int64_t{1} << 38);
      case ArrowId::TIME32:
        return AppendNumber<arrow::Time32Builder>(builder, kDay * 1000, false);
      case ArrowId::TIME64:
        return AppendNumber<arrow::Time64Builder>(builder, kDay * 1000000, false);
      case ArrowId::STRING:
        return Ok(static_cast<arrow::StringBuilder&>(builder).Append(Bytes()));
      case ArrowId::BINARY:
        return Ok(static_cast<arrow::BinaryBuilder&>(builder).Append(Bytes()));
      case ArrowId::LARGE_BINARY:
        return Ok(static_cast<arrow::LargeBinaryBuilder&>(builder).Append(Bytes()));
      case ArrowId::FIXED_SIZE_BINARY: {
        const auto width = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
        std::string bytes = std::to_string(Number()) + std::string(16, '\x81');
        bytes.resize(static_cast<size_t>(width));
        return Ok(static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(bytes));
      }
      default:
        return AppendNested(type, builder);
    }
  }

  Random& random_;
  const bool has_nulls_;
  int64_t domain_ = 0;
  bool is_uuid_text_ = false;
};

// The same type with field ids, which count up from `next_id`, on all parts.
std::shared_ptr<arrow::DataType> WithIds(const std::shared_ptr<arrow::DataType>& type,
                                         int& next_id);

std::shared_ptr<arrow::Field> WithId(const std::shared_ptr<arrow::Field>& field, int& next_id) {
  const std::string id = std::to_string(next_id++);
  return field->WithType(WithIds(field->type(), next_id))
      ->WithMetadata(arrow::key_value_metadata({std::string(kFieldIdKey)}, {id}));
}

std::shared_ptr<arrow::DataType> WithIds(const std::shared_ptr<arrow::DataType>& type,
                                         int& next_id) {
  if (type->id() == ArrowId::LIST) return arrow::list(WithId(type->field(0), next_id));
  if (type->id() == ArrowId::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(*type);
    const auto key = WithId(map.key_field(), next_id);
    return std::make_shared<arrow::MapType>(key, WithId(map.item_field(), next_id));
  }
  if (type->id() != ArrowId::STRUCT) return type;
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const auto& field : type->fields())
    fields.push_back(WithId(field, next_id));
  return arrow::struct_(fields);
}

// Encodings that a column without dictionary may have.
std::vector<parquet::Encoding::type> EncodingsOf(const arrow::DataType& type, bool has_int96) {
  using parquet::Encoding;
  if (has_int96 && type.id() == ArrowId::TIMESTAMP) return {Encoding::PLAIN};
  switch (static_cast<int>(type.id())) {
    case ArrowId::BOOL:
      return {Encoding::PLAIN, Encoding::RLE};
    case ArrowId::FLOAT:
    case ArrowId::DOUBLE:
      return {Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT};
    case ArrowId::STRING:
    case ArrowId::BINARY:
    case ArrowId::LARGE_BINARY:
      return {Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY};
    case ArrowId::FIXED_SIZE_BINARY:
      return {Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BYTE_ARRAY};
    case ArrowId::DECIMAL128:
    case ArrowId::LIST:
    case ArrowId::STRUCT:
    case ArrowId::MAP:
      return {Encoding::PLAIN};
    default:
      return {Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT};
  }
}

template <typename T, size_t kCount>
T OneOf(Random& random, const T (&choices)[kCount]) {
  return choices[random.Below(kCount)];
}

std::string WriteAnyhow(Random& random, const arrow::Table& table, bool has_int96) {
  using arrow::Compression;
  const Compression::type codecs[] = {
      Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP,      Compression::ZSTD,
      Compression::BROTLI,       Compression::LZ4,    Compression::LZ4_HADOOP};
  const int64_t page_bytes[] = {50, 2000, 1 << 20};
  const int64_t dictionary_bytes[] = {100, 1 << 20};
  const int64_t batch_rows[] = {10, 1024};
  const int64_t group_rows[] = {70, 1 << 20};
  parquet::WriterProperties::Builder builder;
  builder.compression(OneOf(random, codecs))
      ->data_page_version(random.Below(2) == 0 ? parquet::ParquetDataPageVersion::V1
                                               : parquet::ParquetDataPageVersion::V2)
      ->data_pagesize(OneOf(random, page_bytes))
      ->dictionary_pagesize_limit(OneOf(random, dictionary_bytes))
      ->write_batch_size(OneOf(random, batch_rows));
  if (random.Below(2) == 0) builder.enable_store_decimal_as_integer();
  if (random.Below(2) == 0) builder.enable_page_checksum();
  for (const auto& field : table.schema()->fields()) {
    const auto encodings = EncodingsOf(*field->type(), has_int96);
    if (random.Below(2) == 0) continue;
    builder.disable_dictionary(field->name());
    builder.encoding(field->name(), encodings[random.Below(encodings.size())]);
  }
  parquet::ArrowWriterProperties::Builder arrow_builder;
  if (has_int96) arrow_builder.enable_deprecated_int96_timestamps();
  const auto sink = *arrow::io::BufferOutputStream::Create();
  Ok(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink,
                                OneOf(random, group_rows), builder.build(), arrow_builder.build()));
  return (*sink->Finish())->ToString();
}

// A table with some of all columns, and files of them by chance.
class Case {
 public:
  Case(uint64_t seed, std::vector<Pair> pairs) : random_(MakeSeededRandom(seed)) {
    std::vector<NestedField> fields;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const int id = static_cast<int>(i) * 10 + 1;
      columns_.push_back({pairs[i], id, random_->Below(4) == 0});
      NestedField field = Optional(id, "c" + std::to_string(i), pairs[i].table);
      field.required = columns_.back().is_required;
      fields.push_back(field);
    }
    AddMissing(fields);
    for (size_t i = fields.size(); i > 1; --i)
      std::swap(fields[i - 1], fields[random_->Below(i)]);
    table_.emplace(std::move(fields));
    TableMetadata& metadata = table_->metadata();
    metadata.format_version = 3;
    metadata.properties["schema.name-mapping.default"] =
        FormatNameMapping(MakeNameMapping(*metadata.current_schema()));
    metadata.properties["write.metadata.metrics.default"] =
        random_->Below(2) == 0 ? "full" : "truncate(4)";
    metadata.properties["write.parquet.page-row-limit"] = random_->Below(2) == 0 ? "50" : "20000";
    metadata.properties["write.parquet.dict-size-bytes"] =
        random_->Below(3) == 0 ? "300" : "2097152";
    const uint64_t files = 1 + random_->Below(3);
    for (uint64_t i = 0; i < files; ++i)
      AddFile("file-" + std::to_string(i));
  }

  RowTable& table() { return *table_; }
  const std::vector<FileScanTask>& tasks() const { return tasks_; }

 private:
  struct Column {
    Pair pair;
    int id = 0;
    bool is_required = false;
  };

  // Columns that came after the files.
  void AddMissing(std::vector<NestedField>& fields) {
    fields.push_back(Optional(9001, "new_null", Primitive(TypeId::kString)));
    fields.push_back(Required(9002, "new_text", Primitive(TypeId::kString)));
    fields.back().initial_default = Value(std::string(random_->Below(2) * 3000, 'x') + "given");
    fields.push_back(Optional(9003, "new_number", Type::Decimal(25, 2)));
    fields.back().initial_default = Value(Int128{-12345});
    fields.push_back(Optional(9004, "new_flag", Primitive(TypeId::kBoolean)));
    fields.back().initial_default = Value(true);
    fields.push_back(Optional(9005, "new_list", ListOf(TypeId::kInt, 9006)));
    fields.push_back(Optional(9010, "new_struct", StructOf(TypeId::kLong, 9011)));
    fields.push_back(Optional(9020, "new_real", Primitive(TypeId::kDouble)));
    fields.back().initial_default = Value(std::numeric_limits<double>::quiet_NaN());
  }

  void AddFile(const std::string& name) {
    const bool has_ids = random_->Below(2) == 0;
    const auto rows = static_cast<int64_t>(1 + random_->Below(400));
    std::vector<std::shared_ptr<arrow::Field>> fields;
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      auto field = arrow::field("c" + std::to_string(i), column.pair.file,
                                !column.is_required || random_->Below(2) == 0);
      int id = column.id;
      if (has_ids) field = WithId(field, id);
      fields.push_back(field);
      arrays.push_back(
          Values(*random_, !column.is_required && random_->Below(3) != 0).Make(column.pair, rows));
      if (has_ids) arrays.back() = *arrays.back()->View(field->type());
    }
    // A column that the table no longer has.
    fields.push_back(arrow::field("dropped", arrow::utf8()));
    arrays.push_back(Values(*random_, true).Make({arrow::utf8(), nullptr}, rows));
    const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
    // As nanoseconds they are left to the row path.
    const bool has_nanos = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
      return column.pair.table->id() == TypeId::kTimestamptzNs;
    });
    const bool has_int96 = !has_nanos && random_->Below(3) == 0;
    FileScanTask task = table_->AddFile(name, WriteAnyhow(*random_, *table, has_int96));
    task.file.record_count = rows;
    task.file.first_row_id = static_cast<int64_t>(tasks_.size()) * 1000;
    if (random_->Below(2) == 0) AddDeletes(task);
    tasks_.push_back(std::move(task));
  }

  void AddDeletes(FileScanTask& task) {
    std::vector<std::pair<std::string, int64_t>> deletes;
    const uint64_t one_in = 2 + random_->Below(8);
    for (int64_t row = 0; row < task.file.record_count; ++row)
      if (random_->Below(one_in) == 0) deletes.emplace_back(task.file.file_path, row);
    if (!deletes.empty()) task.deletes.push_back(table_->WritePositionDeletes(deletes, 50));
  }

  std::unique_ptr<Random> random_;
  std::vector<Column> columns_;
  std::optional<RowTable> table_;
  std::vector<FileScanTask> tasks_;
};

void ExpectSameMetrics(const FileMetrics& a, const FileMetrics& b) {
  EXPECT_EQ(a.value_counts, b.value_counts);
  EXPECT_EQ(a.null_value_counts, b.null_value_counts);
  EXPECT_EQ(a.nan_value_counts, b.nan_value_counts);
  EXPECT_EQ(a.lower_bounds, b.lower_bounds);
  EXPECT_EQ(a.upper_bounds, b.upper_bounds);
  EXPECT_EQ(a.stored_empty, b.stored_empty);
}

void CheckCase(Case& input) {
  RowTable& table = input.table();
  const auto expected = table.Read(input.tasks(), {}, "", true);
  ASSERT_THAT(expected, IsOk());
  const WriteContext context = table.write_context();
  const DataWriteOptions options{.schema = SchemaWithLineage(table.metadata()),
                                 .spec = table.metadata().default_spec(),
                                 .partition = StructValue{}};

  std::string reasons;
  SetLogLevel(LogLevel::kInfo);
  LogSink before = SetLogSink([&](LogLevel, std::string_view line) { reasons += line; });
  const auto files = TranscodeDataFiles(context, options, input.tasks());
  SetLogSink(std::move(before));
  SetLogLevel(LogLevel::kWarning);

  ASSERT_THAT(files, IsOk());
  ASSERT_TRUE(files->has_value()) << reasons;
  if (expected->empty()) return;
  ASSERT_THAT(**files, SizeIs(1));
  FileScanTask output{.file = (**files)[0], .sequence_number = 9};
  output.file.first_row_id = 1000000;
  EXPECT_THAT(table.Read({output}, {}, "", true), IsOkAnd(*expected));
  // The row path is the oracle of the statistics.
  auto rows = ReadTasks(table.read_context(), input.tasks(),
                        {.projection = options.schema, .is_ordered = true});
  ASSERT_THAT(rows, IsOk());
  const auto written = WriteDataFiles(context, options, std::move(*rows));
  ASSERT_THAT(written, IsOkAnd(SizeIs(1)));
  ExpectSameMetrics(output.file.metrics, (*written)[0].metrics);
}

TEST(TranscodeEvolvedTest, GivesTheRowsAndStatisticsOfTheRowPathForEachPairOfTypes) {
  const size_t pairs = AllPairs(2).size();
  for (size_t i = 0; i < pairs; ++i) {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      const Pair pair = AllPairs(2)[i];
      SCOPED_TRACE(testing::Message() << pair.file->ToString() << " as " << FormatType(*pair.table)
                                      << ", seed " << seed);
      Case input(seed * 1000 + i, {pair});
      CheckCase(input);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(TranscodeEvolvedTest, GivesTheRowsAndStatisticsOfTheRowPathWhateverTheColumns) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto random = MakeSeededRandom(seed);
    std::vector<Pair> pairs;
    for (int i = 0; i < 6; ++i) {
      const auto all = AllPairs(i * 10 + 2);
      pairs.push_back(all[random->Below(all.size())]);
    }
    Case input(seed, pairs);
    CheckCase(input);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace firn
