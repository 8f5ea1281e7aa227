#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/arrow_types.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

// Every file of apache/parquet-testing is read as Arrow's own reader reads it, or refused with an
// error that names it.

namespace firn {
namespace {

namespace fs = std::filesystem;
using TablePtr = std::shared_ptr<arrow::Table>;

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> FilesBelow(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_parquet = name.ends_with(".parquet") || name.ends_with(".parquet.encrypted");
    if (entry.is_regular_file() && is_parquet) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Arrow's own reader, INT96 in microseconds as tables have them.
Result<std::unique_ptr<parquet::arrow::FileReader>> OpenWithArrow(const std::string& bytes) {
  using Reader = std::unique_ptr<parquet::arrow::FileReader>;
  return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<Reader> {
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(
        builder.Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes))));
    parquet::ArrowReaderProperties properties;
    properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    builder.properties(properties);
    return builder.Build();
  });
}

Result<std::shared_ptr<arrow::Schema>> SchemaOf(parquet::arrow::FileReader& reader) {
  std::shared_ptr<arrow::Schema> schema;
  FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kCorrupt, [&] { return reader.GetSchema(&schema); }));
  return schema;
}

Result<TablePtr> ReadWithArrow(parquet::arrow::FileReader& reader) {
  return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<TablePtr> {
    ARROW_ASSIGN_OR_RAISE(const TablePtr table, reader.ReadTable());
    ARROW_RETURN_NOT_OK(table->ValidateFull());
    return table->CombineChunks();
  });
}

Result<TablePtr> ReadWithFirn(RowTable& table, const FileScanTask& task, const SchemaPtr& schema) {
  const ReadOptions options{.projection = schema, .is_ordered = true};
  FIRN_ASSIGN(auto stream, ReadTasks(table.read_context(), {task}, options));
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(stream)));
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (true) {
    FIRN_ASSIGN(auto batch, reader.Next());
    if (batch == nullptr) break;
    batches.push_back(std::move(batch));
  }
  return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<TablePtr> {
    ARROW_ASSIGN_OR_RAISE(const TablePtr rows,
                          arrow::Table::FromRecordBatches(reader.schema(), batches));
    ARROW_RETURN_NOT_OK(rows->ValidateFull());
    return rows->CombineChunks();
  });
}

// Equal layouts, whatever the names of children.
bool HasSameLayout(const arrow::DataType& a, const arrow::DataType& b) {
  if (a.id() != b.id() || a.num_fields() != b.num_fields()) return false;
  if (a.num_fields() == 0) return a.Equals(b);
  for (int i = 0; i < a.num_fields(); ++i) {
    if (!HasSameLayout(*a.field(i)->type(), *b.field(i)->type())) return false;
  }
  return true;
}

std::shared_ptr<arrow::ArrayData> WithType(const arrow::ArrayData& data,
                                           const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  copy->type = type;
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = WithType(*copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

std::shared_ptr<arrow::Array> OnlyChunk(const arrow::ChunkedArray& column) {
  if (column.num_chunks() == 1) return column.chunk(0);
  return arrow::MakeEmptyArray(column.type()).ValueOrDie();
}

void ExpectSameColumn(const arrow::ChunkedArray& actual, const arrow::ChunkedArray& expected) {
  ASSERT_EQ(actual.length(), expected.length());
  std::shared_ptr<arrow::Array> wanted = OnlyChunk(expected);
  if (HasSameLayout(*wanted->type(), *actual.type())) {
    wanted = arrow::MakeArray(WithType(*wanted->data(), actual.type()));
  } else {
    const auto cast = GuardArrowResult(
        ErrorCode::kInternal, [&] { return arrow::compute::Cast(*wanted, actual.type()); });
    ASSERT_THAT(cast, IsOk()) << wanted->type()->ToString();
    wanted = *cast;
  }
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true);
  EXPECT_TRUE(OnlyChunk(actual)->Equals(*wanted, options))
      << "firn: " << OnlyChunk(actual)->ToString() << "\nArrow: " << wanted->ToString();
}

// The columns that have an Iceberg type; `places` are theirs in the Arrow schema.
std::vector<NestedField> ImportableFields(const arrow::Schema& schema, std::vector<int>& places) {
  std::vector<NestedField> fields;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const auto imported = FromArrowSchema(*arrow::schema({schema.field(i)}));
    if (!imported.ok()) {
      EXPECT_EQ(imported.error().code(), ErrorCode::kUnsupported);
      continue;
    }
    places.push_back(i);
    fields.push_back((*imported)->fields()[0]);
  }
  return fields;
}

// The fields with the ids that the file gives its columns, if it gives any at the top.
void TakeFileIds(const arrow::Schema& schema, const std::vector<int>& places,
                 std::vector<NestedField>& fields) {
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& metadata = schema.field(places[i])->metadata();
    if (metadata == nullptr || !metadata->Contains(kFieldIdKey)) continue;
    fields[i].id = std::stoi(*metadata->Get(kFieldIdKey));
  }
}

// Give all fields different ids, depth first.
NestedField Renumbered(NestedField field, int32_t& last_id) {
  field.id = ++last_id;
  std::vector<NestedField> children;
  for (const NestedField& child : field.type->fields()) {
    children.push_back(Renumbered(child, last_id));
  }
  if (field.type->id() == TypeId::kStruct) field.type = Type::Struct(children);
  if (field.type->id() == TypeId::kList) field.type = Type::List(children[0]);
  if (field.type->id() == TypeId::kMap) field.type = Type::Map(children[0], children[1]);
  return field;
}

class ParquetTestingTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = SharedDataPath("parquet-testing");
    if (!folder) GTEST_SKIP() << "apache/parquet-testing is not beside the checkout";
    folder_ = *folder;
    ASSERT_THAT(InitializeArrowCompute(), IsOk());
  }

  void Check(const fs::path& path) {
    const std::string name = path.filename().string();
    SCOPED_TRACE(name);
    const std::string bytes = ReadBytes(path);
    // Two keys of a gigabyte each: Arrow cannot put them into one table, nor the budget hold one.
    if (name == "large_string_map.brotli.parquet") return CheckTooLarge(name, bytes);
    const auto reader = OpenWithArrow(bytes);
    const auto arrow_schema =
        reader.ok() ? SchemaOf(**reader) : Result<std::shared_ptr<arrow::Schema>>(reader.error());
    std::vector<int> places;
    std::vector<NestedField> fields = {Optional(1, "x", Primitive(TypeId::kInt))};
    if (arrow_schema.ok()) {
      fields = ImportableFields(**arrow_schema, places);
    }
    int32_t last_id = 0;
    for (NestedField& field : fields)
      field = Renumbered(field, last_id);
    if (arrow_schema.ok()) TakeFileIds(**arrow_schema, places, fields);
    RowTable table(fields);
    const SchemaPtr schema = table.metadata().current_schema();
    table.metadata().properties["schema.name-mapping.default"] =
        FormatNameMapping(MakeNameMapping(*schema));
    const auto actual = ReadWithFirn(table, table.AddFile(name, bytes), schema);
    const auto expected = arrow_schema.ok() ? ReadWithArrow(**reader) : arrow_schema.error();
    if (!expected.ok()) {  // What Arrow cannot read must fail, and say where.
      ASSERT_FALSE(actual.ok()) << expected.error().Format();
      EXPECT_THAT(actual.error().code(),
                  testing::AnyOf(ErrorCode::kCorrupt, ErrorCode::kUnsupported,
                                 ErrorCode::kResourceExhausted));
      EXPECT_THAT(actual.error().message(), testing::HasSubstr(name + "': "));
      const bool is_encrypted = name.ends_with(".encrypted");
      EXPECT_EQ(actual.error().code() == ErrorCode::kUnsupported, is_encrypted);
      return;
    }
    if (name.ends_with("-corrupt-checksum.parquet")) {  // Which Arrow compares only if asked.
      EXPECT_THAT(actual, IsError(ErrorCode::kCorrupt, "checksum"));
      return;
    }
    ASSERT_THAT(actual, IsOk());
    ASSERT_EQ((*actual)->num_rows(), (*expected)->num_rows());
    for (size_t i = 0; i < places.size(); ++i) {
      SCOPED_TRACE(fields[i].name);
      ExpectSameColumn(*(*actual)->column(static_cast<int>(i)), *(*expected)->column(places[i]));
    }
  }

  static void CheckTooLarge(const std::string& name, const std::string& bytes) {
    RowTable table({Optional(1, "arr",
                             Type::Map(Required(2, "key", Primitive(TypeId::kString)),
                                       Optional(3, "value", Primitive(TypeId::kInt))))});
    const SchemaPtr schema = table.metadata().current_schema();
    table.metadata().properties["schema.name-mapping.default"] =
        FormatNameMapping(MakeNameMapping(*schema));

    const auto rows = ReadWithFirn(table, table.AddFile(name, bytes), schema);

    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code(), ErrorCode::kResourceExhausted);
    EXPECT_THAT(rows.error().message(), testing::HasSubstr(name));
  }

  std::string folder_;
};

TEST_F(ParquetTestingTest, ReadsEveryFileAsArrowDoesOrRefusesIt) {
  const std::vector<fs::path> files = FilesBelow(folder_ + "/data");
  ASSERT_GT(files.size(), 60u);
  for (const fs::path& path : files)
    Check(path);
}

TEST_F(ParquetTestingTest, RefusesDamagedFiles) {
  const std::vector<fs::path> files = FilesBelow(folder_ + "/bad_data");
  ASSERT_GT(files.size(), 5u);
  for (const fs::path& path : files)
    Check(path);
}

}  // namespace
}  // namespace firn
