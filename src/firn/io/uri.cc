#include "firn/io/uri.h"

#include <algorithm>
#include <vector>

#include "firn/base/text.h"

namespace firn {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsSchemeChar(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
}

// Length of the scheme before ':'; 0 if `uri` is a plain path.
size_t SchemeSize(std::string_view uri) {
  const size_t colon = uri.find_first_of(":/");
  if (colon == std::string_view::npos || uri[colon] != ':' || colon < 2) return 0;
  const std::string_view scheme = uri.substr(0, colon);
  const bool is_scheme =
      IsLetter(scheme.front()) && std::all_of(scheme.begin(), scheme.end(), IsSchemeChar);
  return is_scheme ? colon : 0;
}

// True if a slash after `text` would be the root of a file system and must stay.
bool EndsBeforeRoot(std::string_view text) {
  return text.empty() || text.ends_with("://") || SchemeSize(text) + 1 == text.size();
}

// Fold repeated slashes, "." and "..", without a look at the disk.
std::string FoldLocalPath(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<std::string_view> kept;
  for (const std::string_view name : SplitText(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      kept.push_back(name);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!is_absolute) {
      kept.push_back(name);
    }
  }
  std::string folded = is_absolute ? "/" : "";
  for (size_t i = 0; i < kept.size(); ++i) {
    if (i > 0) folded.push_back('/');
    folded += kept[i];
  }
  return folded;
}

}  // namespace

std::string UriScheme(std::string_view uri) { return LowerAscii(uri.substr(0, SchemeSize(uri))); }

bool IsAbsoluteUri(std::string_view uri) {
  const std::string scheme = UriScheme(uri);
  if (!scheme.empty() && scheme != "file") return true;
  return LocalPath(uri).starts_with('/');
}

std::string JoinUri(std::string_view base, std::string_view name) {
  const size_t start = std::min(name.find_first_not_of('/'), name.size());
  name.remove_prefix(base.empty() ? 0 : start);
  std::string joined(StripTrailingSlash(base));
  if (!joined.empty() && !joined.ends_with('/')) joined.push_back('/');
  joined += name;
  return joined;
}

std::string_view UriFileName(std::string_view uri) { return uri.substr(uri.rfind('/') + 1); }

std::string_view StripTrailingSlash(std::string_view uri) {
  while (uri.ends_with('/') && !uri.ends_with("://")) {
    const std::string_view shorter = uri.substr(0, uri.size() - 1);
    if (EndsBeforeRoot(shorter)) break;
    uri = shorter;
  }
  return uri;
}

std::string CanonicalUriKey(std::string_view uri) {
  std::string scheme = UriScheme(uri);
  if (scheme.empty() || scheme == "file") return FoldLocalPath(LocalPath(uri));
  const std::string_view rest = uri.substr(scheme.size());
  if (scheme == "s3a" || scheme == "s3n") scheme = "s3";
  return scheme.append(rest);
}

std::string LocalPath(std::string_view uri) {
  const std::string scheme = UriScheme(uri);
  if (scheme.empty()) return std::string(uri);
  if (scheme != "file") return {};
  std::string_view path = uri.substr(scheme.size() + 1);
  if (path.starts_with("//")) {
    constexpr std::string_view kLocalHost = "localhost";
    path.remove_prefix(2);
    if (path == kLocalHost) return "/";  // Its root, without the slash at the end.
    if (path.starts_with("localhost/")) path.remove_prefix(kLocalHost.size());
  }
  return std::string(path);
}

}  // namespace firn
