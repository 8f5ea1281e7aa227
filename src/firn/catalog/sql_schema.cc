#include <utility>
#include <vector>

#include "firn/catalog/sql_schema_internal.h"

namespace firn {
namespace {

constexpr std::string_view kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, "
    "table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, "
    "metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), ";
constexpr std::string_view kTypeColumn = "iceberg_type VARCHAR(5), ";
constexpr std::string_view kTablesKey = "PRIMARY KEY (catalog_name, table_namespace, table_name))";
constexpr std::string_view kCreateProperties =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, "
    "namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255) NOT NULL, "
    "property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))";
constexpr std::string_view kAddType =
    "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)";

}  // namespace

Result<SqlSchema::Version> SqlSchema::Detect() {
  const std::lock_guard lock(mutex_);
  if (version_ != Version::kNone || !database_->exists()) return version_;
  auto probe = database_->Read("SELECT iceberg_type FROM iceberg_tables WHERE 1 = 0", {});
  if (probe.ok()) return version_ = Version::kV1;
  if (probe.error().code() != ErrorCode::kNotFound) return probe.error();
  probe = database_->Read("SELECT table_name FROM iceberg_tables WHERE 1 = 0", {});
  if (probe.ok()) return version_ = Version::kV0;
  if (probe.error().code() != ErrorCode::kNotFound) return probe.error();
  return Version::kNone;
}

Result<bool> SqlSchema::HasTables() {
  FIRN_ASSIGN(const Version version, Detect());
  return version != Version::kNone;
}

Result<bool> SqlSchema::HasTypes() {
  FIRN_ASSIGN(const Version version, Detect());
  return version == Version::kV1;
}

Result<std::string> SqlSchema::TypeFilter() {
  FIRN_ASSIGN(const bool has_types, HasTypes());
  return std::string(has_types ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)" : "");
}

// Safe against others who do the same at this moment.
Status SqlSchema::Prepare() {
  FIRN_ASSIGN(const Version found, Detect());
  const std::lock_guard lock(mutex_);
  if (is_prepared_) return {};
  std::vector<std::string> statements;
  if (found == Version::kNone && options_.can_create_tables) {
    // Others take the catalog for complete once `iceberg_tables` is there, so that comes last.
    statements.emplace_back(kCreateProperties);
    statements.push_back(std::string(kCreateTables) +
                         std::string(options_.is_v0_wanted ? "" : kTypeColumn) +
                         std::string(kTablesKey));
  } else if (found == Version::kV0 && options_.is_upgrade_wanted) {
    statements.emplace_back(kAddType);
    version_ = Version::kNone;
  }
  for (const std::string& statement : statements) {
    const auto made = database_->Write(statement, {});
    if (!made.ok() && made.error().code() != ErrorCode::kAlreadyExists) {
      return made.error().Within("making the catalog's tables");
    }
  }
  is_prepared_ = true;
  return {};
}

Result<SqlResult> SqlSchema::Read(std::string_view sql, std::span<const SqlValue> parameters) {
  FIRN_ASSIGN(const bool has_tables, HasTables());
  if (!has_tables) return SqlResult{};
  auto result = database_->Read(sql, parameters);
  if (!result.ok() && result.error().code() == ErrorCode::kNotFound) return SqlResult{};
  return result;
}

Status SqlSchema::CheckWritable() {
  FIRN_ASSIGN(const bool has_tables, HasTables());
  return has_tables ? database_->CheckWritable("iceberg_tables", "metadata_location") : Status();
}

Result<SqlResult> SqlSchema::Write(std::string_view sql, std::span<const SqlValue> parameters) {
  FIRN_RETURN_IF_ERROR(Prepare());
  return database_->Write(sql, parameters);
}

}  // namespace firn
