#pragma once

#include <memory>
#include <string>

#include "firn/catalog/pointer_store.h"
#include "firn/catalog/sql_database_internal.h"

namespace firn {

/// How the tables of the JDBC catalog are kept in the database.
struct SqlStoreOptions {
  std::string catalog_name;        ///< Value of `catalog_name` in every row.
  bool can_create_tables = true;   ///< `jdbc.init-catalog-tables`
  bool is_v0_wanted = false;       ///< `jdbc.schema-version` = V0: for new databases.
  bool is_upgrade_wanted = false;  ///< `jdbc.schema-version` = V1: alter an old database.
};

/// The tables `iceberg_tables` and `iceberg_namespace_properties` as Java's JDBC catalog and
/// PyIceberg use them, schema V0 or V1 (with `iceberg_type`), shared with them at any time.
/// Levels of a namespace are joined by dots, so that a level may not hold one.
std::unique_ptr<PointerStore> MakeSqlStore(std::unique_ptr<SqlDatabase> database,
                                           const SqlStoreOptions& options);

}  // namespace firn
