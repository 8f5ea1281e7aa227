#pragma once

#include <libpq-fe.h>

#include "firn/base/result.h"

namespace firn {

/// The functions of libpq that firn calls. The library is loaded on first use, so that programs
/// without a PostgreSQL catalog neither need it nor pay for it at start.
struct Libpq {
  decltype(&PQconnectdbParams) connectdb_params = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQexecParams) exec_params = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQresultErrorField) result_error_field = nullptr;
  decltype(&PQresultErrorMessage) result_error_message = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQnfields) nfields = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQgetlength) getlength = nullptr;
  decltype(&PQcmdTuples) cmd_tuples = nullptr;
  decltype(&PQclear) clear = nullptr;
};

/// Load it once. Errors: kUnavailable, with what to install.
Result<const Libpq*> LoadLibpq();

}  // namespace firn
