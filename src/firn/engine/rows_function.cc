#include <utility>

#include "firn/engine/input_rows_internal.h"

// The table function by which SQL reads the rows that firn hands in. DuckDB's own scan of Arrow
// streams is of no use here: its C interface ignores which columns and filters DuckDB pushed down.

namespace firn {
namespace {

// The callbacks get no pointer to it, and there is only one.
const DuckDb& Library() { return **LoadDuckDb(); }

struct Scan {
  std::shared_ptr<InputRows> rows;
  std::vector<size_t> columns;
};

template <typename T>
void Delete(void* object) {
  delete static_cast<T*>(object);
}

void Bind(duckdb_bind_info info) {
  const DuckDb& duckdb = Library();
  const auto& registry = *static_cast<InputRegistry*>(duckdb.bind_get_extra_info(info));
  const OwnedValue number(duckdb, duckdb.bind_get_parameter(info, 0));
  std::shared_ptr<InputRows> rows = registry.Find(duckdb.get_int64(number.get()));
  if (rows == nullptr) {
    duckdb.bind_set_error(info, "firn_rows is for firn's own use");
    return;
  }
  for (const InputRows::Column& column : rows->columns())
    duckdb.bind_add_result_column(info, column.name.c_str(), column.type.get());
  if (rows->columns().empty()) {  // A table must have one; its values are never asked for.
    const OwnedType none(duckdb, duckdb.create_logical_type(DUCKDB_TYPE_BIGINT));
    duckdb.bind_add_result_column(info, "", none.get());
  }
  using RowsPtr = std::shared_ptr<InputRows>;
  duckdb.bind_set_bind_data(info, new RowsPtr(std::move(rows)), Delete<RowsPtr>);
}

void Init(duckdb_init_info info) {
  const DuckDb& duckdb = Library();
  auto scan = std::make_unique<Scan>();
  scan->rows = *static_cast<std::shared_ptr<InputRows>*>(duckdb.init_get_bind_data(info));
  const idx_t count = duckdb.init_get_column_count(info);
  for (idx_t i = 0; i < count; ++i)
    scan->columns.push_back(duckdb.init_get_column_index(info, i));
  duckdb.init_set_init_data(info, scan.release(), Delete<Scan>);
  duckdb.init_set_max_threads(info, 1);  // Keeps rows in order.
}

void Run(duckdb_function_info info, duckdb_data_chunk output) {
  const DuckDb& duckdb = Library();
  Scan& scan = *static_cast<Scan*>(duckdb.function_get_init_data(info));
  const Status status = scan.rows->Fill(scan.columns, output);
  if (!status.ok()) duckdb.function_set_error(info, status.error().Format().c_str());
}

}  // namespace

Status RegisterFirnRows(const DuckDb& duckdb, duckdb_connection connection,
                        InputRegistry& registry) {
  const OwnedTableFunction function(duckdb, duckdb.create_table_function());
  duckdb.table_function_set_name(function.get(), "firn_rows");
  const OwnedType number(duckdb, duckdb.create_logical_type(DUCKDB_TYPE_BIGINT));
  duckdb.table_function_add_parameter(function.get(), number.get());
  duckdb.table_function_set_extra_info(function.get(), &registry, nullptr);
  duckdb.table_function_set_bind(function.get(), Bind);
  duckdb.table_function_set_init(function.get(), Init);
  duckdb.table_function_set_function(function.get(), Run);
  duckdb.table_function_supports_projection_pushdown(function.get(), true);
  if (duckdb.register_table_function(connection, function.get()) == DuckDBSuccess) return {};
  return Error(ErrorCode::kInternal, "the SQL engine does not take firn's table function");
}

}  // namespace firn
