#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/content_folders.h"
#include "firn/maintain/file_to_delete.h"
#include "firn/maintain/maintain_context.h"

/// Files below a table's location that the table does not know go: what failed and killed writers
/// left behind. Cautious in every respect, since what a writer has not committed yet looks the same
/// but for its age.

namespace firn {

/// What is done about a file that would be the table's if its scheme and authority were others.
enum class PrefixMismatch {
  kError,   ///< Nothing is removed; the error lists the pairs.
  kIgnore,  ///< The file stays.
  kDelete,  ///< It is an orphan.
};

struct RemoveOrphanFilesOptions {
  Timestamp now{};
  /// Only files last modified before this go. Empty: three days before `now`.
  std::optional<Timestamp> older_than;
  bool allows_recent = false;  ///< `older_than` may be less than a day before `now`.
  std::string location;        ///< The folder that is looked through; empty: the table's.
  /// A file of lines `path,time` (RFC 4180, with or without a header) instead of a listing: its
  /// files below `location` are looked at.
  std::string file_list;
  std::map<std::string, std::string> equal_schemes;  ///< See FilePrefixes; s3a and s3n are s3.
  std::map<std::string, std::string> equal_authorities;
  PrefixMismatch prefix_mismatch = PrefixMismatch::kError;
  /// If more than this share of the files found, by count, would go, none does.
  double max_fraction = 0.5;
  /// Move the files to `_firn_quarantine/<run>` below `location` instead of deleting them.
  bool quarantines = false;
  int64_t max_concurrent_deletes = 0;  ///< 0: as many as the executor runs.
  bool only_metadata = false;          ///< Only metadata files (`….metadata.json`) are looked at.
  /// What earlier runs of the same job found out about where the catalog's tables have their files;
  /// null: nothing.
  std::shared_ptr<ContentFolders> content_folders;
};

/// Orphans that were found; what there are many of may lie on disk.
class OrphanFiles {
 public:
  virtual ~OrphanFiles() = default;
  /// Files that were looked at, each once, however often the store lists it.
  virtual int64_t listed_count() const = 0;
  virtual int64_t orphan_count() const = 0;
  virtual int64_t orphan_bytes() const = 0;  ///< Unknown ones of a file list are 0.
  /// Set if there are too many for `max_fraction`.
  virtual const std::optional<Error>& refusal() const = 0;
  /// What runs that were killed had written to learn the time of the store.
  virtual const std::vector<std::string>& old_probes() const = 0;
  /// Journals of rewrites that were killed, and that nobody took up before they were too old for
  /// it. Their files are hidden, and in none of the counts.
  virtual int64_t ended_journal_count() const = 0;
  /// Remove these journals, as far as that succeeds; return how many are gone.
  virtual int64_t RemoveEndedJournals() = 0;
  /// In no order. May be called again.
  virtual Status Visit(const std::function<Status(FileToDelete)>& visit) = 0;
};

/// Look for orphans; change nothing. Files that are hidden, as Spark has it, are left out: those
/// whose name, or a folder of theirs below `location`, begins with `_` or `.`, but for folders of
/// partition fields that do. So is what has no known age. A file of the future by this machine's
/// clock is too young as others are, and a warning tells of it. If there are any, all tables of the
/// catalog are asked whether they have files in `location`, going by their manifests: these stay.
///
/// Errors  kInvalidInput: gc.enabled is false, `older_than` is too late, another table lives below
///         `location`, or prefixes do not match; nothing goes. Others: the listing is incomplete,
///         or metadata cannot be read; nothing goes.
Result<std::unique_ptr<OrphanFiles>> FindOrphanFiles(const MaintainContext& context,
                                                     const Table& table,
                                                     const RemoveOrphanFilesOptions& options);

struct RemoveOrphanFilesResult {
  std::shared_ptr<OrphanFiles> files;  ///< What was to go, also where it failed.
  int64_t removed_count = 0;
  int64_t removed_journal_count = 0;
  int64_t failed_count = 0;
  std::optional<Error> first_failure;
  std::string quarantine_run;  ///< Empty: nothing was moved.
};

/// Find orphans and delete them, or move them into quarantine. Ended journals are always deleted.
///
/// Errors  those of FindOrphanFiles and its refusal; kInvalidInput if the clocks of this machine
///         and of the store differ by more than an hour. Nothing goes.
Result<RemoveOrphanFilesResult> RemoveOrphanFiles(const MaintainContext& context,
                                                  const Table& table,
                                                  const RemoveOrphanFilesOptions& options);

}  // namespace firn
