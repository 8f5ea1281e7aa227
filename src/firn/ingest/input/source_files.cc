#include <algorithm>
#include <set>
#include <utility>

#include "firn/ingest/input/source_files_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kGlobCharacters = "*?[";
constexpr std::string_view kHiveNull = "__HIVE_DEFAULT_PARTITION__";

// As Spark has it: a folder `_k=v` is one of a partition.
bool IsHidden(std::string_view relative) {
  while (!relative.empty()) {
    const size_t slash = relative.find('/');
    const std::string_view name = relative.substr(0, slash);
    const bool is_folder = slash != std::string_view::npos;
    const bool is_partition = is_folder && name.find('=') != std::string_view::npos;
    if (name.starts_with('.') || (name.starts_with('_') && !is_partition)) return true;
    if (!is_folder) return false;
    relative.remove_prefix(slash + 1);
  }
  return false;
}

// Whether the character c is in the set that begins behind '[' at `glob[at]`. Sets `at` behind the
// closing bracket; a set without one matches nothing.
bool MatchesSet(std::string_view glob, size_t& at, char c) {
  bool is_negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (is_negated) ++at;
  bool is_found = false;
  for (bool is_first = true; at < glob.size() && (is_first || glob[at] != ']'); is_first = false) {
    const char low = glob[at++];
    char high = low;
    if (at + 1 < glob.size() && glob[at] == '-' && glob[at + 1] != ']') {
      high = glob[at + 1];
      at += 2;
    }
    is_found = is_found || (low <= c && c <= high);
  }
  if (at == glob.size()) return false;
  ++at;
  return is_found != is_negated;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Hive and Spark write characters that are special in paths as %XX.
std::string DecodeFolder(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                         HexDigit(text[i + 2]) >= 0;
    if (!is_code) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

// Add the `key=value` folders of a path below a source.
void ReadFolders(std::string_view relative, SourceFile& file) {
  while (true) {
    const size_t slash = relative.find('/');
    if (slash == std::string_view::npos) return;
    const std::string_view folder = relative.substr(0, slash);
    relative.remove_prefix(slash + 1);
    const size_t equals = folder.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    std::optional<std::string> value = DecodeFolder(folder.substr(equals + 1));
    if (*value == kHiveNull) value.reset();
    file.folders.emplace_back(DecodeFolder(folder.substr(0, equals)), std::move(value));
  }
}

class SourceFinder {
 public:
  explicit SourceFinder(FileIO& io) : io_(io) {}

  Status Add(const std::string& source) {
    if (source.empty()) {
      return Error(ErrorCode::kInvalidInput,
                   "a source is the empty text (an unset variable?), expected a file or folder");
    }
    if (source == "-") {
      SourceFile input;
      input.info.uri = source;
      return Take(std::move(input));
    }
    if (source.find_first_of(kGlobCharacters) != std::string::npos) {
      // A file may well be called so.
      FIRN_ASSIGN(const bool is_file, FileExists(io_, source));
      if (!is_file) return AddGlob(source);
    }
    const Result<FileInfo> info = io_.Stat(source);
    if (info.ok()) {
      SourceFile file;
      file.info = *info;
      ReadFolders(source, file);
      return Take(std::move(file));
    }
    if (info.error().code() != ErrorCode::kNotFound) return info.error();
    return AddBelow(source, source, [](std::string_view relative) { return !IsHidden(relative); });
  }

  std::vector<SourceFile> Finish() { return std::move(files_); }

 private:
  Status Take(SourceFile file) {
    if (!uris_.insert(file.info.uri).second) {
      return MakeError(ErrorCode::kInvalidInput,
                       "source file '{}' is named twice: its rows would be doubled", file.info.uri);
    }
    files_.push_back(std::move(file));
    return {};
  }

  Status AddGlob(const std::string& glob) {
    const size_t special = glob.find_first_of(kGlobCharacters);
    const size_t slash = glob.rfind('/', special);
    const std::string folder = slash == std::string::npos ? "." : glob.substr(0, slash);
    const std::string pattern = slash == std::string::npos ? glob : glob.substr(slash + 1);
    return AddBelow(glob, folder, [&](std::string_view relative) {
      return !IsHidden(relative) && MatchesGlob(relative, pattern);
    });
  }

  Status AddBelow(const std::string& source, const std::string& folder,
                  const std::function<bool(std::string_view)>& is_wanted) {
    std::vector<SourceFile> found;
    const Status listed = io_.List(folder, [&](const FileInfo& info) -> Status {
      std::string_view relative(info.uri);
      relative.remove_prefix(std::min(folder.size(), relative.size()));
      while (relative.starts_with('/'))
        relative.remove_prefix(1);
      if (!is_wanted(relative)) return {};
      SourceFile file;
      file.info = info;
      ReadFolders(info.uri, file);
      found.push_back(std::move(file));
      return {};
    });
    if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
    if (found.empty()) {
      return MakeError(ErrorCode::kNotFound,
                       "source '{}' matches no file (hidden ones, whose names begin with '.' or "
                       "'_', are left out)",
                       source);
    }
    std::sort(found.begin(), found.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.info.uri < b.info.uri; });
    for (SourceFile& file : found) {
      FIRN_RETURN_IF_ERROR(Take(std::move(file)));
    }
    return {};
  }

  FileIO& io_;
  std::vector<SourceFile> files_;
  std::set<std::string> uris_;
};

}  // namespace

bool MatchesGlob(std::string_view path, std::string_view glob) {
  if (glob.empty()) return path.empty();
  if (glob.starts_with("**")) {
    std::string_view rest = glob.substr(2);
    if (rest.starts_with('/') && MatchesGlob(path, rest.substr(1))) return true;
    for (size_t i = 0; i <= path.size(); ++i) {
      if (MatchesGlob(path.substr(i), rest)) return true;
    }
    return false;
  }
  if (glob[0] == '*') {
    for (size_t i = 0; i <= path.size(); ++i) {
      if (MatchesGlob(path.substr(i), glob.substr(1))) return true;
      if (i < path.size() && path[i] == '/') return false;
    }
    return false;
  }
  if (path.empty()) return false;
  if (glob[0] == '[' && path[0] != '/') {
    size_t at = 1;
    return MatchesSet(glob, at, path[0]) && MatchesGlob(path.substr(1), glob.substr(at));
  }
  const bool is_same = glob[0] == path[0] || (glob[0] == '?' && path[0] != '/');
  return is_same && MatchesGlob(path.substr(1), glob.substr(1));
}

Result<std::vector<SourceFile>> FindSourceFiles(FileIO& io,
                                                const std::vector<std::string>& sources) {
  if (sources.empty()) {
    return Error(ErrorCode::kInvalidInput,
                 "no source is given, expected files, folders, globs or '-'");
  }
  SourceFinder finder(io);
  for (const std::string& source : sources) {
    FIRN_RETURN_IF_ERROR(finder.Add(source));
  }
  return finder.Finish();
}

}  // namespace firn
