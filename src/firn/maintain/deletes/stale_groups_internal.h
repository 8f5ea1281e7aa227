#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "firn/maintain/deletes/delete_rewrite_internal.h"
#include "firn/maintain/live_branch_internal.h"

namespace firn {

/// Looks for groups of delete files that do not fit a table as it is now: a delete file that was to
/// go is gone; a delete of the group applies to a data file that it did not apply to; or a data
/// file that gets a deletion vector has other deletes by position than were read.
class StaleGroups {
 public:
  /// Both outlive this.
  void Add(const DeleteGroup& group, const DeleteGroupResult& result);

  /// Numbers of the groups. Errors: those of planning.
  Result<std::set<int64_t>> Find(const MaintainContext& context, const LiveBranch& live);

 private:
  struct Part {
    int64_t group = 0;
    bool gets_vector = false;
    std::vector<std::string> deletes;  ///< Those that matter to the group, by DeletesFor.
  };

  std::vector<std::string> DeletesFor(const FileScanTask& task, int64_t group,
                                      bool gets_vector) const;
  Status FindGone(const MaintainContext& context, const LiveBranch& live,
                  std::set<int64_t>& stale) const;
  void Compare(const FileScanTask& task, std::set<int64_t>& stale) const;

  std::unordered_map<std::string, int64_t> inputs_;           ///< Key to group.
  std::unordered_map<std::string, int64_t> taken_out_;        ///< Inputs, and what goes with them.
  std::unordered_map<std::string, std::vector<Part>> parts_;  ///< By path of the data file.
};

}  // namespace firn
