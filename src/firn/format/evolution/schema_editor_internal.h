#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/format/evolution/schema_change.h"

namespace firn {

/// A schema while it is changed. A change that fails leaves it as it was.
class SchemaEditor {
 public:
  explicit SchemaEditor(const TableMetadata& metadata);

  Status Apply(const AddColumn& change);
  Status Apply(const DropColumn& change);
  Status Apply(const RenameColumn& change);
  Status Apply(const AlterColumn& change);
  Status Apply(const SetIdentifierFields& change);

  const Schema& schema() const { return schema_; }

 private:
  std::string FullName(const NestedField& field) const { return schema_.FullName(field.id); }
  /// Null: the schema itself.
  const NestedField* ParentOf(int32_t id) const;
  const std::vector<NestedField>& SiblingsOf(int32_t id) const;
  Status CheckOutsideMapKey(int32_t id) const;
  /// The field is one of a struct, not the element of a list or the value of a map.
  Status CheckIsStructField(const NestedField& field, std::string_view verb) const;
  Status CheckNewName(const std::vector<NestedField>& siblings, const NestedField* parent,
                      std::string_view name, int32_t own_id) const;
  Result<const NestedField*> FindStructToExtend(const AddColumn& change) const;
  Status CheckDefault(std::string_view column, const Type& type, const Value& value) const;
  Status CheckPromotion(const NestedField& field, const Type& type) const;
  Status CheckPartitionSources(const NestedField& field, const Type& type) const;
  Status CheckUnused(const NestedField& dropped, const NestedField& field) const;
  Status CheckSubtreeUnused(const NestedField& dropped, const NestedField& field) const;
  Result<std::vector<NestedField>> Place(std::vector<NestedField> siblings, int32_t id,
                                         const ColumnPosition& position) const;
  Result<NestedField> Alter(NestedField field, const AlterColumn& change) const;
  /// The fields of the schema with `children` in the struct `parent_id`; nullopt: `children`.
  std::vector<NestedField> WithChildren(std::optional<int32_t> parent_id,
                                        const std::vector<NestedField>& children) const;
  void Replace(std::vector<NestedField> fields);

  const TableMetadata& metadata_;
  Schema schema_;
  int32_t last_column_id_;
};

}  // namespace firn
