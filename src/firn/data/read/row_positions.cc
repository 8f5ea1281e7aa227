#include "firn/data/read/row_positions.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/read/position_deletes_internal.h"

namespace firn {
namespace {

NestedField MetadataColumn(int32_t id, std::string name, TypeId type, bool required) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  field.required = required;
  return field;
}

SchemaPtr FileAndPosition() {
  return std::make_shared<const Schema>(
      0, std::vector<NestedField>{MetadataColumn(kFileFieldId, "_file", TypeId::kString, true),
                                  MetadataColumn(kPosFieldId, "_pos", TypeId::kLong, true)});
}

// All rows of a batch are of one file, in ascending order.
void AddPositions(const arrow::RecordBatch& batch, PositionsByFile& found) {
  const auto& files = static_cast<const arrow::StringArray&>(*batch.column(0));
  const auto& positions = static_cast<const arrow::Int64Array&>(*batch.column(1));
  PositionSet& set = found[std::string(files.GetView(0))];
  int64_t begin = positions.Value(0);
  int64_t end = begin + 1;
  for (int64_t i = 1; i < positions.length(); ++i) {
    if (positions.Value(i) == end) {
      ++end;
      continue;
    }
    set.AddRange(begin, end);
    begin = positions.Value(i);
    end = begin + 1;
  }
  set.AddRange(begin, end);
}

// Positions behind the last row delete nothing: readers pass over them, but a deletion vector whose
// cardinality counted them would make every count of rows wrong.
PositionSet WithinFile(const PositionSet& positions, const DataFile& file) {
  constexpr int64_t kPieceRows = int64_t{1} << 20;
  const int64_t rows = std::max<int64_t>(file.record_count, 0);
  if (positions.CountInRange(rows, INT64_MAX) == 0) return positions;
  PositionSet within;
  for (int64_t begin = 0; begin < rows; begin += kPieceRows) {
    for (const int64_t position : positions.InRange(begin, std::min(begin + kPieceRows, rows)))
      within.Add(position);
  }
  return within;
}

}  // namespace

Result<PositionsByFile> FindPositions(const ReadContext& context, std::vector<FileScanTask> tasks,
                                      const ExpressionPtr& filter) {
  ReadOptions options;
  options.projection = FileAndPosition();
  options.filter = filter;
  FIRN_ASSIGN(RowStream rows, ReadTasks(context, std::move(tasks), options));
  FIRN_ASSIGN(RowStreamReader reader, RowStreamReader::Open(std::move(rows)));
  PositionsByFile found;
  while (true) {
    FIRN_ASSIGN(const auto batch, reader.Next());
    if (batch == nullptr) return found;
    if (batch->num_rows() > 0) AddPositions(*batch, found);
  }
}

Result<std::vector<PositionSet>> LoadDeletedPositions(const ReadContext& context,
                                                      const std::vector<FileScanTask>& tasks) {
  std::vector<PositionSet> all(tasks.size());
  PositionDeletes deletes(context, BudgetPool::Make(context.budget->total_bytes()), tasks);
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *context.executor, tasks.size(),
      [&](size_t i) -> Status {
        if (tasks[i].deletes.empty()) return {};
        FIRN_ASSIGN(const auto positions, deletes.Load(tasks[i]));
        if (positions != nullptr) all[i] = WithinFile(*positions, tasks[i].file);
        return {};
      },
      context.cancel));
  return all;
}

SchemaPtr SchemaWithLineage(const TableMetadata& metadata) {
  const SchemaPtr schema = metadata.current_schema();
  if (metadata.format_version < 3) return schema;
  std::vector<NestedField> fields = schema->fields();
  fields.push_back(MetadataColumn(kRowIdFieldId, "_row_id", TypeId::kLong, false));
  fields.push_back(MetadataColumn(kLastUpdatedSequenceNumberFieldId,
                                  "_last_updated_sequence_number", TypeId::kLong, false));
  return std::make_shared<const Schema>(schema->schema_id(), std::move(fields));
}

}  // namespace firn
