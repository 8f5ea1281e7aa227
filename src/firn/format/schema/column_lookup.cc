#include "firn/format/schema/column_lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/base/suggest.h"

namespace firn {
namespace {

constexpr size_t kListedMax = 30;

void CollectNames(const Schema& schema, const Type& type, std::vector<std::string>& names) {
  for (const NestedField& field : type.fields()) {
    names.push_back(schema.FullName(field.id));
    CollectNames(schema, *field.type, names);
  }
}

}  // namespace

Result<const NestedField*> FindColumn(const Schema& schema, std::string_view full_name) {
  if (const NestedField* field = schema.FindField(full_name)) return field;
  FIRN_ASSIGN(const NestedField* field, schema.FindFieldIgnoringCase(full_name));
  if (field != nullptr) return field;
  return MakeUnknownColumnError(schema, full_name);
}

Result<const NestedField*> FindColumnExactly(const Schema& schema, std::string_view full_name) {
  if (const NestedField* field = schema.FindField(full_name)) return field;
  return MakeUnknownColumnError(schema, full_name);
}

Error MakeUnknownColumnError(const Schema& schema, std::string_view full_name,
                             const std::vector<std::string>& metadata_columns) {
  std::vector<std::string> names;
  CollectNames(schema, *schema.as_struct(), names);
  std::vector<std::string> candidates = names;
  candidates.insert(candidates.end(), metadata_columns.begin(), metadata_columns.end());
  const auto near = SuggestName(full_name, candidates);
  const bool is_long = names.size() > kListedMax;
  if (is_long) names.resize(kListedMax);
  return MakeError(ErrorCode::kInvalidInput, "there is no column '{}'{}; the columns are {}{}{}{}",
                   full_name, near ? " (did you mean '" + *near + "'?)" : std::string(),
                   fmt::join(names, ", "), is_long ? ", ..." : "",
                   metadata_columns.empty() ? "" : "; metadata columns are ",
                   fmt::join(metadata_columns, ", "));
}

}  // namespace firn
