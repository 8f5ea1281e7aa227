#pragma once

#include <string>
#include <string_view>

/// The few things that firn needs to know about the text of a URI. Nothing here decodes.

namespace firn {

/// "s3" of "s3://b/k", "file" of "file:/p"; empty for a plain path. Lower case. A single letter
/// before ':' and a ':' after the first '/' are no scheme.
std::string UriScheme(std::string_view uri);

/// True for `/a`, `file:/a`, `s3://b/k`; false for `a/b`, `file:a`, `file://a/b`.
bool IsAbsoluteUri(std::string_view uri);

/// `base` + "/" + `name` with exactly one slash between them; `name` alone if `base` is empty.
std::string JoinUri(std::string_view base, std::string_view name);

/// Text after the last '/'.
std::string_view UriFileName(std::string_view uri);

/// Without trailing slashes, but a root stays one: "/", "file:/", "file:///", "s3://".
std::string_view StripTrailingSlash(std::string_view uri);

/// A key under which two spellings of one place compare equal: scheme aliases folded (s3a, s3n ->
/// s3), `file:` forms folded to the plain path; in local paths repeated slashes, "." and ".." are
/// resolved in the text. Keys of object stores stay verbatim: there `a//b` and `a/b` are two. For
/// orphan and overlap checks only; never to open a file.
std::string CanonicalUriKey(std::string_view uri);

/// The plain local path behind a plain path or `file:/p`, `file:///p`, `file://localhost/p` (all
/// `/p`), `file:p` and `file://p` (relative, as other readers of Iceberg take them). Empty if the
/// URI is not local.
std::string LocalPath(std::string_view uri);

}  // namespace firn
