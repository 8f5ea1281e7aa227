#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firn/base/process_identity.h"
#include "firn/maintain/compaction/rewrite_journal_internal.h"

/// Reading journals of rewrites, which others wrote. Errors of all: kCorrupt, with file and place;
/// those of the file system.

namespace firn {

/// Whose a journal is, and what the run writes.
struct JournalOwner {
  std::string table_uuid;
  std::string signature;
  ProcessIdentity process;
  bool is_released = false;
};

/// A data file that a finished group has read.
struct FinishedInput {
  std::string path;
  int64_t sequence_number = 0;
  int64_t bytes = 0;
  std::vector<std::string> deletes;  ///< See DeleteKeysOf.
};

struct FinishedOutput {
  DataFile file;
  int64_t checksum = 0;
};

/// The content of group-<n>.json.
struct FinishedGroup {
  std::vector<FinishedInput> inputs;
  std::vector<FinishedOutput> outputs;
  bool may_be_committed = false;  ///< See GroupResult.
};

/// The folder of a journal as listed.
struct JournalFiles {
  std::map<int64_t, std::vector<std::string>> outputs;  ///< By group: names of notes.
  std::set<int64_t> entries;
  std::vector<std::string> uris;
  std::optional<Timestamp> oldest;  ///< Of all files; empty where the store does not tell.
  std::optional<Timestamp> newest;

  /// Groups that are finished or have begun a file.
  std::set<int64_t> Groups() const {
    std::set<int64_t> groups = entries;
    for (const auto& [group, names] : outputs)
      groups.insert(group);
    return groups;
  }
};

/// The whole text of a file of a journal.
Result<std::string> ReadJournalText(FileIO& io, const std::string& uri);

/// `uri`: of owner.json.
Result<JournalOwner> ReadJournalOwner(FileIO& io, const std::string& uri);

/// Whether the run lives whose journal is at `location`; `owner` is null if its owner.json cannot
/// be read. A lock that is held, or a process that is there, says that it does; a lock that nobody
/// holds, that it does not (decision 0048).
ProcessState FindOwner(FileIO& io, const std::string& location, const JournalOwner* owner);

/// `uri`: of group-<n>.json. A partition spec that `metadata` lacks is kCorrupt.
Result<FinishedGroup> ReadFinishedGroup(FileIO& io, const TableMetadata& metadata,
                                        const std::string& uri);

/// All journals below `location` (see JournalsLocation), by their folders; none if there is no such
/// folder.
Result<std::map<std::string, JournalFiles>> ListJournals(FileIO& io, const std::string& location);

}  // namespace firn
