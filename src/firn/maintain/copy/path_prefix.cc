#include "firn/io/uri.h"
#include "firn/maintain/copy/path_prefix_internal.h"

namespace firn {

Result<PathPrefix> PathPrefix::Make(std::string_view source, std::string_view target) {
  PathPrefix prefix;
  prefix.source_ = StripTrailingSlash(source);
  prefix.target_ = StripTrailingSlash(target);
  if (prefix.source_.empty() || prefix.target_.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "{} is empty, expected the folder that paths begin with",
                     prefix.source_.empty() ? "source_prefix" : "target_prefix");
  }
  if (prefix.source_ == prefix.target_) {
    return MakeError(ErrorCode::kInvalidInput,
                     "source_prefix and target_prefix are both '{}', expected two places",
                     prefix.source_);
  }
  return prefix;
}

bool PathPrefix::Covers(std::string_view path) const {
  return path.starts_with(source_) &&
         (path.size() == source_.size() || path[source_.size()] == '/' || source_.ends_with('/'));
}

Result<std::string> PathPrefix::Rename(std::string_view path) const { return Below(target_, path); }

Result<std::string> PathPrefix::Below(std::string_view folder, std::string_view path) const {
  if (!Covers(path)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' does not lie below source_prefix '{}', so a copy would still need the "
                     "original; give a prefix that all paths of the table begin with",
                     path, source_);
  }
  std::string renamed(folder);
  const std::string_view rest = path.substr(source_.size());
  if (renamed.ends_with('/') && rest.starts_with('/')) renamed.pop_back();
  return renamed.append(rest);
}

}  // namespace firn
