#include <algorithm>
#include <utility>

#include <arrow/extension/parquet_variant.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/read/reader.h"

namespace firn {
namespace {

bool HasVariant(const FileField& field) {
  return field.is_variant || std::any_of(field.children.begin(), field.children.end(), HasVariant);
}

// The type of a column, in which structs that are variants are told from others.
std::shared_ptr<arrow::DataType> TypeWithVariants(const FileField& field) {
  if (!HasVariant(field)) return field.type;
  if (field.is_variant) {
    return arrow::extension::variant(
        arrow::struct_({arrow::field("metadata", arrow::binary(), /*nullable=*/false),
                        arrow::field("value", arrow::binary(), /*nullable=*/false)}));
  }
  if (field.type->id() == arrow::Type::MAP) {
    const auto& map = static_cast<const arrow::MapType&>(*field.type);
    return std::make_shared<arrow::MapType>(
        map.key_field()->WithType(TypeWithVariants(field.children[0])),
        map.item_field()->WithType(TypeWithVariants(field.children[1])));
  }
  std::vector<std::shared_ptr<arrow::Field>> children;
  for (size_t i = 0; i < field.children.size(); ++i) {
    children.push_back(
        field.type->field(static_cast<int>(i))->WithType(TypeWithVariants(field.children[i])));
  }
  return IsListLike(*field.type) ? arrow::list(children[0]) : arrow::struct_(std::move(children));
}

}  // namespace

Result<Schema> ReadFileSchema(const ReadContext& context, const std::string& path,
                              FileFormat format, std::optional<int64_t> known_size) {
  const NameMapping no_names;
  DataFileRequest request{.format = format,
                          .name_mapping = &no_names,
                          .matches_names = true,
                          .pool = BudgetPool::Make(context.budget->total_bytes())};
  FIRN_ASSIGN(request.file, context.io->Open(path, known_size));
  FIRN_ASSIGN(const auto reader, OpenDataFile(request), "file '{}'", path);
  std::vector<std::shared_ptr<arrow::Field>> columns;
  for (const FileField& field : reader->fields()) {
    columns.push_back(arrow::field(field.name, TypeWithVariants(field)));
  }
  FIRN_ASSIGN(const TypePtr type, FromArrowSchema(*arrow::schema(std::move(columns))), "file '{}'",
              path);
  std::vector<NestedField> fields = type->fields();
  for (NestedField& field : fields)
    MakeOptional(field);
  return Schema(0, std::move(fields));
}

}  // namespace firn
