#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/data/data.h"
#include "firn/format/schema/name_mapping.h"

// Any bytes as an Avro data file of a table that has a column of every kind: whole, and a few
// columns with a filter. What the file holds is read or refused, within a small budget.

namespace firn {
namespace {

constexpr std::string_view kInput = "memory:/f.avro";
// A block may hold very many rows of no bytes; some of them tell enough.
constexpr int64_t kRowsMax = 100000;

NestedField Column(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

TableMetadataPtr MakeMetadata() {
  const auto primitive = [](TypeId id) { return Type::Primitive(id); };
  const TypePtr item = Type::Struct(
      {Column(21, "k", primitive(TypeId::kString)), Column(22, "v", Type::Decimal(20, 2))});
  std::vector<NestedField> fields = {
      Column(1, "b", primitive(TypeId::kBoolean)),
      Column(2, "i", primitive(TypeId::kInt)),
      Column(3, "l", primitive(TypeId::kLong)),
      Column(4, "f", primitive(TypeId::kFloat)),
      Column(5, "d", primitive(TypeId::kDouble)),
      Column(6, "dec", Type::Decimal(9, 2)),
      Column(7, "day", primitive(TypeId::kDate)),
      Column(8, "t", primitive(TypeId::kTime)),
      Column(9, "ts", primitive(TypeId::kTimestamp)),
      Column(10, "tz", primitive(TypeId::kTimestamptz)),
      Column(11, "s", primitive(TypeId::kString)),
      Column(12, "u", primitive(TypeId::kUuid)),
      Column(13, "x", Type::Fixed(2)),
      Column(14, "y", primitive(TypeId::kBinary)),
      Column(15, "list", Type::List(Column(23, "element", item))),
      Column(
          16, "m",
          Type::Map({.id = 24, .name = "key", .type = primitive(TypeId::kString), .required = true},
                    Column(25, "value", primitive(TypeId::kLong)))),
      Column(17, "m2",
             Type::Map({.id = 26, .name = "key", .type = primitive(TypeId::kInt), .required = true},
                       Column(27, "value", primitive(TypeId::kString))))};
  auto metadata = std::make_shared<TableMetadata>();
  metadata->location = "memory:/t";
  metadata->schemas = {std::make_shared<Schema>(0, std::move(fields))};
  metadata->partition_specs = {std::make_shared<PartitionSpec>()};
  metadata->sort_orders = {SortOrder{}};
  metadata->properties["schema.name-mapping.default"] =
      FormatNameMapping(MakeNameMapping(*metadata->current_schema()));
  return metadata;
}

void ReadRows(const ReadContext& context, const FileScanTask& task, const ReadOptions& options) {
  Result<RowStream> rows = ReadTasks(context, {task}, options);
  if (rows.ok()) {
    const auto text = RenderRows(std::move(*rows),
                                 {.format = RowFormat::kJson,
                                  .type = options.projection->as_struct(),
                                  .row_count_max = kRowsMax},
                                 [](std::span<const std::byte>) -> Status { return {}; });
    FIRN_CHECK(text.ok() || text.error().code() != ErrorCode::kInternal);
  } else {
    FIRN_CHECK(rows.error().code() != ErrorCode::kInternal);
  }
}

void ReadAll(std::span<const std::byte> bytes) {
  static const TableMetadataPtr kMetadata = MakeMetadata();
  const std::shared_ptr<FileIO> io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, kInput, bytes).ok());
  const auto executor = MakeInlineExecutor();
  MemoryBudget budget(int64_t{64} << 20);
  const ReadContext context{
      .io = io, .metadata = kMetadata, .executor = executor.get(), .budget = &budget};
  FileScanTask task{.sequence_number = 1};
  task.file.file_path = kInput;
  task.file.file_format = FileFormat::kAvro;
  task.file.file_size_in_bytes = static_cast<int64_t>(bytes.size());
  const SchemaPtr schema = kMetadata->current_schema();
  ReadRows(context, task, {.projection = schema});
  const auto few = ProjectColumns(*kMetadata, *schema, {"list.element.v", "_pos"});
  const auto filter = ParseExpression("i > 3 OR s LIKE 'a%' OR dec = 1.25");
  FIRN_CHECK(few.ok() && filter.ok());
  ReadRows(context, task, {.projection = *few, .filter = *Bind(*filter, *schema)});
  FIRN_CHECK(budget.used_bytes() == 0);
}

}  // namespace
}  // namespace firn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firn::ReadAll({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
