#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/ingest/column_evolution_internal.h"
#include "firn/ingest/column_fit_internal.h"

namespace firn {
namespace {

class ChangeFinder {
 public:
  ChangeFinder(int format_version, bool has_own_types)
      : format_version_(format_version), has_own_types_(has_own_types) {}

  void Compare(const std::vector<NestedField>& source, const std::vector<NestedField>& target,
               std::vector<std::string> path) {
    for (const NestedField& field : source) {
      const NestedField* known = FindColumn(target, field.name);
      path.push_back(known == nullptr ? field.name : known->name);
      if (known == nullptr) {
        AddColumn add;
        add.path = path;
        add.type = TypeForVersion(field.type, format_version_);
        changes_.emplace_back(std::move(add));
      } else if (has_own_types_) {
        CompareTypes(*field.type, *known->type, path);
      }
      path.pop_back();
    }
  }

  std::vector<SchemaChange> Finish() { return std::move(changes_); }

 private:
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
  bool has_own_types_;
  std::vector<SchemaChange> changes_;
};

}  // namespace

std::vector<SchemaChange> FindSchemaChanges(const std::vector<SourceColumn>& columns,
                                            const TableMetadata& metadata, bool has_own_types) {
  std::vector<NestedField> source;
  for (const SourceColumn& column : columns) {
    if (column.type == nullptr) continue;
    NestedField field;
    field.name = column.name;
    field.type = column.type;
    source.push_back(std::move(field));
  }
  ChangeFinder finder(metadata.format_version, has_own_types);
  finder.Compare(source, metadata.current_schema()->fields(), {});
  return finder.Finish();
}

}  // namespace firn
