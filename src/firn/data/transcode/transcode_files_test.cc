#include "firn/data/transcode/transcode_files.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/read/row_positions.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/format/variant/variant.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

DataWriteOptions OptionsFor(RowTable& table, int64_t target_bytes = 0) {
  return {.schema = SchemaWithLineage(table.metadata()),
          .spec = table.metadata().default_spec(),
          .partition = StructValue{},
          .target_file_bytes = target_bytes};
}

std::vector<FileScanTask> TasksOf(const std::vector<DataFile>& files) {
  std::vector<FileScanTask> tasks;
  for (const DataFile& file : files)
    tasks.push_back({.file = file, .sequence_number = 9});
  return tasks;
}

int Below(Random& random, int limit) {
  return static_cast<int>(random.Next() % static_cast<uint64_t>(limit));
}

// Schemas, rows, properties and deletes by chance.
class Case {
 public:
  explicit Case(uint64_t seed) : random_(MakeSeededRandom(seed)), few_(2 + Below(*random_, 30)) {
    std::vector<NestedField> fields;
    const int columns = 1 + Below(*random_, 5);
    for (int i = 0; i < columns; ++i)
      fields.push_back(Field("c" + std::to_string(i), 2));
    table_ = std::make_unique<RowTable>(std::move(fields));
    TableMetadata& metadata = table_->metadata();
    metadata.format_version = Below(*random_, 2) == 0 ? 2 : 3;
    static const char* codecs[] = {"zstd", "snappy", "gzip", "lz4", "uncompressed"};
    metadata.properties["write.parquet.compression-codec"] = codecs[Below(*random_, 5)];
    static const char* page_rows[] = {"1", "7", "100", "20000"};
    metadata.properties["write.parquet.page-row-limit"] = page_rows[Below(*random_, 4)];
    static const char* page_bytes[] = {"16", "500", "1048576"};
    metadata.properties["write.parquet.page-size-bytes"] = page_bytes[Below(*random_, 3)];
    static const char* dictionary_bytes[] = {"1", "300", "2097152"};
    metadata.properties["write.parquet.dict-size-bytes"] = dictionary_bytes[Below(*random_, 3)];
    static const char* group_bytes[] = {"2000", "134217728"};
    metadata.properties["write.parquet.row-group-size-bytes"] = group_bytes[Below(*random_, 2)];
    static const char* modes[] = {"truncate(4)", "full", "counts", "none"};
    metadata.properties["write.metadata.metrics.default"] = modes[Below(*random_, 4)];
    WriteFiles();
  }

  RowTable& table() { return *table_; }
  const std::vector<FileScanTask>& tasks() const { return tasks_; }
  Random& random() { return *random_; }

 private:
  NestedField Field(const std::string& name, int depth) {
    const int id = ++last_id_;
    TypePtr type = AnyType(depth);
    return Below(*random_, 3) == 0 ? Required(id, name, type) : Optional(id, name, type);
  }

  TypePtr AnyType(int depth) {
    if (depth > 0 && Below(*random_, 4) == 0) {
      switch (Below(*random_, 3)) {
        case 0:
          return Type::Struct({Field("a", depth - 1), Field("b", depth - 1)});
        case 1:
          return Type::List(Field("element", depth - 1));
        default: {
          NestedField key = Required(++last_id_, "key", Primitive(TypeId::kString));
          return Type::Map(std::move(key), Field("value", depth - 1));
        }
      }
    }
    switch (Below(*random_, 15)) {
      case 0:
        return Primitive(TypeId::kBoolean);
      case 1:
        return Primitive(TypeId::kInt);
      case 2:
        return Primitive(TypeId::kLong);
      case 3:
        return Primitive(TypeId::kFloat);
      case 4:
        return Primitive(TypeId::kDouble);
      case 5:
        return Type::Decimal(9, 2);
      case 6:
        return Type::Decimal(18, 0);
      case 7:
        return Type::Decimal(30, 5);
      case 8:
        return Primitive(TypeId::kDate);
      case 9:
        return Primitive(TypeId::kTimestamptz);
      case 10:
        return Primitive(TypeId::kUuid);
      case 11:
        return Type::Fixed(3);
      case 12:
        return Primitive(TypeId::kBinary);
      case 13:
        return Primitive(TypeId::kVariant);
      default:
        return Primitive(TypeId::kString);
    }
  }

  Value AnyOf(const NestedField& field) {
    if (!field.required && Below(*random_, 5) == 0) return {};
    return AnyValue(*field.type);
  }

  // Few distinct values, or nearly as many as rows.
  int64_t Number() {
    const bool is_wild = Below(*random_, 40) == 0;
    return is_wild ? static_cast<int64_t>(random_->Next()) : Below(*random_, few_) - few_ / 2;
  }

  std::string Bytes() {
    std::string bytes(static_cast<size_t>(Below(*random_, 6)), '\0');
    for (char& byte : bytes)
      byte = static_cast<char>('a' + Below(*random_, std::min(few_, 26)));
    return bytes;
  }

  template <typename T>
  Value Real() {
    switch (Below(*random_, 10)) {
      case 0:
        return std::numeric_limits<T>::quiet_NaN();
      case 1:
        return T{-0.0};
      case 2:
        return T{0.0};
      case 3:
        return -std::numeric_limits<T>::infinity();
      default:
        return static_cast<T>(Number()) / T{2};
    }
  }

  Value AnyNested(const Type& type) {
    if (type.id() == TypeId::kStruct) {
      std::vector<Value> values;
      for (const NestedField& field : type.fields())
        values.push_back(AnyOf(field));
      return Value::Struct(std::move(values));
    }
    const int count = Below(*random_, 4);
    if (type.id() == TypeId::kList) {
      std::vector<Value> values;
      for (int i = 0; i < count; ++i)
        values.push_back(AnyOf(type.element()));
      return Value::List(std::move(values));
    }
    std::vector<std::pair<Value, Value>> entries;
    for (int i = 0; i < count; ++i)
      entries.emplace_back(std::to_string(i), AnyOf(type.value()));
    return Value::Map(std::move(entries));
  }

  Value AnyDecimal(int precision) {
    const Int128 limit = precision > 18 ? Int128{1} << 90 : (precision > 9 ? 1000000000 : 1000);
    return Value(Int128{Number()} % limit * (precision > 18 ? Int128{1} << 25 : Int128{1}));
  }

  Value AnyValue(const Type& type) {
    switch (type.id()) {
      case TypeId::kBoolean:
        return Value(Below(*random_, 2) == 0);
      case TypeId::kInt:
        return Value(static_cast<int32_t>(Number()));
      case TypeId::kDate:
        return Value(static_cast<int32_t>(Number() % 30000));
      case TypeId::kLong:
        return Value(Number());
      case TypeId::kTimestamptz:
        return Value(Number() % 1000000000000);
      case TypeId::kFloat:
        return Real<float>();
      case TypeId::kDouble:
        return Real<double>();
      case TypeId::kDecimal:
        return AnyDecimal(type.precision());
      case TypeId::kUuid: {
        UuidBytes uuid{};
        uuid[15] = static_cast<std::byte>(Below(*random_, few_));
        uuid[0] = static_cast<std::byte>(Below(*random_, 256));
        return Value(uuid);
      }
      case TypeId::kFixed:
        return Value(BinaryValue{(Bytes() + "xyz").substr(0, 3)});
      case TypeId::kBinary:
        return Value(BinaryValue{Bytes()});
      case TypeId::kString:
        return Value(Bytes());
      case TypeId::kVariant: {
        const auto variant = VariantFromJson(fmt::format(R"({{"{}":[{}]}})", Bytes(), Number()));
        return Value(BinaryValue{JoinVariant(variant->metadata, variant->value)});
      }
      case TypeId::kStruct:
      case TypeId::kList:
      case TypeId::kMap:
        return AnyNested(type);
      case TypeId::kTime:
      case TypeId::kTimestamp:
      case TypeId::kTimestampNs:
      case TypeId::kTimestamptzNs:
      case TypeId::kUnknown:
      case TypeId::kGeometry:
      case TypeId::kGeography:
        break;
    }
    return {};
  }

  void WriteFiles() {
    const SchemaPtr schema = table_->metadata().current_schema();
    const int files = 1 + Below(*random_, 5);
    for (int i = 0; i < files; ++i) {
      std::vector<StructValue> rows(static_cast<size_t>(1 + Below(*random_, 400)));
      for (StructValue& row : rows) {
        for (const NestedField& field : schema->fields())
          row.fields.push_back(AnyOf(field));
      }
      FileScanTask task = table_->Write(std::move(rows), i + 1);
      if (table_->metadata().format_version == 3) task.file.first_row_id = i * 1000;
      if (Below(*random_, 2) == 0) AddDeletes(task);
      tasks_.push_back(std::move(task));
    }
  }

  void AddDeletes(FileScanTask& task) {
    std::vector<std::pair<std::string, int64_t>> deletes;
    const int one_in = 1 + Below(*random_, 8);
    for (int64_t row = 0; row < task.file.record_count; ++row) {
      if (Below(*random_, one_in) == 0) deletes.emplace_back(task.file.file_path, row);
    }
    if (!deletes.empty()) task.deletes.push_back(table_->WritePositionDeletes(deletes, 50));
  }

  std::unique_ptr<Random> random_;
  int few_;
  int last_id_ = 0;
  std::unique_ptr<RowTable> table_;
  std::vector<FileScanTask> tasks_;
};

// Statistics of all files as one: counts added up, bounds of one file only if there is one.
FileMetrics WithoutSizes(FileMetrics metrics) {
  metrics.column_sizes.clear();
  return metrics;
}

void ExpectSameMetrics(const FileMetrics& a, const FileMetrics& b) {
  EXPECT_EQ(a.value_counts, b.value_counts);
  EXPECT_EQ(a.null_value_counts, b.null_value_counts);
  EXPECT_EQ(a.nan_value_counts, b.nan_value_counts);
  EXPECT_EQ(a.lower_bounds, b.lower_bounds);
  EXPECT_EQ(a.upper_bounds, b.upper_bounds);
  EXPECT_EQ(a.stored_empty, b.stored_empty);
}

void CheckCase(uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Case input(seed);
  RowTable& table = input.table();
  std::vector<std::string> columns;
  if (table.metadata().format_version == 3) {
    for (const NestedField& field : table.metadata().current_schema()->fields())
      columns.push_back(field.name);
    columns.emplace_back("_row_id");
    columns.emplace_back("_last_updated_sequence_number");
  }
  const auto expected = table.Read(input.tasks(), columns, "", true);
  ASSERT_THAT(expected, IsOk());
  int64_t largest = 0;
  for (const FileScanTask& task : input.tasks())
    largest = std::max(largest, task.file.file_size_in_bytes);
  const int64_t target = Below(input.random(), 3) == 0 ? largest : 0;
  const WriteContext context = table.write_context();
  const DataWriteOptions options = OptionsFor(table, target);

  const auto files = TranscodeDataFiles(context, options, input.tasks());

  ASSERT_THAT(files, IsOk());
  ASSERT_TRUE(files->has_value());
  std::vector<FileScanTask> outputs = TasksOf(**files);
  for (FileScanTask& task : outputs) {
    if (table.metadata().format_version == 3) task.file.first_row_id = 1000000;
    EXPECT_EQ(task.file.file_size_in_bytes, table.io().Stat(task.file.file_path)->size);
  }
  EXPECT_THAT(table.Read(outputs, columns, "", true), IsOkAnd(*expected));
  if (outputs.size() != 1) return;

  // The row path is the oracle of the statistics.
  const ReadContext read = table.read_context();
  auto rows = ReadTasks(read, input.tasks(), {.projection = options.schema, .is_ordered = true});
  ASSERT_THAT(rows, IsOk());
  const auto written = WriteDataFiles(context, OptionsFor(table), std::move(*rows));
  ASSERT_THAT(written, IsOkAnd(SizeIs(1)));
  ExpectSameMetrics(WithoutSizes(outputs[0].file.metrics), WithoutSizes((*written)[0].metrics));
}

TEST(TranscodeDataFilesTest, GivesTheRowsAndStatisticsOfTheRowPathWhateverTheTable) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CheckCase(seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(TranscodeDataFilesTest, FillsColumnsThatOldFilesLack) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  std::vector<FileScanTask> tasks = {table.Write({Row({1}), Row({2})})};
  table.EvolveTo({Optional(2, "name", Primitive(TypeId::kString)),
                  Optional(1, "number", Primitive(TypeId::kInt))});
  tasks.push_back(table.Write({Row({"c", 3})}, 2));
  const WriteContext context = table.write_context();

  const auto files = TranscodeDataFiles(context, OptionsFor(table), tasks);

  ASSERT_THAT(files, IsOk());
  ASSERT_TRUE(files->has_value());
  ASSERT_THAT(**files, SizeIs(1));
  EXPECT_THAT(table.Read(TasksOf(**files), {}, "", true),
              IsOkAnd(ElementsAre(R"({"name":null,"number":1})", R"({"name":null,"number":2})",
                                  R"({"name":"c","number":3})")));
}

// A deleted value must not stay behind in the dictionary.
TEST(TranscodeDataFilesTest, LeavesNoDeletedValueInTheFile) {
  RowTable table({Optional(1, "name", Primitive(TypeId::kString))});
  table.metadata().properties["write.parquet.compression-codec"] = "uncompressed";
  std::vector<StructValue> rows;
  for (int i = 0; i < 1000; ++i)
    rows.push_back(Row({i % 500 == 7 ? "to-be-forgotten" : "kept-" + std::to_string(i % 5)}));
  FileScanTask task = table.Write(std::move(rows));
  task.deletes.push_back(
      table.WritePositionDeletes({{task.file.file_path, 7}, {task.file.file_path, 507}}, 2));
  const WriteContext context = table.write_context();

  const auto files = TranscodeDataFiles(context, OptionsFor(table), {task});

  ASSERT_THAT(files, IsOk());
  ASSERT_TRUE(files->has_value());
  const auto bytes = ReadFile(table.io(), (**files)[0].file_path);
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(bytes->view().find("to-be-forgotten"), std::string_view::npos);
  EXPECT_NE(bytes->view().find("kept-4"), std::string_view::npos);
}

TEST(TranscodeDataFilesTest, LeavesWhatItCannotDoToTheRowPath) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  FileScanTask task = table.Write({Row({1})});
  task.deletes.push_back(table.WriteDeletes(FileContent::kEqualityDeletes,
                                            {Optional(1, "id", Primitive(TypeId::kInt))},
                                            {Row({1})}, 2, {1}));
  const WriteContext context = table.write_context();
  EXPECT_THAT(TranscodeDataFiles(context, OptionsFor(table), {task}),
              IsOkAnd(testing::Eq(std::nullopt)));
}

TEST(TranscodeDataFilesTest, CutsRowGroupsThatAreTooLargeForTheFiles) {
  for (const int row_count : {20000, 400000}) {  // The larger file is not read at once.
    RowTable table(
        {Optional(1, "id", Primitive(TypeId::kInt)),
         Optional(2, "list", Type::List(Optional(3, "element", Primitive(TypeId::kInt))))});
    std::vector<StructValue> rows;
    for (int32_t i = 0; i < row_count; ++i) {
      std::vector<Value> list(static_cast<size_t>(i % 3), Value(i));
      rows.push_back(Row({i * 7919 % 20011, Value::List(std::move(list))}));
    }
    FileScanTask task = table.Write(std::move(rows));
    task.deletes.push_back(table.WritePositionDeletes(
        {{task.file.file_path, 3}, {task.file.file_path, row_count / 2}}, 2));
    const WriteContext context = table.write_context();
    DataWriteOptions options = OptionsFor(table);
    options.target_file_bytes = task.file.file_size_in_bytes / 4;

    const auto files = TranscodeDataFiles(context, options, {task});

    ASSERT_THAT(files, IsOk());
    ASSERT_TRUE(files->has_value());
    ASSERT_THAT(**files, SizeIs(testing::Ge(3U)));
    for (const DataFile& file : **files)
      EXPECT_LT(file.file_size_in_bytes, options.target_file_bytes * 3 / 2);
    const auto expected = table.Read({task}, {}, "", true);
    ASSERT_THAT(expected, IsOk());
    EXPECT_THAT(table.Read(TasksOf(**files), {}, "", true), IsOkAnd(*expected));
  }
}

// What tells of the rows of very small files takes more memory than they do.
TEST(TranscodeDataFilesTest, HoldsFewFootersAtATimeAndLeavesTheTiniestFilesToTheRowPath) {
  std::vector<NestedField> fields;
  for (int32_t id = 1; id <= 4; ++id)
    fields.push_back(Optional(id, "c" + std::to_string(id), Primitive(TypeId::kInt)));
  for (const int rows_per_file : {1, 20}) {
    RowTable table(fields, int64_t{16} << 20);
    const std::vector<StructValue> rows(static_cast<size_t>(rows_per_file), Row({1, 2, 3, 4}));
    const std::vector<FileScanTask> tasks(3000, table.Write(rows));

    const auto files = TranscodeDataFiles(table.write_context(), OptionsFor(table), tasks);

    ASSERT_THAT(files, IsOk());
    ASSERT_EQ(files->has_value(), rows_per_file > 1);
    if (!files->has_value()) continue;
    ASSERT_THAT(**files, SizeIs(1));
    EXPECT_EQ((**files)[0].record_count, 60'000);
    EXPECT_THAT((**files)[0].split_offsets,
                SizeIs(testing::AllOf(testing::Ge(6U), testing::Le(8U))));
  }
}

TEST(TranscodeDataFilesTest, OfDeletedRowsOnlyWritesNoFile) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  FileScanTask task = table.Write({Row({1})});
  task.deletes.push_back(table.WritePositionDeletes({{task.file.file_path, 0}}, 2));
  const WriteContext context = table.write_context();

  const auto files = TranscodeDataFiles(context, OptionsFor(table), {task});

  ASSERT_THAT(files, IsOk());
  ASSERT_TRUE(files->has_value());
  EXPECT_THAT(**files, IsEmpty());
}

}  // namespace
}  // namespace firn
