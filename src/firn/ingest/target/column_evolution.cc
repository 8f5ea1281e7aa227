#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/ingest/target/column_evolution_internal.h"
#include "firn/ingest/target/column_fit_internal.h"

namespace firn {
namespace {

class ChangeFinder {
 public:
  explicit ChangeFinder(int format_version) : format_version_(format_version) {}

  void Compare(const std::vector<NestedField>& source, const std::vector<NestedField>& target,
               std::vector<std::string> path) {
    for (const NestedField& field : source) {
      const NestedField* known = FindColumn(target, field.name);
      path.push_back(known == nullptr ? field.name : known->name);
      if (known == nullptr) {
        if (adds_fields_) Add(path, field.type);
      } else {
        CompareTypes(*field.type, *known->type, path);
      }
      path.pop_back();
    }
  }

  // Columns of texts: what the table knows is widened where it does not hold the values.
  void CompareTexts(const std::vector<SourceColumn>& columns,
                    const std::vector<NestedField>& target) {
    adds_fields_ = false;
    for (const SourceColumn& column : columns) {
      const NestedField* known = FindColumn(target, column.name);
      if (known == nullptr) {
        if (column.type != nullptr) Add({column.name}, column.type);
      } else if (column.narrow_type != nullptr) {
        std::vector<std::string> path = {known->name};
        CompareTypes(*column.narrow_type, *known->type, path);
      }
    }
  }

  std::vector<SchemaChange> Finish() { return std::move(changes_); }

 private:
  void Add(const std::vector<std::string>& path, const TypePtr& type) {
    AddColumn add;
    add.path = path;
    add.type = TypeForVersion(type, format_version_);
    changes_.emplace_back(std::move(add));
  }

  void CompareTypes(const Type& from, const Type& to, std::vector<std::string>& path) {
    if (from.id() == to.id() && from.is_nested()) {
      if (from.id() == TypeId::kStruct) {
        Compare(from.fields(), to.fields(), path);
        return;
      }
      // Keys of maps cannot change.
      const NestedField& part = to.fields().back();
      path.push_back(part.name);
      CompareTypes(*from.fields().back().type, *part.type, path);
      path.pop_back();
      return;
    }
    if (CanStoreAs(from, to) || !IsPromotionAllowed(to, from, format_version_)) return;
    AlterColumn alter;
    alter.column = fmt::format("{}", fmt::join(path, "."));
    alter.type = std::make_shared<const Type>(from);
    changes_.emplace_back(std::move(alter));
  }

  int format_version_;
  bool adds_fields_ = true;
  std::vector<SchemaChange> changes_;
};

}  // namespace

std::vector<SchemaChange> FindSchemaChanges(const std::vector<SourceColumn>& columns,
                                            const TableMetadata& metadata, bool has_own_types) {
  const std::vector<NestedField>& target = metadata.current_schema()->fields();
  ChangeFinder finder(metadata.format_version);
  if (!has_own_types) {
    finder.CompareTexts(columns, target);
    return finder.Finish();
  }
  std::vector<NestedField> source;
  for (const SourceColumn& column : columns) {
    if (column.type == nullptr) continue;
    NestedField field;
    field.name = column.name;
    field.type = column.type;
    source.push_back(std::move(field));
  }
  finder.Compare(source, target, {});
  return finder.Finish();
}

}  // namespace firn
