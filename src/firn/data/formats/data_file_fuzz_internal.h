#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/check.h"
#include "firn/base/clock.h"
#include "firn/data/data.h"
#include "firn/format/schema/name_mapping.h"

/// For the fuzz targets of data files: any bytes as a file of a table that has a column of every
/// kind: whole, and a few columns with a filter. What the file holds is read or refused, within a
/// small budget.

namespace firn {

/// A file may hold very many rows of no bytes; some of them tell enough.
constexpr int64_t kFuzzedRowsMax = 100000;

inline NestedField FuzzedColumn(int32_t id, std::string name, TypePtr type) {
  return {.id = id, .name = std::move(name), .type = std::move(type)};
}

inline TableMetadataPtr MakeFuzzedTable() {
  const auto primitive = [](TypeId id) { return Type::Primitive(id); };
  const auto key = [&](int32_t id, TypeId type) {
    return NestedField{.id = id, .name = "key", .type = primitive(type), .required = true};
  };
  const TypePtr item = Type::Struct({FuzzedColumn(21, "k", primitive(TypeId::kString)),
                                     FuzzedColumn(22, "v", Type::Decimal(20, 2))});
  std::vector<NestedField> fields = {
      FuzzedColumn(1, "b", primitive(TypeId::kBoolean)),
      FuzzedColumn(2, "i", primitive(TypeId::kInt)),
      FuzzedColumn(3, "l", primitive(TypeId::kLong)),
      FuzzedColumn(4, "f", primitive(TypeId::kFloat)),
      FuzzedColumn(5, "d", primitive(TypeId::kDouble)),
      FuzzedColumn(6, "dec", Type::Decimal(9, 2)),
      FuzzedColumn(7, "day", primitive(TypeId::kDate)),
      FuzzedColumn(8, "t", primitive(TypeId::kTime)),
      FuzzedColumn(9, "ts", primitive(TypeId::kTimestamp)),
      FuzzedColumn(10, "tz", primitive(TypeId::kTimestamptz)),
      FuzzedColumn(11, "s", primitive(TypeId::kString)),
      FuzzedColumn(12, "u", primitive(TypeId::kUuid)),
      FuzzedColumn(13, "x", Type::Fixed(2)),
      FuzzedColumn(14, "y", primitive(TypeId::kBinary)),
      FuzzedColumn(15, "list", Type::List(FuzzedColumn(23, "element", item))),
      FuzzedColumn(
          16, "m",
          Type::Map(key(24, TypeId::kString), FuzzedColumn(25, "value", primitive(TypeId::kLong)))),
      FuzzedColumn(
          17, "m2",
          Type::Map(key(26, TypeId::kInt), FuzzedColumn(27, "value", primitive(TypeId::kString))))};
  auto metadata = std::make_shared<TableMetadata>();
  metadata->location = "memory:/t";
  metadata->schemas = {std::make_shared<Schema>(0, std::move(fields))};
  metadata->partition_specs = {std::make_shared<PartitionSpec>()};
  metadata->sort_orders = {SortOrder{}};
  metadata->properties["schema.name-mapping.default"] =
      FormatNameMapping(MakeNameMapping(*metadata->current_schema()));
  return metadata;
}

inline void ReadFuzzedRows(const ReadContext& context, const FileScanTask& task,
                           const ReadOptions& options) {
  Result<RowStream> rows = ReadTasks(context, {task}, options);
  if (!rows.ok()) {
    FIRN_CHECK(rows.error().code() != ErrorCode::kInternal);
    return;
  }
  const auto text = RenderRows(std::move(*rows),
                               {.format = RowFormat::kJson,
                                .type = options.projection->as_struct(),
                                .row_count_max = kFuzzedRowsMax},
                               [](std::span<const std::byte>) -> Status { return {}; });
  FIRN_CHECK(text.ok() || text.error().code() != ErrorCode::kInternal);
}

/// Read `bytes` as a file of that table, at `uri`.
inline void ReadFuzzedFile(FileFormat format, std::string_view uri,
                           std::span<const std::byte> bytes) {
  static const TableMetadataPtr kMetadata = MakeFuzzedTable();
  const std::shared_ptr<FileIO> io = MakeMemoryFileIO(SystemClock());
  FIRN_CHECK(WriteFile(*io, uri, bytes).ok());
  const auto executor = MakeInlineExecutor();
  MemoryBudget budget(int64_t{64} << 20);
  const ReadContext context{
      .io = io, .metadata = kMetadata, .executor = executor.get(), .budget = &budget};
  FileScanTask task{.sequence_number = 1};
  task.file.file_path = uri;
  task.file.file_format = format;
  task.file.file_size_in_bytes = static_cast<int64_t>(bytes.size());
  const SchemaPtr schema = kMetadata->current_schema();
  // No manifest tells how many rows there are.
  ReadFuzzedRows(context, task, {.projection = schema, .verifies_row_counts = false});
  const auto few = ProjectColumns(*kMetadata, *schema, {"list.element.v", "_pos"});
  const auto filter = ParseExpression("i > 3 OR s LIKE 'a%' OR dec = 1.25");
  FIRN_CHECK(few.ok() && filter.ok());
  ReadFuzzedRows(
      context, task,
      {.projection = *few, .filter = *Bind(*filter, *schema), .verifies_row_counts = false});
  FIRN_CHECK(budget.used_bytes() == 0);
}

}  // namespace firn
