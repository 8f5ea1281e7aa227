#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "firn/catalog/sql_schema_internal.h"
#include "firn/catalog/sql_store_internal.h"

namespace firn {
namespace {

// The marker of a namespace that has no property of its own; Java hides it.
constexpr std::string_view kExists = "exists";

bool IsCode(const Error& error, ErrorCode code) { return error.code() == code; }

Result<std::string> JoinLevels(const Namespace& levels) {
  std::string out;
  for (const std::string& level : levels) {
    if (level.empty() || level.find('.') != std::string::npos) {
      return MakeError(ErrorCode::kInvalidInput,
                       "namespace '{}': a level of an SQL catalog may not be empty or hold a dot",
                       FormatNamespace(levels));
    }
    if (!out.empty()) out += '.';
    out += level;
  }
  return out;
}

Namespace SplitLevels(std::string_view text) {
  Namespace levels;
  while (!text.empty()) {
    const size_t dot = std::min(text.find('.'), text.size());
    levels.emplace_back(text.substr(0, dot));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return levels;
}

// `text` as a LIKE pattern of everything below it, with '!' as the escape character.
std::string PatternBelow(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '!' || c == '_' || c == '%') out += '!';
    out += c;
  }
  return out.empty() ? "%" : out + ".%";
}

class SqlStore final : public PointerStore {
 public:
  SqlStore(std::unique_ptr<SqlDatabase> database, const SqlStoreOptions& options)
      : catalog_name_(options.catalog_name), schema_(std::move(database), options) {}

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> HasNamespace(const Namespace& levels) override;
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override;
  Status DropNamespace(const Namespace& levels) override;
  Result<Properties> LoadNamespace(const Namespace& levels) override;
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override;
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override;
  Result<std::string> FindTable(const TableName& name) override;
  Status InsertTable(const TableName& name, const std::string& location) override;
  Status SwapTable(const TableName& name, const std::string& base,
                   const std::string& next) override;
  Status CheckWritable() override { return schema_.CheckWritable(); }
  Status RenameTable(const TableName& from, const TableName& to) override;
  Status DeleteTable(const TableName& name) override;

 private:
  Result<std::set<std::string>> NamesBelow(const std::string& levels);
  Status SetProperty(const std::string& levels, const std::string& key, const std::string& value);
  Status CheckNamespace(const Namespace& levels);
  Error MissingTable(const TableName& name);

  const std::string catalog_name_;
  SqlSchema schema_;
};

// Dotted names of all namespaces that are `levels` or below it, in either table.
Result<std::set<std::string>> SqlStore::NamesBelow(const std::string& levels) {
  std::set<std::string> names;
  const SqlValue parameters[] = {catalog_name_, levels, PatternBelow(levels)};
  for (const std::string_view sql :
       {"SELECT DISTINCT table_namespace FROM iceberg_tables WHERE catalog_name = ? AND "
        "(table_namespace = ? OR table_namespace LIKE ? ESCAPE '!')",
        "SELECT DISTINCT namespace FROM iceberg_namespace_properties WHERE catalog_name = ? AND "
        "(namespace = ? OR namespace LIKE ? ESCAPE '!')"}) {
    FIRN_ASSIGN(const SqlResult result, schema_.Read(sql, parameters));
    for (const auto& row : result.rows) {
      const std::string& name = row[0].value_or("");
      // LIKE may ignore case, so that the prefix is compared again.
      const bool is_below = levels.empty() || name == levels || name.starts_with(levels + ".");
      if (is_below && !name.empty()) names.insert(name);
    }
  }
  return names;
}

Result<bool> SqlStore::HasNamespace(const Namespace& levels) {
  if (levels.empty()) return true;
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  FIRN_ASSIGN(const auto names, NamesBelow(text));
  return !names.empty();
}

Status SqlStore::CheckNamespace(const Namespace& levels) {
  FIRN_ASSIGN(const bool exists, HasNamespace(levels));
  if (exists) return {};
  return MakeError(ErrorCode::kNotFound, "namespace '{}' does not exist", FormatNamespace(levels));
}

Result<std::vector<Namespace>> SqlStore::ListNamespaces(const Namespace& parent) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(parent));
  FIRN_ASSIGN(const std::string text, JoinLevels(parent));
  FIRN_ASSIGN(const auto names, NamesBelow(text));
  std::set<Namespace> children;
  for (const std::string& name : names) {
    Namespace levels = SplitLevels(name);
    if (levels.size() <= parent.size()) continue;
    levels.resize(parent.size() + 1);
    children.insert(std::move(levels));
  }
  return std::vector<Namespace>(children.begin(), children.end());
}

Status SqlStore::SetProperty(const std::string& levels, const std::string& key,
                             const std::string& value) {
  if (key == kExists) {
    return MakeError(ErrorCode::kInvalidInput,
                     "namespace property 'exists' is reserved by SQL catalogs");
  }
  const SqlValue update[] = {value, catalog_name_, levels, key};
  FIRN_ASSIGN(const SqlResult updated,
              schema_.Write("UPDATE iceberg_namespace_properties SET property_value = ? WHERE "
                            "catalog_name = ? AND namespace = ? AND property_key = ?",
                            update),
              "setting '{}'", key);
  if (updated.affected_rows > 0) return {};
  const SqlValue insert[] = {catalog_name_, levels, key, value};
  auto inserted = schema_.Write(
      "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, "
      "property_value) VALUES (?, ?, ?, ?)",
      insert);
  if (!inserted.ok() && IsCode(inserted.error(), ErrorCode::kAlreadyExists)) {
    inserted = schema_.Write(  // Another client made the row meanwhile.
        "UPDATE iceberg_namespace_properties SET property_value = ? WHERE catalog_name = ? AND "
        "namespace = ? AND property_key = ?",
        update);
  }
  FIRN_RETURN_IF_ERROR(inserted, "setting '{}'", key);
  return {};
}

Status SqlStore::CreateNamespace(const Namespace& levels, const Properties& properties) {
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  if (text.empty()) {
    return MakeError(ErrorCode::kAlreadyExists, "the root namespace always exists");
  }
  const SqlValue self[] = {catalog_name_, text};
  FIRN_ASSIGN(const SqlResult known,
              schema_.Read("SELECT namespace FROM iceberg_namespace_properties WHERE "
                           "catalog_name = ? AND namespace = ?",
                           self));
  FIRN_ASSIGN(const auto names, NamesBelow(text));
  if (!known.rows.empty() || names.contains(text)) {
    return MakeError(ErrorCode::kAlreadyExists, "namespace '{}' already exists",
                     FormatNamespace(levels));
  }
  const SqlValue marker[] = {catalog_name_, text, std::string(kExists), "true"};
  const auto inserted = schema_.Write(
      "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, "
      "property_value) VALUES (?, ?, ?, ?)",
      marker);
  if (!inserted.ok() && IsCode(inserted.error(), ErrorCode::kAlreadyExists)) {
    return MakeError(ErrorCode::kAlreadyExists, "namespace '{}' already exists",
                     FormatNamespace(levels));
  }
  FIRN_RETURN_IF_ERROR(inserted);
  for (const auto& [key, value] : properties) {
    FIRN_RETURN_IF_ERROR(SetProperty(text, key, value), "namespace '{}'", FormatNamespace(levels));
  }
  return {};
}

Status SqlStore::DropNamespace(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  if (text.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "the root namespace cannot be dropped");
  }
  FIRN_ASSIGN(const auto names, NamesBelow(text));
  for (const std::string& name : names) {
    if (name != text) {
      return MakeError(ErrorCode::kInvalidInput, "namespace '{}' is not empty: it holds '{}'",
                       FormatNamespace(levels), name);
    }
  }
  const SqlValue self[] = {catalog_name_, text};
  FIRN_ASSIGN(const SqlResult tables,  // Views too.
              schema_.Read("SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND "
                           "table_namespace = ?",
                           self));
  if (!tables.rows.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "namespace '{}' is not empty: it holds '{}'",
                     FormatNamespace(levels), tables.rows.front()[0].value_or(""));
  }
  FIRN_RETURN_IF_ERROR(schema_.Write(
      "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?", self));
  return {};
}

Result<Properties> SqlStore::LoadNamespace(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  const SqlValue self[] = {catalog_name_, text};
  FIRN_ASSIGN(const SqlResult result,
              schema_.Read("SELECT property_key, property_value FROM "
                           "iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?",
                           self));
  Properties properties;
  for (const auto& row : result.rows) {
    if (row[0] && row[0] != kExists) properties[*row[0]] = row[1].value_or("");
  }
  return properties;
}

Status SqlStore::UpdateNamespace(const Namespace& levels, const Properties& updates,
                                 std::span<const std::string> removals) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  for (const auto& [key, value] : updates) {
    FIRN_RETURN_IF_ERROR(SetProperty(text, key, value), "namespace '{}'", FormatNamespace(levels));
  }
  for (const std::string& key : removals) {
    if (key == kExists) continue;
    // The last row of a namespace is its existence.
    const SqlValue marker[] = {catalog_name_, text, std::string(kExists), "true"};
    const auto kept = schema_.Write(
        "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, "
        "property_value) VALUES (?, ?, ?, ?)",
        marker);
    if (!kept.ok() && !IsCode(kept.error(), ErrorCode::kAlreadyExists)) return kept.error();
    const SqlValue row[] = {catalog_name_, text, key};
    FIRN_RETURN_IF_ERROR(
        schema_.Write("DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND "
                      "namespace = ? AND property_key = ?",
                      row));
  }
  return {};
}

Result<std::vector<TableName>> SqlStore::ListTables(const Namespace& levels) {
  FIRN_RETURN_IF_ERROR(CheckNamespace(levels));
  FIRN_ASSIGN(const std::string text, JoinLevels(levels));
  FIRN_ASSIGN(const std::string filter, schema_.TypeFilter());
  const SqlValue self[] = {catalog_name_, text};
  FIRN_ASSIGN(const SqlResult result,
              schema_.Read("SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND "
                           "table_namespace = ?" +
                               filter,
                           self));
  std::vector<TableName> tables;
  for (const auto& row : result.rows)
    tables.push_back({levels, row[0].value_or("")});
  std::sort(tables.begin(), tables.end());
  return tables;
}

// Tables of another `catalog_name` are invisible, which surprises: say so.
Error SqlStore::MissingTable(const TableName& name) {
  std::string hint;
  const SqlValue self[] = {catalog_name_};
  const auto others = schema_.Read(
      "SELECT DISTINCT catalog_name FROM iceberg_tables WHERE catalog_name <> ?", self);
  if (others.ok() && !others->rows.empty()) {
    hint = "; the database also holds the catalogs";
    for (const auto& row : others->rows)
      hint += " '" + row[0].value_or("") + "'";
    hint += ", which are seen under these names only";
  }
  return MakeError(ErrorCode::kNotFound, "table '{}' does not exist in catalog '{}'{}",
                   FormatTableName(name), catalog_name_, hint);
}

Result<std::string> SqlStore::FindTable(const TableName& name) {
  FIRN_ASSIGN(const std::string levels, JoinLevels(name.levels));
  FIRN_ASSIGN(const std::string filter, schema_.TypeFilter());
  const SqlValue key[] = {catalog_name_, levels, name.name};
  FIRN_ASSIGN(const SqlResult result,
              schema_.Read("SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? "
                           "AND table_namespace = ? AND table_name = ?" +
                               filter,
                           key));
  if (result.rows.empty()) return MissingTable(name);
  if (!result.rows.front()[0]) {
    return MakeError(ErrorCode::kCorrupt, "table '{}': its row has no metadata_location",
                     FormatTableName(name));
  }
  return *result.rows.front()[0];
}

Status SqlStore::InsertTable(const TableName& name, const std::string& location) {
  FIRN_ASSIGN(const std::string levels, JoinLevels(name.levels));
  FIRN_RETURN_IF_ERROR(schema_.Prepare());
  FIRN_ASSIGN(const bool has_types, schema_.HasTypes());
  const SqlValue row[] = {catalog_name_, levels, name.name, location};
  const auto inserted = schema_.Write(
      has_types ? "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                  "metadata_location, previous_metadata_location, iceberg_type) "
                  "VALUES (?, ?, ?, ?, NULL, 'TABLE')"
                : "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                  "metadata_location, previous_metadata_location) VALUES (?, ?, ?, ?, NULL)",
      row);
  if (!inserted.ok() && IsCode(inserted.error(), ErrorCode::kAlreadyExists)) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists (or a view of its name)",
                     FormatTableName(name));
  }
  FIRN_RETURN_IF_ERROR(inserted);
  return {};
}

Status SqlStore::SwapTable(const TableName& name, const std::string& base,
                           const std::string& next) {
  FIRN_ASSIGN(const std::string levels, JoinLevels(name.levels));
  FIRN_ASSIGN(const std::string filter, schema_.TypeFilter());
  const SqlValue parameters[] = {next, base, catalog_name_, levels, name.name, base};
  FIRN_ASSIGN(const SqlResult result,
              schema_.Write("UPDATE iceberg_tables SET metadata_location = ?, "
                            "previous_metadata_location = ? WHERE catalog_name = ? AND "
                            "table_namespace = ? AND table_name = ? AND metadata_location = ?" +
                                filter,
                            parameters));
  if (result.affected_rows == 1) return {};
  return MakeError(ErrorCode::kCommitConflict,
                   "table '{}' moved on: its metadata is no longer '{}'", FormatTableName(name),
                   base);
}

Status SqlStore::RenameTable(const TableName& from, const TableName& to) {
  FIRN_ASSIGN(const std::string from_levels, JoinLevels(from.levels));
  FIRN_ASSIGN(const std::string to_levels, JoinLevels(to.levels));
  FIRN_ASSIGN(const bool has_tables, schema_.HasTables());
  if (!has_tables) return MissingTable(from);
  FIRN_ASSIGN(const std::string filter, schema_.TypeFilter());
  const SqlValue parameters[] = {to_levels, to.name, catalog_name_, from_levels, from.name};
  const auto renamed = schema_.Write(
      "UPDATE iceberg_tables SET table_namespace = ?, table_name = ? WHERE catalog_name = ? AND "
      "table_namespace = ? AND table_name = ?" +
          filter,
      parameters);
  if (!renamed.ok() && IsCode(renamed.error(), ErrorCode::kAlreadyExists)) {
    return MakeError(ErrorCode::kAlreadyExists, "table '{}' already exists", FormatTableName(to));
  }
  FIRN_RETURN_IF_ERROR(renamed);
  if (renamed->affected_rows == 0) return MissingTable(from);
  return {};
}

Status SqlStore::DeleteTable(const TableName& name) {
  FIRN_ASSIGN(const std::string levels, JoinLevels(name.levels));
  FIRN_ASSIGN(const bool has_tables, schema_.HasTables());
  if (!has_tables) return MissingTable(name);
  FIRN_ASSIGN(const std::string filter, schema_.TypeFilter());
  const SqlValue key[] = {catalog_name_, levels, name.name};
  FIRN_ASSIGN(const SqlResult result,
              schema_.Write("DELETE FROM iceberg_tables WHERE catalog_name = ? AND "
                            "table_namespace = ? AND table_name = ?" +
                                filter,
                            key));
  if (result.affected_rows == 0) return MissingTable(name);
  return {};
}

}  // namespace

std::unique_ptr<PointerStore> MakeSqlStore(std::unique_ptr<SqlDatabase> database,
                                           const SqlStoreOptions& options) {
  return std::make_unique<SqlStore>(std::move(database), options);
}

}  // namespace firn
