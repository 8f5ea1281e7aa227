#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <duckdb.h>

#include "firn/base/result.h"

/// The functions of DuckDB's C API that firn calls, by their names without `duckdb_`.
#define FIRN_DUCKDB_FUNCTIONS(X)                 \
  X(bind_add_result_column)                      \
  X(bind_get_extra_info)                         \
  X(bind_get_parameter)                          \
  X(bind_set_bind_data)                          \
  X(bind_set_error)                              \
  X(close)                                       \
  X(connect)                                     \
  X(connection_get_arrow_options)                \
  X(create_config)                               \
  X(create_logical_type)                         \
  X(create_table_function)                       \
  X(data_chunk_from_arrow)                       \
  X(data_chunk_get_size)                         \
  X(data_chunk_get_vector)                       \
  X(data_chunk_set_size)                         \
  X(data_chunk_to_arrow)                         \
  X(destroy_arrow_converted_schema)              \
  X(destroy_arrow_options)                       \
  X(destroy_config)                              \
  X(destroy_data_chunk)                          \
  X(destroy_error_data)                          \
  X(destroy_logical_type)                        \
  X(destroy_pending)                             \
  X(destroy_prepare)                             \
  X(destroy_result)                              \
  X(destroy_table_function)                      \
  X(destroy_value)                               \
  X(disconnect)                                  \
  X(error_data_has_error)                        \
  X(error_data_message)                          \
  X(execute_pending)                             \
  X(fetch_chunk)                                 \
  X(free)                                        \
  X(function_get_init_data)                      \
  X(function_set_error)                          \
  X(get_int64)                                   \
  X(init_get_bind_data)                          \
  X(init_get_column_count)                       \
  X(init_get_column_index)                       \
  X(init_set_init_data)                          \
  X(init_set_max_threads)                        \
  X(interrupt)                                   \
  X(library_version)                             \
  X(open_ext)                                    \
  X(pending_error)                               \
  X(pending_execute_task)                        \
  X(pending_execution_is_finished)               \
  X(pending_prepared_streaming)                  \
  X(prepare)                                     \
  X(prepare_error)                               \
  X(prepared_statement_column_count)             \
  X(prepared_statement_column_logical_type)      \
  X(prepared_statement_column_name)              \
  X(prepared_statement_type)                     \
  X(query)                                       \
  X(register_table_function)                     \
  X(result_error)                                \
  X(schema_from_arrow)                           \
  X(set_config)                                  \
  X(string_t_data)                               \
  X(string_t_length)                             \
  X(table_function_add_parameter)                \
  X(table_function_set_bind)                     \
  X(table_function_set_extra_info)               \
  X(table_function_set_function)                 \
  X(table_function_set_init)                     \
  X(table_function_set_name)                     \
  X(table_function_supports_projection_pushdown) \
  X(to_arrow_schema)                             \
  X(vector_get_column_type)                      \
  X(vector_get_data)                             \
  X(vector_reference_vector)

namespace firn {

/// DuckDB's functions. The library is loaded on first use, so that what needs no SQL engine does
/// not pay for it at start.
struct DuckDb {
#define FIRN_DUCKDB_DECLARE(name) decltype(&::duckdb_##name) name = nullptr;
  FIRN_DUCKDB_FUNCTIONS(FIRN_DUCKDB_DECLARE)
#undef FIRN_DUCKDB_DECLARE
};

/// Load it once. Errors: kUnavailable, with what is missing.
Result<const DuckDb*> LoadDuckDb();

/// A part of a text of SQL that firn made from several of the user's.
struct SqlPart {
  size_t begin = 0;   ///< Of all that firn put around the user's text.
  size_t first = 0;   ///< Of the user's text.
  size_t end = 0;     ///< Behind all.
  std::string where;  ///< For messages; may be empty.
};

/// The error that DuckDB's text means, which is JSON if the connection says so. It tells the
/// position in the part of the text that it is about.
Error ToError(const char* text, const std::vector<SqlPart>& parts = {});

}  // namespace firn
