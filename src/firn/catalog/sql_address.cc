#include <string>
#include <string_view>
#include <utility>

#include "firn/catalog/sql_database_internal.h"

namespace firn {
namespace {

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// `text` is what follows "sqlite:".
SqlAddress SqliteAddress(std::string_view text, bool is_jdbc) {
  SqlAddress address{.kind = SqlAddress::Kind::kSqlite, .path = {}, .uri = {}};
  ConsumePrefix(text, "file:");
  if (!is_jdbc && ConsumePrefix(text, "//")) {
    // SQLAlchemy: the third slash ends an empty host, a fourth one starts an absolute path.
    ConsumePrefix(text, "/");
  } else if (text.starts_with("///")) {
    text.remove_prefix(2);
  }
  text = text.substr(0, text.find('?'));
  address.path = text.empty() ? ":memory:" : std::string(text);
  return address;
}

}  // namespace

Result<SqlAddress> ParseSqlAddress(std::string_view uri) {
  std::string_view rest = uri;
  const bool is_jdbc = ConsumePrefix(rest, "jdbc:");
  if (ConsumePrefix(rest, "sqlite:")) return SqliteAddress(rest, is_jdbc);
  const size_t colon = rest.find(':');
  std::string_view scheme = rest.substr(0, colon == std::string_view::npos ? 0 : colon);
  const std::string_view dialect = scheme.substr(0, scheme.find('+'));
  if (dialect == "sqlite") return SqliteAddress(rest.substr(colon + 1), is_jdbc);
  if (dialect == "postgresql" || dialect == "postgres") {
    return SqlAddress{.kind = SqlAddress::Kind::kPostgres,
                      .path = {},
                      .uri = "postgresql" + std::string(rest.substr(colon))};
  }
  if (dialect.empty() && !rest.empty() && !is_jdbc) {
    return SqlAddress{.kind = SqlAddress::Kind::kSqlite, .path = std::string(rest), .uri = {}};
  }
  return MakeError(ErrorCode::kInvalidInput,
                   "uri starts with '{}', expected sqlite:PATH, a path, or postgresql://HOST/DB "
                   "(jdbc: in front is accepted)",
                   is_jdbc ? "jdbc:" + std::string(dialect) : std::string(dialect));
}

}  // namespace firn
