#include <dlfcn.h>

#include "firn/catalog/libpq_internal.h"

namespace firn {
namespace {

template <typename Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<Libpq> Load() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return MakeError(ErrorCode::kUnavailable,
                     "PostgreSQL's client library libpq.so.5 is not installed; install libpq5 "
                     "(Debian, Ubuntu) or libpq (Fedora, Amazon Linux)");
  }
  Libpq pq;
  const bool is_complete =
      Bind(library, "PQconnectdbParams", pq.connectdb_params) &&
      Bind(library, "PQstatus", pq.status) && Bind(library, "PQerrorMessage", pq.error_message) &&
      Bind(library, "PQfinish", pq.finish) && Bind(library, "PQexecParams", pq.exec_params) &&
      Bind(library, "PQresultStatus", pq.result_status) &&
      Bind(library, "PQresultErrorField", pq.result_error_field) &&
      Bind(library, "PQresultErrorMessage", pq.result_error_message) &&
      Bind(library, "PQntuples", pq.ntuples) && Bind(library, "PQnfields", pq.nfields) &&
      Bind(library, "PQgetisnull", pq.getisnull) && Bind(library, "PQgetvalue", pq.getvalue) &&
      Bind(library, "PQgetlength", pq.getlength) && Bind(library, "PQcmdTuples", pq.cmd_tuples) &&
      Bind(library, "PQclear", pq.clear);
  if (!is_complete) {
    return MakeError(ErrorCode::kUnavailable, "libpq.so.5 lacks functions that firn needs");
  }
  return pq;
}

}  // namespace

Result<const Libpq*> LoadLibpq() {
  static const Result<Libpq> loaded = Load();
  if (!loaded.ok()) return loaded.error();
  return &loaded.value();
}

}  // namespace firn
