#include <algorithm>
#include <filesystem>

#include "firn/io/io.h"
#include "firn/io/uri.h"
#include "firn/session/configuration_internal.h"

namespace firn {
namespace {

bool EndsWithKey(std::string_view key, std::string_view last) {
  return key == last || (key.ends_with(last) && key[key.size() - last.size() - 1] == '.');
}

std::string Join(const std::string& folder, std::string_view path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

// Where the path of a SQLite database begins in `uri`; npos: it is another address, or no file.
size_t FindDatabasePath(std::string_view uri) {
  constexpr std::string_view kJdbc = "jdbc:";
  constexpr std::string_view kFile = "file:";
  size_t at = uri.starts_with(kJdbc) ? kJdbc.size() : 0;
  const bool is_jdbc = at > 0;
  const std::string_view rest = uri.substr(at);
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return (rest.empty() || is_jdbc) ? uri.npos : at;
  const std::string_view dialect = rest.substr(0, rest.substr(0, colon).find('+'));
  if (dialect.substr(0, dialect.find(':')) != "sqlite") return uri.npos;
  at += colon + 1;
  if (uri.substr(at).starts_with(kFile)) at += kFile.size();
  if (!is_jdbc && uri.substr(at).starts_with("//")) {
    at += uri.substr(at).starts_with("///") ? size_t{3} : size_t{2};
  }
  const std::string_view path = uri.substr(at).substr(0, uri.substr(at).find('?'));
  return path.empty() || path == ":memory:" ? uri.npos : at;
}

void AnchorDatabase(std::string& uri, const std::string& folder) {
  const size_t at = FindDatabasePath(uri);
  if (at == std::string::npos || uri[at] == '/') return;
  const size_t end = std::min(uri.find('?', at), uri.size());
  uri = uri.substr(0, at) + Join(folder, uri.substr(at, end - at)) + uri.substr(end);
}

Status AnchorRules(std::string& text, const std::string& folder) {
  FIRN_ASSIGN(const std::vector<PrefixRule> rules, ParsePrefixRules(text));
  std::string anchored;
  for (const PrefixRule& rule : rules) {
    anchored += (anchored.empty() ? "" : ",") + rule.from + "=" + MakeAbsolute(rule.to, folder);
  }
  text = std::move(anchored);
  return {};
}

}  // namespace

Status AnchorPaths(Settings& settings, const std::string& folder) {
  for (auto& [key, setting] : settings) {
    if (setting.value.empty()) continue;
    if (EndsWithKey(key, "warehouse")) {
      setting.value = MakeAbsolute(setting.value, folder);
    } else if (EndsWithKey(key, "uri")) {
      AnchorDatabase(setting.value, folder);
    } else if (EndsWithKey(key, "io.rewrite-prefix")) {
      FIRN_RETURN_IF_ERROR(AnchorRules(setting.value, folder), "{}", setting.origin);
    }
  }
  return {};
}

}  // namespace firn
