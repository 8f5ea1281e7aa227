#include <memory>
#include <utility>

#include "firn/catalog/pointer_catalog.h"
#include "firn/catalog/registry_internal.h"
#include "firn/catalog/sql_database_internal.h"
#include "firn/catalog/sql_store_internal.h"

namespace firn {
namespace {

// JDBC properties that mean a libpq parameter of another or the same name.
constexpr std::pair<std::string_view, const char*> kPostgresKeys[] = {
    {"jdbc.user", "user"},       {"jdbc.password", "password"},
    {"jdbc.sslmode", "sslmode"}, {"jdbc.sslrootcert", "sslrootcert"},
    {"jdbc.sslcert", "sslcert"}, {"jdbc.sslkey", "sslkey"},
    {"jdbc.options", "options"},
};

std::string Property(const Properties& properties, std::string_view key, std::string fallback) {
  const auto found = properties.find(key);
  return found == properties.end() ? fallback : found->second;
}

std::unique_ptr<SqlDatabase> OpenPostgres(const std::string& uri, const Properties& properties) {
  // A default comes before the URI, which may hold its own.
  PostgresParameters parameters = {{"connect_timeout", "10"}, {"dbname", uri}};
  for (const auto& [key, parameter] : kPostgresKeys) {
    const auto found = properties.find(key);
    if (found != properties.end()) parameters.emplace_back(parameter, found->second);
  }
  return MakePostgresDatabase(std::move(parameters));
}

Result<SqlStoreOptions> ParseOptions(const CatalogConfig& config) {
  SqlStoreOptions options;
  options.catalog_name = Property(config.properties, "catalog-name", config.name);
  options.can_create_tables =
      Property(config.properties, "jdbc.init-catalog-tables", "true") != "false";
  const std::string version = Property(config.properties, "jdbc.schema-version", "");
  if (version != "" && version != "V0" && version != "V1") {
    return MakeError(ErrorCode::kInvalidInput, "jdbc.schema-version is '{}', expected V0 or V1",
                     version);
  }
  options.is_v0_wanted = version == "V0";
  options.is_upgrade_wanted = version == "V1";
  return options;
}

Result<std::unique_ptr<Catalog>> Open(const CatalogConfig& config) {
  const std::string uri = Property(config.properties, "uri", "");
  if (uri.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "an SQL catalog needs 'uri', such as sqlite:/lake/catalog.db or "
                     "postgresql://host/database");
  }
  FIRN_ASSIGN(const SqlAddress address, ParseSqlAddress(uri));
  FIRN_ASSIGN(SqlStoreOptions options, ParseOptions(config));
  auto database = address.kind == SqlAddress::Kind::kSqlite
                      ? MakeSqliteDatabase(address.path)
                      : OpenPostgres(address.uri, config.properties);
  return MakePointerCatalog(config, MakeSqlStore(std::move(database), options));
}

}  // namespace

CatalogType DescribeSqlCatalog() {
  return {.type = "sql",
          .aliases = {"jdbc", "org.apache.iceberg.jdbc.JdbcCatalog"},
          .open = Open,
          .summary = "the tables of Java's JDBC catalog in SQLite or PostgreSQL"};
}

}  // namespace firn
