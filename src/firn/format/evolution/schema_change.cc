#include "firn/format/evolution/schema_change.h"

#include <utility>

#include <fmt/format.h>

#include "firn/format/evolution/schema_editor_internal.h"

namespace firn {
namespace {

Error Summarize(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return Error(ErrorCode::kInvalidInput, problems.front());
  return MakeError(ErrorCode::kInvalidInput, "{} changes are refused: {}", problems.size(),
                   fmt::join(problems, "; "));
}

}  // namespace

Result<Schema> EvolveSchema(const TableMetadata& metadata, std::span<const SchemaChange> changes) {
  SchemaEditor editor(metadata);
  std::vector<std::string> problems;
  for (const SchemaChange& change : changes) {
    const Status applied = std::visit([&](const auto& one) { return editor.Apply(one); }, change);
    if (!applied.ok()) problems.push_back(applied.error().message());
  }
  // What the schema as a whole breaks though every change was legal by itself.
  const Status valid = ValidateSchema(editor.schema(), metadata.format_version);
  if (!valid.ok()) problems.push_back(valid.error().message());
  if (!problems.empty()) return Summarize(problems);
  return editor.schema();
}

}  // namespace firn
