#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/columns/variant_column_internal.h"
#include "firn/format/variant/variant.h"

namespace firn {
namespace {

const FileField* FindPart(const FileField& group, std::string_view name) {
  const auto found = std::find_if(group.children.begin(), group.children.end(),
                                  [name](const FileField& part) { return part.name == name; });
  return found == group.children.end() ? nullptr : &*found;
}

bool IsLeaf(const FileField* field) { return field != nullptr && field->children.empty(); }

std::string_view PartOf(const arrow::Array& column, int part, int64_t row) {
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  return static_cast<const arrow::BinaryArray&>(*parts.field(part)).GetView(row);
}

}  // namespace

const TypePtr& VariantStorage() {
  static const TypePtr kStorage = [] {
    std::vector<NestedField> parts(2);
    parts[0].name = kVariantMetadata;
    parts[1].name = kVariantValue;
    for (NestedField& part : parts) {
      part.required = true;
      part.type = Type::Primitive(TypeId::kBinary);
    }
    return Type::Struct(std::move(parts));
  }();
  return kStorage;
}

bool IsVariantGroup(const FileField& field) {
  const FileField* const value = FindPart(field, kVariantValue);
  return IsLeaf(FindPart(field, kVariantMetadata)) && (value == nullptr || IsLeaf(value)) &&
         (value != nullptr || FindPart(field, kVariantTypedValue) != nullptr);
}

std::string ReadVariant(const arrow::Array& column, int64_t row) {
  return JoinVariant(PartOf(column, 0, row), PartOf(column, 1, row));
}

Result<std::shared_ptr<arrow::Array>> PrintVariants(const arrow::Array& column) {
  arrow::StringBuilder builder;
  std::string text;
  for (int64_t row = 0; row < column.length(); ++row) {
    text.clear();
    const bool is_null = column.IsNull(row);
    if (!is_null) {
      FIRN_RETURN_IF_ERROR(AppendVariantJson(text, PartOf(column, 0, row), PartOf(column, 1, row)),
                           "row {}", row);
    }
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] {
      return is_null ? builder.AppendNull() : builder.Append(text);
    }));
  }
  return GuardArrowResult(ErrorCode::kInternal, [&] { return builder.Finish(); });
}

Status AppendVariant(std::string_view joined, arrow::ArrayBuilder& builder) {
  FIRN_ASSIGN(const VariantParts parts, SplitVariant(joined));
  auto& target = static_cast<arrow::StructBuilder&>(builder);
  return GuardArrow(ErrorCode::kInternal, [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(target.Append());
    ARROW_RETURN_NOT_OK(
        static_cast<arrow::BinaryBuilder*>(target.field_builder(0))->Append(parts.metadata));
    return static_cast<arrow::BinaryBuilder*>(target.field_builder(1))->Append(parts.value);
  });
}

}  // namespace firn
