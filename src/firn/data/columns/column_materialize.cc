#include <utility>

#include <arrow/array.h>
#include <arrow/compute/cast.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/column_resolver_internal.h"
#include "firn/data/columns/value_arrays.h"
#include "firn/data/columns/variant_column_internal.h"

// Turns a batch of a file, as its format's reader delivers it, into the columns of a ReadPlan.
// Nested arrays keep their offsets and validity; only types, missing children and converted leaves
// are new.

namespace firn {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

class Materializer {
 public:
  Materializer(arrow::MemoryPool* pool, bool is_exact) : pool_(pool), is_exact_(is_exact) {}

  // `siblings` are the arrays that `plan` may draw from, `length` what a new array needs.
  Result<ArrayDataPtr> Make(const ColumnPlan& plan, const std::vector<ArrayDataPtr>& siblings,
                            int64_t length) {
    switch (plan.source) {
      case ColumnPlan::Source::kConstant: {
        FIRN_ASSIGN(const auto array,
                    MakeConstantArray(*plan.target.type, plan.constant, length, pool_),
                    "column '{}'", plan.target.name);
        return array->data();
      }
      case ColumnPlan::Source::kMissingStruct:
        return MakeMissingStruct(plan, length);
      case ColumnPlan::Source::kFile:
        break;
    }
    const auto index = static_cast<size_t>(plan.file_index);
    if (index >= siblings.size()) return WrongShape(plan);
    const arrow::ArrayData& data = *siblings[index];
    const TypeId id = plan.target.type->id();
    if (id == TypeId::kStruct) return MakeStruct(plan, data);
    if (id == TypeId::kList) return MakeList(plan, data);
    if (id == TypeId::kMap) return MakeMap(plan, data);
    if (id == TypeId::kVariant) {
      FIRN_ASSIGN(auto variants, MakeVariantColumn(data, pool_), "column '{}'", plan.target.name);
      return variants;
    }
    FIRN_ASSIGN(auto converted, ConvertColumn(data, *plan.target.type, pool_, is_exact_),
                "column '{}'", plan.target.name);
    return converted;
  }

 private:
  static Error WrongShape(const ColumnPlan& plan) {
    return MakeError(ErrorCode::kCorrupt,
                     "column '{}' does not have the shape that the file's schema tells",
                     plan.target.name);
  }

  Result<ArrayDataPtr> MakeMissingStruct(const ColumnPlan& plan, int64_t length) {
    std::vector<ArrayDataPtr> children;
    for (const ColumnPlan& child : plan.children) {
      FIRN_ASSIGN(auto data, Make(child, {}, length));
      children.push_back(std::move(data));
    }
    return arrow::ArrayData::Make(plan.arrow_type, length, {nullptr}, std::move(children), 0);
  }

  Result<ArrayDataPtr> MakeStruct(const ColumnPlan& plan, const arrow::ArrayData& data) {
    if (data.type->id() != arrow::Type::STRUCT) return WrongShape(plan);
    std::vector<ArrayDataPtr> children;
    for (const ColumnPlan& child : plan.children) {
      FIRN_ASSIGN(auto made, Make(child, data.child_data, data.offset + data.length), "column '{}'",
                  plan.target.name);
      children.push_back(std::move(made));
    }
    return arrow::ArrayData::Make(plan.arrow_type, data.length, {data.buffers[0]},
                                  std::move(children), data.null_count.load(), data.offset);
  }

  // Lists with 64-bit or fixed sizes, as other writers' schemas ask for, become common lists.
  Result<ArrayDataPtr> ToCommonList(const arrow::ArrayData& data) {
    FIRN_RETURN_IF_ERROR(InitializeArrowCompute());
    return GuardArrowResult(ErrorCode::kCorrupt, [&]() -> arrow::Result<ArrayDataPtr> {
      ARROW_ASSIGN_OR_RAISE(
          const auto cast,
          arrow::compute::Cast(*arrow::MakeArray(data.Copy()), arrow::list(data.type->field(0))));
      return cast->data();
    });
  }

  Result<ArrayDataPtr> MakeList(const ColumnPlan& plan, const arrow::ArrayData& data) {
    if (!IsListLike(*data.type)) return WrongShape(plan);
    ArrayDataPtr list = data.Copy();
    if (data.type->id() != arrow::Type::LIST) {
      FIRN_ASSIGN(list, ToCommonList(data), "column '{}'", plan.target.name);
    }
    FIRN_ASSIGN(auto element, Make(plan.children[0], list->child_data, list->child_data[0]->length),
                "column '{}'", plan.target.name);
    return arrow::ArrayData::Make(plan.arrow_type, list->length, list->buffers,
                                  {std::move(element)}, list->null_count.load(), list->offset);
  }

  Result<ArrayDataPtr> MakeMap(const ColumnPlan& plan, const arrow::ArrayData& data) {
    if (data.type->id() != arrow::Type::MAP) return WrongShape(plan);
    const arrow::ArrayData& entries = *data.child_data[0];
    std::vector<ArrayDataPtr> parts;
    for (const ColumnPlan& part : plan.children) {
      FIRN_ASSIGN(auto made, Make(part, entries.child_data, entries.offset + entries.length),
                  "column '{}'", plan.target.name);
      parts.push_back(std::move(made));
    }
    const auto& type = static_cast<const arrow::MapType&>(*plan.arrow_type);
    ArrayDataPtr made_entries =
        arrow::ArrayData::Make(type.value_type(), entries.length, {entries.buffers[0]},
                               std::move(parts), entries.null_count.load(), entries.offset);
    return arrow::ArrayData::Make(plan.arrow_type, data.length, data.buffers,
                                  {std::move(made_entries)}, data.null_count.load(), data.offset);
  }

  arrow::MemoryPool* pool_;
  bool is_exact_;
};

// The texts of a column, if they are a dictionary array of the wanted type; else null.
ArrayDataPtr DictionaryTexts(const ColumnPlan& plan, const arrow::ArrayData& rows) {
  if (plan.source != ColumnPlan::Source::kFile) return nullptr;
  const auto index = static_cast<size_t>(plan.file_index);
  if (index >= rows.child_data.size() || rows.child_data[index] == nullptr) return nullptr;
  const ArrayDataPtr& data = rows.child_data[index];
  if (data->type->id() != arrow::Type::DICTIONARY) return nullptr;
  const auto& type = static_cast<const arrow::DictionaryType&>(*data->type);
  return type.value_type()->Equals(*plan.arrow_type) ? data : nullptr;
}

}  // namespace

Result<std::vector<std::shared_ptr<arrow::Array>>> MaterializeColumns(
    const ReadPlan& plan, const arrow::ArrayData& rows, arrow::MemoryPool* pool,
    const std::set<size_t>* places) {
  Materializer materializer(pool, plan.is_exact);
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const ColumnPlan& column : plan.columns) {
    if (places != nullptr && !places->contains(columns.size())) {
      columns.push_back(nullptr);
      continue;
    }
    ArrayDataPtr data = places == nullptr ? nullptr : DictionaryTexts(column, rows);
    if (data == nullptr) {
      FIRN_ASSIGN(data, materializer.Make(column, rows.child_data, rows.length));
    }
    if (column.target.required && data->type->id() != arrow::Type::NA && data->GetNullCount() > 0) {
      return MakeError(ErrorCode::kCorrupt, "column '{}' is required but has {} nulls",
                       column.target.name, data->GetNullCount());
    }
    columns.push_back(arrow::MakeArray(std::move(data)));
  }
  return columns;
}

}  // namespace firn
