#include <utility>

#include <arrow/type.h>

#include "firn/data/arrow_types.h"
#include "firn/data/data_file_internal.h"
#include "firn/data/read_fields_internal.h"
#include "firn/data/reader.h"

namespace firn {

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
    columns.push_back(arrow::field(field.name, field.type));
  }
  FIRN_ASSIGN(const TypePtr type, FromArrowSchema(*arrow::schema(std::move(columns))), "file '{}'",
              path);
  std::vector<NestedField> fields = type->fields();
  for (NestedField& field : fields)
    MakeOptional(field);
  return Schema(0, std::move(fields));
}

}  // namespace firn
