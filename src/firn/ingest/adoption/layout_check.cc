#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "firn/ingest/adoption/layout_check_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

// Collects what differs.
class LayoutCheck {
 public:
  explicit LayoutCheck(const TableMetadata& metadata)
      : metadata_(metadata), schema_(*metadata.current_schema()) {}

  void CheckSchema(const Schema& wanted) {
    for (const NestedField& column : wanted.fields()) {
      const NestedField* found = schema_.FindField(column.name);
      const std::string type = FormatShape(*column.type);
      if (found == nullptr) {
        Add("--schema has column '{}', which the table lacks", column.name);
      } else if (FormatShape(*found->type) != type) {
        Add("--schema has column '{}' as {}, the table as {}", column.name, type,
            FormatShape(*found->type));
      }
    }
  }

  Status CheckPartition(const std::function<Result<PartitionSpec>(const Schema&)>& make) {
    FIRN_ASSIGN(const PartitionSpec wanted, make(schema_), "--partition");
    std::vector<PartitionField> found = metadata_.default_spec()->fields;
    std::erase_if(found, [](const PartitionField& field) {
      return field.transform.kind == TransformKind::kVoid;
    });
    const bool is_same = std::equal(
        found.begin(), found.end(), wanted.fields.begin(), wanted.fields.end(),
        [](const PartitionField& a, const PartitionField& b) {
          return a.source_ids == b.source_ids && a.transform == b.transform && a.name == b.name;
        });
    if (is_same) return {};
    Add("--partition asks for {}, the table has {}", FormatFields(wanted.fields),
        FormatFields(found));
    return {};
  }

  Status CheckSort(const std::function<Result<SortOrder>(const Schema&)>& make) {
    FIRN_ASSIGN(const SortOrder wanted, make(schema_), "--sort");
    const SortOrder* found = metadata_.FindSortOrder(metadata_.default_sort_order_id);
    const std::string has = found == nullptr ? "" : FormatSortOrder(*found, schema_);
    if (has == FormatSortOrder(wanted, schema_)) return {};
    Add("--sort asks for '{}', the table has '{}'", FormatSortOrder(wanted, schema_), has);
    return {};
  }

  void CheckProperties(const Properties& wanted) {
    for (const auto& [name, value] : wanted) {
      const auto found = metadata_.properties.find(name);
      if (found == metadata_.properties.end()) {
        Add("--property {}={}, which the table lacks", name, value);
      } else if (found->second != value) {
        Add("--property {}={}, the table has '{}'", name, value, found->second);
      }
    }
  }

  void CheckLocation(const std::string& wanted) {
    if (CanonicalUriKey(StripTrailingSlash(wanted)) == CanonicalUriKey(metadata_.location)) return;
    Add("--location is '{}', that of the table '{}'", wanted, metadata_.location);
  }

  void CheckVersion(int wanted) {
    if (wanted == metadata_.format_version) return;
    Add("--format-version is {}, that of the table {}", wanted, metadata_.format_version);
  }

  Status Finish() const {
    if (differences_.empty()) return {};
    return MakeError(ErrorCode::kInvalidInput,
                     "the table exists, and options for a new one differ from it: {}; leave them "
                     "out, or change the table first (table alter, table set)",
                     fmt::join(differences_, "; "));
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> text, Args&&... args) {
    differences_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  // Without ids, which both number their own way.
  static std::string FormatShape(const Type& type) {
    if (!type.is_nested()) return FormatType(type);
    std::vector<std::string> parts;
    for (const NestedField& field : type.fields())
      parts.push_back(field.name + ": " + FormatShape(*field.type));
    const std::string_view name = type.id() == TypeId::kStruct ? "struct"
                                  : type.id() == TypeId::kList ? "list"
                                                               : "map";
    return fmt::format("{}<{}>", name, fmt::join(parts, ", "));
  }

  std::string FormatFields(const std::vector<PartitionField>& fields) const {
    std::vector<std::string> parts;
    for (const PartitionField& field : fields) {
      parts.push_back(fmt::format("{}({}) as {}", FormatTransform(field.transform),
                                  schema_.FullName(field.source_id()), field.name));
    }
    return parts.empty() ? "no partitions" : fmt::format("'{}'", fmt::join(parts, ", "));
  }

  const TableMetadata& metadata_;
  const Schema& schema_;
  std::vector<std::string> differences_;
};

}  // namespace

Status CheckLayout(const NewTableLayout& layout, const TableMetadata& metadata) {
  LayoutCheck check(metadata);
  if (layout.schema) check.CheckSchema(*layout.schema);
  if (layout.partition_spec) FIRN_RETURN_IF_ERROR(check.CheckPartition(layout.partition_spec));
  if (layout.sort_order) FIRN_RETURN_IF_ERROR(check.CheckSort(layout.sort_order));
  check.CheckProperties(layout.properties);
  if (!layout.location.empty()) check.CheckLocation(layout.location);
  if (layout.format_version) check.CheckVersion(*layout.format_version);
  return check.Finish();
}

}  // namespace firn
