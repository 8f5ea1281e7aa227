#include <algorithm>
#include <utility>

#include "firn/base/text.h"
#include "firn/io/io.h"
#include "firn/io/move_file.h"
#include "firn/io/real_names.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kOptionName = "io.rewrite-prefix";

// True if `uri` is `folder` or lies below it.
bool IsWithin(std::string_view uri, std::string_view folder) {
  if (!uri.starts_with(folder)) return false;
  return uri.size() == folder.size() || folder.ends_with('/') || uri[folder.size()] == '/';
}

// Put `to` in the place of `from`, which `uri` is within.
std::string ReplacePrefix(std::string_view uri, std::string_view from, std::string_view to) {
  std::string_view rest = uri.substr(from.size());
  std::string replaced(to);
  if (replaced.ends_with('/') && rest.starts_with('/')) rest.remove_prefix(1);
  if (!replaced.ends_with('/') && !rest.empty() && !rest.starts_with('/')) replaced.push_back('/');
  return replaced.append(rest);
}

// Name the recorded path, too, where it is another one than that in the error.
template <typename T>
Result<T> Explain(Result<T> result, std::string_view uri, std::string_view place) {
  if (result.ok() || place == uri) return result;
  return result.error().Within(fmt::format("recorded '{}'", uri));
}

Result<FileInfo> Recorded(Result<FileInfo> info, std::string_view uri, std::string_view place) {
  if (info.ok()) info->uri = uri;
  return Explain(std::move(info), uri, place);
}

class PrefixInputFile final : public InputFile {
 public:
  PrefixInputFile(std::string_view uri, std::shared_ptr<InputFile> file)
      : uri_(uri), file_(std::move(file)) {}

  const std::string& uri() const override { return uri_; }
  Result<int64_t> Size() override { return Explain(file_->Size(), uri_, file_->uri()); }
  Result<int64_t> ReadAt(int64_t offset, std::span<std::byte> out) override {
    return Explain(file_->ReadAt(offset, out), uri_, file_->uri());
  }
  Result<std::vector<Buffer>> ReadRanges(std::span<const ByteRange> ranges) override {
    return Explain(file_->ReadRanges(ranges), uri_, file_->uri());
  }

 private:
  std::string uri_;
  std::shared_ptr<InputFile> file_;
};

class PrefixOutputFile final : public OutputFile {
 public:
  PrefixOutputFile(std::string_view uri, std::unique_ptr<OutputFile> file)
      : uri_(uri), file_(std::move(file)) {}

  const std::string& uri() const override { return uri_; }
  int64_t bytes_written() const override { return file_->bytes_written(); }
  Status Append(std::span<const std::byte> bytes) override {
    return Explain(file_->Append(bytes), uri_, file_->uri());
  }
  Status Publish() override { return Explain(file_->Publish(), uri_, file_->uri()); }

 private:
  std::string uri_;
  std::unique_ptr<OutputFile> file_;
};

class PrefixFileIO final : public FileIO, public FileRenamer, public LocalPlaces {
 public:
  PrefixFileIO(std::shared_ptr<FileIO> io, std::vector<PrefixRule> rules)
      : io_(std::move(io)), rules_(std::move(rules)) {
    for (PrefixRule& rule : rules_) {
      rule.from = std::string(StripTrailingSlash(rule.from));
      rule.to = std::string(StripTrailingSlash(rule.to));
      FIRN_CHECK(!rule.from.empty() && !rule.to.empty());
    }
    std::stable_sort(rules_.begin(), rules_.end(), [](const PrefixRule& a, const PrefixRule& b) {
      return a.from.size() > b.from.size();
    });
  }

  Result<std::shared_ptr<InputFile>> Open(std::string_view uri,
                                          std::optional<int64_t> known_size) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    FIRN_ASSIGN(std::shared_ptr<InputFile> file, Explain(io_->Open(place, known_size), uri, place));
    if (place == uri) return file;
    return std::make_shared<PrefixInputFile>(uri, std::move(file));
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view uri,
                                             const CreateOptions& options) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    FIRN_ASSIGN(std::unique_ptr<OutputFile> file, Explain(io_->Create(place, options), uri, place));
    if (place == uri) return file;
    return std::make_unique<PrefixOutputFile>(uri, std::move(file));
  }

  Status List(std::string_view uri, const std::function<Status(const FileInfo&)>& visit) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    const PrefixRule* rule = FindRule(uri);
    std::vector<Place> places{{.rule = rule, .uri = place}};
    for (const PrefixRule& inner : rules_) {
      if (IsBelow(inner, uri)) places.push_back({.rule = &inner, .uri = inner.to});
    }
    return ListPlaces(places, visit);
  }

  Result<FileInfo> Stat(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    return Recorded(io_->Stat(place), uri, place);
  }

  Status Delete(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    return Explain(io_->Delete(place), uri, place);
  }

  std::vector<DeleteOutcome> DeleteMany(std::span<const std::string> uris) override {
    std::vector<DeleteOutcome> outcomes(uris.size());
    std::vector<std::string> places;
    std::vector<size_t> positions;
    for (size_t i = 0; i < uris.size(); ++i) {
      Result<std::string> place = Map(uris[i]);
      if (place.ok()) {
        places.push_back(*std::move(place));
        positions.push_back(i);
      } else {
        outcomes[i].status = place.error();
      }
    }
    std::vector<DeleteOutcome> deleted = io_->DeleteMany(places);
    FIRN_CHECK(deleted.size() == positions.size());
    for (size_t k = 0; k < deleted.size(); ++k)
      outcomes[positions[k]] = std::move(deleted[k]);
    for (size_t i = 0; i < uris.size(); ++i)
      outcomes[i].uri = uris[i];
    return outcomes;
  }

  Status Rename(std::string_view from, std::string_view to) override {
    FIRN_ASSIGN(const std::string place, Map(from));
    FIRN_ASSIGN(const std::string new_place, Map(to));
    FIRN_ASSIGN(auto* renamer, RenamerOf(*io_));
    return Explain(renamer->Rename(place, new_place), from, place);
  }

  Result<FileInfo> PreviewRename(std::string_view from, std::string_view to) override {
    FIRN_ASSIGN(const std::string place, Map(from));
    FIRN_ASSIGN(const std::string new_place, Map(to));
    FIRN_ASSIGN(auto* renamer, RenamerOf(*io_));
    return Recorded(renamer->PreviewRename(place, new_place), from, place);
  }

  Result<FileInfo> StatName(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    FIRN_ASSIGN(auto* renamer, RenamerOf(*io_));
    return Recorded(renamer->StatName(place), uri, place);
  }

  std::string FindLocalPlace(std::string_view uri) const override {
    const Result<std::string> place = Map(uri);
    return place.ok() ? firn::FindLocalPlace(*io_, *place) : std::string();
  }

  Result<std::vector<std::string>> ListFolders(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    // Folders of several places are put together from their files.
    if (HasRuleBelow(uri)) return FileIO::ListFolders(uri);
    return Explain(io_->ListFolders(place), uri, place);
  }

  Status CreateFolder(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    return Explain(io_->CreateFolder(place), uri, place);
  }

  Status DeleteFolder(std::string_view uri) override {
    FIRN_ASSIGN(const std::string place, Map(uri));
    return Explain(io_->DeleteFolder(place), uri, place);
  }

 private:
  static bool IsBelow(const PrefixRule& rule, std::string_view folder) {
    return rule.from.size() > folder.size() && IsWithin(rule.from, StripTrailingSlash(folder));
  }

  bool HasRuleBelow(std::string_view folder) const {
    return std::any_of(rules_.begin(), rules_.end(),
                       [&](const PrefixRule& rule) { return IsBelow(rule, folder); });
  }

  // The longest rule that maps `uri`; null if none does.
  const PrefixRule* FindRule(std::string_view uri) const {
    const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const PrefixRule& rule) {
      return IsWithin(uri, rule.from);
    });
    return found == rules_.end() ? nullptr : &*found;
  }

  Result<std::string> Map(std::string_view uri) const {
    if (const PrefixRule* rule = FindRule(uri)) return ReplacePrefix(uri, rule->from, rule->to);
    if (IsAbsoluteUri(uri)) return std::string(uri);
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}': the path is relative, expected an absolute one; say where its first "
                     "part lies with {} = '{}=/folder'",
                     uri, kOptionName, uri.substr(0, uri.rfind('/')));
  }

  // A folder to list and the rule that led there; null if none did.
  struct Place {
    const PrefixRule* rule = nullptr;
    std::string uri;
  };

  // One place is enough for a folder to exist.
  Status ListPlaces(const std::vector<Place>& places,
                    const std::function<Status(const FileInfo&)>& visit) const {
    bool is_found = false;
    std::optional<Error> missing;
    for (const Place& place : places) {
      std::optional<Error> visit_error;
      const Status status = ListPlace(place, [&](const FileInfo& info) {
        Status visited = visit(info);
        if (!visited.ok()) visit_error = visited.error();
        return visited;
      });
      if (status.ok()) {
        is_found = true;
      } else if (visit_error || status.error().code() != ErrorCode::kNotFound) {
        return status;
      } else if (!missing) {
        missing = status.error();
      }
    }
    if (!is_found && missing) return *missing;
    return {};
  }

  // Report the files of `place` under their recorded names. What lies there but is hidden by a
  // longer rule is no file of the recorded tree.
  Status ListPlace(const Place& place, const std::function<Status(const FileInfo&)>& visit) const {
    return io_->List(place.uri, [&](const FileInfo& info) -> Status {
      FileInfo recorded = info;
      if (place.rule != nullptr) {
        recorded.uri = ReplacePrefix(info.uri, place.rule->to, place.rule->from);
      }
      if (FindRule(recorded.uri) != place.rule) return {};
      return visit(recorded);
    });
  }

  std::shared_ptr<FileIO> io_;
  std::vector<PrefixRule> rules_;  // Longest `from` first.
};

}  // namespace

Result<std::vector<PrefixRule>> ParsePrefixRules(std::string_view text) {
  std::vector<PrefixRule> rules;
  if (TrimText(text).empty()) return rules;
  for (const std::string_view piece : SplitText(text, ',')) {
    const std::string_view rule = TrimText(piece);
    const size_t equals = rule.find('=');
    const std::string_view from = StripTrailingSlash(rule.substr(0, equals));
    const std::string_view to =
        equals == std::string_view::npos ? "" : StripTrailingSlash(rule.substr(equals + 1));
    if (from.empty() || to.empty()) {
      return MakeError(ErrorCode::kInvalidInput, "{}: rule is '{}', expected 'old=new[,old=new]'",
                       kOptionName, rule);
    }
    if (std::any_of(rules.begin(), rules.end(),
                    [&](const PrefixRule& other) { return other.from == from; })) {
      return MakeError(ErrorCode::kInvalidInput, "{}: '{}' is mapped twice, expected once",
                       kOptionName, from);
    }
    rules.push_back({.from = std::string(from), .to = std::string(to)});
  }
  return rules;
}

std::shared_ptr<FileIO> MakePrefixFileIO(std::shared_ptr<FileIO> io,
                                         std::vector<PrefixRule> rules) {
  return std::make_shared<PrefixFileIO>(std::move(io), std::move(rules));
}

}  // namespace firn
