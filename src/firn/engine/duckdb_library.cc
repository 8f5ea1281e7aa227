#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include "firn/base/number.h"
#include "firn/engine/duckdb_library_internal.h"

namespace firn {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<DuckDb> Load() {
  void* library = dlopen("libduckdb.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(ErrorCode::kUnavailable,
                 "the SQL engine, libduckdb.so, is not installed; it belongs into the folder lib "
                 "beside the folder of the program");
  }
  DuckDb duckdb;
#define FIRN_DUCKDB_FIND(name)                                                      \
  if (!Find(library, "duckdb_" #name, duckdb.name)) {                               \
    return MakeError(ErrorCode::kUnavailable,                                       \
                     "the SQL engine, libduckdb.so, lacks {}; expected version {}", \
                     "duckdb_" #name, "1.5");                                       \
  }
  FIRN_DUCKDB_FUNCTIONS(FIRN_DUCKDB_FIND)
#undef FIRN_DUCKDB_FIND
  return duckdb;
}

struct Meaning {
  std::string_view type;
  ErrorCode code;
};

// All others are about the SQL text or about values that it meets.
constexpr std::array kMeanings = {
    Meaning{"Out of Memory", ErrorCode::kResourceExhausted},
    Meaning{"IO", ErrorCode::kResourceExhausted},  // Files are only written to spill.
    Meaning{"INTERRUPT", ErrorCode::kCancelled},
    Meaning{"Not implemented", ErrorCode::kUnsupported},
    Meaning{"Permission", ErrorCode::kPermissionDenied},
    Meaning{"INTERNAL", ErrorCode::kInternal},
    Meaning{"FATAL", ErrorCode::kInternal},
};

ErrorCode CodeOf(std::string_view type) {
  for (const Meaning& meaning : kMeanings) {
    if (type == meaning.type) return meaning.code;
  }
  return ErrorCode::kInvalidInput;
}

std::string TextOf(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Lines become parts of one line. Advice to change settings of DuckDB is of no use here.
std::string OneLine(std::string text) {
  text.resize(std::min(text.size(), text.find("\n\nPossible solutions:")));
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, "; ");
  return text;
}

}  // namespace

Result<const DuckDb*> LoadDuckDb() {
  static const Result<DuckDb> loaded = Load();
  if (!loaded.ok()) return loaded.error();
  return &loaded.value();
}

Error ToError(const char* text, const std::vector<SqlPart>& parts) {
  const std::string_view whole = text == nullptr ? "the SQL engine failed without a word" : text;
  const size_t brace = whole.find('{');
  const std::string json(whole.substr(brace == std::string_view::npos ? whole.size() : brace));
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object() || !object.contains("exception_message")) {
    const std::string_view type = whole.substr(0, whole.find(" Error"));
    return Error(CodeOf(type), OneLine(std::string(whole)));
  }
  std::string message = OneLine(TextOf(object, "exception_message"));
  const ErrorCode code = CodeOf(TextOf(object, "exception_type"));
  const auto at = ParseUint64(TextOf(object, "position"));
  for (const SqlPart& part : parts) {
    if (!at || *at < part.begin || *at >= part.end) continue;
    if (*at >= part.first) {
      message += fmt::format(", at character {} of the SQL text", *at - part.first + 1);
    }
    const Error error(code, std::move(message));
    return part.where.empty() ? error : error.Within(part.where);
  }
  return Error(code, std::move(message));
}

}  // namespace firn
