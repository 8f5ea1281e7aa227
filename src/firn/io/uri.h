#pragma once

#include <string>
#include <string_view>

/// The few things that firn needs to know about the text of a URI. Nothing here decodes.

namespace firn {

/// "s3" of "s3://b/k", "file" of "file:/p"; empty for a plain path. Lower case. A single letter
/// before ':' and a ':' after the first '/' are no scheme.
std::string UriScheme(std::string_view uri);

/// True for `/a`, `file:/a`, `s3://b/k`; false for `a/b`.
bool IsAbsoluteUri(std::string_view uri);

/// `base` + "/" + `name` with exactly one slash between them.
std::string JoinUri(std::string_view base, std::string_view name);

/// Text after the last '/'.
std::string_view UriFileName(std::string_view uri);

/// Without a trailing slash, unless it ends "://" or is "/".
std::string_view StripTrailingSlash(std::string_view uri);

/// A key under which two spellings of one place compare equal: scheme aliases folded (s3a, s3n ->
/// s3), `file:` forms folded to the plain path, repeated slashes of local paths folded. For orphan
/// and overlap checks only; never to open a file.
std::string CanonicalUriKey(std::string_view uri);

/// The plain local path behind `file:` forms or a plain path; relative stays relative. Empty if the
/// URI is not local.
std::string LocalPath(std::string_view uri);

}  // namespace firn
