#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "firn/catalog/other_tables.h"
#include "firn/format/metadata/adopted_folders.h"
#include "firn/ingest/adoption/adoption_claim_internal.h"
#include "firn/ingest/adoption/adoption_place_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

bool IsMetadata(const FileInfo& info) {
  return info.uri.ends_with(".metadata.json") ||
         UriFileName(info.uri) == UriFileName(AdoptionClaimLocation(""));
}

std::string_view ParentOf(std::string_view uri) {
  const size_t slash = uri.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || uri[slash - 1] == '/') return {};
  return uri.substr(0, slash);
}

// The first metadata file below `folder` that `is_wanted`; empty if there is none.
Result<std::string> FindMetadata(FileIO& io, const std::string& folder,
                                 const std::function<bool(const FileInfo&)>& is_wanted) {
  std::string found;
  const Status listed = io.List(folder, [&](const FileInfo& info) -> Status {
    if (!IsMetadata(info) || !is_wanted(info)) return {};
    found = info.uri;
    return Error(ErrorCode::kCancelled, "one is enough");
  });
  if (listed.ok() || !found.empty() || listed.error().code() == ErrorCode::kNotFound) return found;
  return listed.error();
}

Status CheckBelow(FileIO& io, const std::string& folder) {
  const std::string own = JoinUri(folder, "metadata") + "/";
  FIRN_ASSIGN(const std::string found, FindMetadata(io, folder, [&](const FileInfo& info) {
                return !info.uri.starts_with(own);
              }));
  if (found.empty()) return {};
  return MakeError(ErrorCode::kAlreadyExists,
                   "'{}' lies within '{}': it is the metadata of another table, and of two tables "
                   "one in the other each would delete the other's files; name a folder that holds "
                   "no table",
                   found, folder);
}

Status CheckAbove(FileIO& io, const std::string& folder) {
  for (std::string_view above = ParentOf(folder); !above.empty(); above = ParentOf(above)) {
    const std::string metadata = JoinUri(above, "metadata") + "/";
    const auto found = FindMetadata(io, JoinUri(above, "metadata"), [&](const FileInfo& info) {
      // Further below it would be that of a table called "metadata".
      return info.uri.starts_with(metadata) &&
             info.uri.find('/', metadata.size()) == std::string::npos;
    });
    // A folder that is closed to us is that of others.
    if (!found.ok() && found.error().code() == ErrorCode::kPermissionDenied) continue;
    FIRN_RETURN_IF_ERROR(found);
    if (found->empty()) continue;
    return MakeError(ErrorCode::kAlreadyExists,
                     "'{}' lies in the folder of another table, whose metadata is '{}': of two "
                     "tables one in the other each would delete the other's files; if that table "
                     "is gone for good, delete its metadata folder",
                     folder, *found);
  }
  return {};
}

Status CheckCatalog(const IngestContext& context, const RealNames& names, const TableName& own,
                    const std::string& folder) {
  std::mutex mutex;
  std::set<std::string> sharers;
  const auto look = [&](const Table& other) -> Status {
    FIRN_ASSIGN(const auto overlap, FindOverlap(names, {folder}, OwnFolders(*other.metadata)));
    if (overlap) {
      return MakeError(ErrorCode::kAlreadyExists,
                       "table '{}' has files at '{}', which overlaps with '{}': of two tables in "
                       "one place each would delete the other's files; choose another folder",
                       FormatTableName(other.name), overlap->other, folder);
    }
    FIRN_ASSIGN(const auto adopted, ParseAdoptedFolders(other.metadata->properties));
    FIRN_ASSIGN(const auto shared, FindOverlap(names, {folder}, adopted));
    const std::lock_guard lock(mutex);
    if (shared) sharers.insert(FormatTableName(other.name));
    return {};
  };
  const CommitContext& commit = context.change.commit;
  FIRN_RETURN_IF_ERROR(
      VisitOtherTables(*commit.catalog, own, *commit.executor, commit.cancel, look));
  for (const std::string& sharer : sharers) {
    if (!context.notice) break;
    context.notice(
        fmt::format("warning: table '{}' has files below '{}', too: compaction and expiry of the "
                    "new table leave those that it needs, but other catalogs and engines may not",
                    sharer, folder));
  }
  return {};
}

}  // namespace

Status CheckPlaceOfTable(const IngestContext& context, const TableName& own,
                         const std::string& folder) {
  const std::string place(StripTrailingSlash(folder));
  const RealNames names(*context.io);
  FIRN_RETURN_IF_ERROR(CheckCatalog(context, names, own, place));
  FIRN_RETURN_IF_ERROR(CheckBelow(*context.io, place));
  FIRN_RETURN_IF_ERROR(CheckAbove(*context.io, place));
  FIRN_ASSIGN(const std::string real, names.Folder(place));
  return real == CanonicalUriKey(place) ? Status() : CheckAbove(*context.io, real);
}

}  // namespace firn
