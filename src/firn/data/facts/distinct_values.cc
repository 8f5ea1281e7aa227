#include "firn/data/facts/distinct_values.h"

#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/base/bytes.h"
#include "firn/base/int128.h"
#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/read/task_stream_internal.h"

// Batches come decoded in parallel; the columns of each are hashed in parallel, too, each sketch by
// one thread at a time. A value that follows its like, as in sorted columns, is not hashed again.

namespace firn {
namespace {

constexpr int64_t kSketchBytes = int64_t{128} << 10;

// Arrow holds numbers as the spec's single values are: little endian, of the same width.
template <typename T>
void AddFixed(const arrow::Array& column, ThetaSketch& sketch) {
  const T* values = column.data()->GetValues<T>(1);
  const bool has_nulls = column.null_count() > 0;
  const T* last = nullptr;
  for (int64_t i = 0; i < column.length(); ++i) {
    if (has_nulls && column.IsNull(i)) continue;
    if (last != nullptr && std::memcmp(last, values + i, sizeof(T)) == 0) continue;
    last = values + i;
    sketch.Update(std::as_bytes(std::span(last, 1)));
  }
}

template <typename Array>
void AddViews(const arrow::Array& column, ThetaSketch& sketch) {
  const auto& array = static_cast<const Array&>(column);
  const bool has_nulls = column.null_count() > 0;
  std::string_view last;  // Empty values are not counted, thus need no hash either.
  for (int64_t i = 0; i < array.length(); ++i) {
    if (has_nulls && array.IsNull(i)) continue;
    const std::string_view value = array.GetView(i);
    if (value == last) continue;
    last = value;
    sketch.Update(AsBytes(value));
  }
}

// The shortest two's complement of `value`, most significant byte first.
std::span<const std::byte> ToShortBytes(int64_t value, uint64_t& memory) {
  const auto magnitude = static_cast<uint64_t>(value ^ (value >> 63));
  const auto size = static_cast<size_t>(64 - std::countl_zero(magnitude)) / 8 + 1;
  memory = __builtin_bswap64(static_cast<uint64_t>(value));
  return std::as_bytes(std::span(&memory, 1)).last(size);
}

void AddDecimals(const arrow::Array& column, ThetaSketch& sketch) {
  const auto& array = static_cast<const arrow::FixedSizeBinaryArray&>(column);
  std::optional<Int128> last;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    Int128 value = 0;
    std::memcpy(&value, array.GetValue(i), sizeof(value));
    if (value == last) continue;
    last = value;
    const auto low = static_cast<int64_t>(value);
    uint64_t memory = 0;
    if (low == value) {
      sketch.Update(ToShortBytes(low, memory));
    } else {
      sketch.Update(AsBytes(ToBigEndian(value)));
    }
  }
}

void AddBooleans(const arrow::Array& column, ThetaSketch& sketch) {
  const auto& array = static_cast<const arrow::BooleanArray&>(column);
  const int64_t trues = array.true_count();
  const int64_t values = array.length() - array.null_count();
  const std::byte is_true{1};
  const std::byte is_false{0};
  if (trues > 0) sketch.Update(std::span(&is_true, 1));
  if (trues < values) sketch.Update(std::span(&is_false, 1));
}

Status AddColumn(const arrow::Array& column, ThetaSketch& sketch) {
  switch (static_cast<int>(column.type_id())) {  // Few of Arrow's many types.
    case arrow::Type::NA:
      return {};
    case arrow::Type::BOOL:
      AddBooleans(column, sketch);
      return {};
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::FLOAT:
      AddFixed<int32_t>(column, sketch);
      return {};
    case arrow::Type::INT64:
    case arrow::Type::DOUBLE:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      AddFixed<int64_t>(column, sketch);
      return {};
    case arrow::Type::DECIMAL128:
      AddDecimals(column, sketch);
      return {};
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      AddViews<arrow::BinaryArray>(column, sketch);
      return {};
    case arrow::Type::FIXED_SIZE_BINARY:
      AddViews<arrow::FixedSizeBinaryArray>(column, sketch);
      return {};
    default:
      return MakeError(ErrorCode::kUnsupported, "values of type {} have no single-value form",
                       column.type()->ToString());
  }
}

// The column at `path`; null where a struct around it is.
Result<std::shared_ptr<arrow::Array>> FindColumn(const arrow::RecordBatch& batch,
                                                 const std::vector<size_t>& path,
                                                 arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Array> column = batch.column(static_cast<int>(path.front()));
  for (size_t depth = 1; depth < path.size(); ++depth) {
    const auto& group = static_cast<const arrow::StructArray&>(*column);
    FIRN_ASSIGN(column, GuardArrowResult(ErrorCode::kInternal, [&] {
                  return group.GetFlattenedField(static_cast<int>(path[depth]), pool);
                }));
  }
  return column;
}

Result<std::vector<std::vector<size_t>>> PathsOf(const Schema& projection,
                                                 const std::vector<int32_t>& field_ids) {
  std::vector<std::vector<size_t>> paths;
  for (const int32_t id : field_ids) {
    const NestedField* field = projection.FindField(id);
    const auto path = projection.StructPath(id);
    if (field == nullptr || !field->type->is_primitive() || !path) {
      return MakeError(ErrorCode::kInternal, "field {} is no primitive column outside lists", id);
    }
    paths.push_back(*path);
  }
  return paths;
}

}  // namespace

Result<std::vector<ThetaSketch>> SketchColumns(const ReadContext& context,
                                               std::vector<FileScanTask> tasks,
                                               const Schema& schema,
                                               const std::vector<int32_t>& field_ids) {
  const auto projection = std::make_shared<const Schema>(
      SelectFields(schema, std::set<int32_t>(field_ids.begin(), field_ids.end())));
  FIRN_ASSIGN(const auto paths, PathsOf(*projection, field_ids));
  FIRN_ASSIGN(const auto memory,
              context.budget->Reserve(kSketchBytes * static_cast<int64_t>(field_ids.size()),
                                      context.cancel));
  std::vector<ThetaSketch> sketches(field_ids.size());
  const auto pool = BudgetPool::Make(context.budget->total_bytes());
  FIRN_ASSIGN(const auto stream,
              MakeTaskStream(context, std::move(tasks), ReadOptions{.projection = projection}));
  while (true) {
    FIRN_ASSIGN(const auto batch, stream->Next());
    if (batch == nullptr) return sketches;
    const auto add = [&](size_t index) -> Status {
      FIRN_ASSIGN(const auto column, FindColumn(*batch, paths[index], pool.get()));
      return AddColumn(*column, sketches[index]);
    };
    FIRN_RETURN_IF_ERROR(ParallelFor(*context.executor, sketches.size(), add, context.cancel));
  }
}

}  // namespace firn
