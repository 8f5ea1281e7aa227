#include <algorithm>
#include <limits>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/text.h"
#include "firn/io/uri.h"
#include "firn/maintain/orphans/file_prefixes_internal.h"

namespace firn {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

void AddNames(const std::map<std::string, std::string>& equal, Names& names) {
  for (const auto& [key, value] : equal) {
    for (const std::string_view name : SplitText(key, ','))
      names[LowerAscii(TrimText(name))] = LowerAscii(value);
  }
}

std::string Canonical(std::string name, const Names& names) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

// "a%20b//c" and "a b/c" give one path.
std::string FoldPath(std::string_view path) {
  std::string folded;
  folded.reserve(path.size() + 1);
  for (size_t i = 0; i < path.size(); ++i) {
    char c = path[i];
    if (c == '%' && i + 2 < path.size()) {
      const auto decoded = ParseHex(path.substr(i + 1, 2));
      if (decoded && decoded->size() == 1) {
        c = decoded->front();
        i += 2;
      }
    }
    if (c == '/' && (folded.empty() || folded.back() == '/')) continue;
    folded.push_back(c);
  }
  return folded;
}

}  // namespace

FilePrefixes::FilePrefixes(const std::map<std::string, std::string>& equal_schemes,
                           const std::map<std::string, std::string>& equal_authorities) {
  schemes_ = {{"s3a", "s3"}, {"s3n", "s3"}};
  AddNames(equal_schemes, schemes_);
  AddNames(equal_authorities, authorities_);
}

Result<FilePrefixes::Identity> FilePrefixes::Identify(std::string_view uri, std::string_view real) {
  Prefix prefix;
  std::string_view path = uri;
  const std::string scheme = UriScheme(uri);
  if (scheme.empty() || scheme == "file") {
    path = real;
    // A plain path may be one of any file system that is the default of its writer.
    prefix.scheme = scheme;
  } else {
    path.remove_prefix(scheme.size() + 1);
    if (path.starts_with("//")) {
      path.remove_prefix(2);
      const size_t end = std::min(path.find('/'), path.size());
      prefix.authority = Canonical(LowerAscii(path.substr(0, end)), authorities_);
      path.remove_prefix(end);
    }
    prefix.scheme = Canonical(scheme, schemes_);
  }
  // What is local is known by its place, whatever it is called.
  Identity identity{.path = FoldPath(real.starts_with('/') ? real : path)};
  const std::lock_guard lock(mutex_);
  const auto known = numbers_.find(prefix);
  if (known != numbers_.end()) {
    identity.prefix = known->second;
    return identity;
  }
  if (prefixes_.size() > std::numeric_limits<uint16_t>::max()) {
    return MakeError(ErrorCode::kUnsupported,
                     "the files of the table have more than {} different schemes and authorities",
                     prefixes_.size());
  }
  identity.prefix = static_cast<uint16_t>(prefixes_.size());
  numbers_.emplace(prefix, identity.prefix);
  prefixes_.push_back(std::move(prefix));
  return identity;
}

bool FilePrefixes::Matches(uint16_t listed, uint16_t recorded) const {
  const std::lock_guard lock(mutex_);
  const Prefix& here = prefixes_[listed];
  const Prefix& there = prefixes_[recorded];
  const bool same_scheme = there.scheme.empty() || there.scheme == here.scheme ||
                           (here.scheme.empty() && there.scheme == "file");
  return same_scheme && (there.authority.empty() || there.authority == here.authority);
}

std::string FilePrefixes::Describe(uint16_t prefix) const {
  const std::lock_guard lock(mutex_);
  const Prefix& one = prefixes_[prefix];
  if (one.scheme.empty()) return "no scheme";
  return one.authority.empty() ? one.scheme + ":" : one.scheme + "://" + one.authority;
}

}  // namespace firn
