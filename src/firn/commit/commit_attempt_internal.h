#pragma once

#include <span>
#include <string>
#include <vector>

#include "firn/commit/commit_loop_internal.h"

namespace firn {

/// What one attempt asks of the catalog: the updates of all steps, made for the table as loaded
/// just before.
class CommitAttempt {
 public:
  /// `number`: 1 is the first. Everything outlives this.
  CommitAttempt(const CommitContext& context, const Table& base, CommitFiles& files, int number)
      : context_(context), base_(base), table_(base), files_(files), number_(number) {}

  /// Stage the next step; `is_last`: none follows. Errors: those of the step's plan and operation;
  /// kNotFound: no such branch; kInvalidInput: a tag, or a table without `write.wap.enabled`;
  /// kAlreadyExists: its WAP id.
  Status Add(const CommitStep& step, bool is_last);

  const std::vector<TableUpdate>& updates() const { return updates_; }
  /// That table and branches are still what the base shows.
  std::vector<TableRequirement> Requirements() const;

 private:
  Status Take(std::vector<TableUpdate> updates, bool is_last);
  Result<CommitBase> BaseOf(const std::string& branch) const;
  Result<Snapshot> Stage(const CommitBase& base, const CommitStep& step);
  void HoldSpecs(const CommitBase& base, const std::vector<ManifestFile>& manifests);
  std::vector<TableUpdate> UpdatesOf(const CommitStep& step, Snapshot snapshot) const;

  const CommitContext& context_;
  const Table& base_;
  Table table_;  // As the updates so far make it.
  CommitFiles& files_;
  int number_;
  std::vector<std::string> branches_;  // Whose heads are counted on.
  std::vector<TableUpdate> updates_;
  std::vector<TableUpdate> holds_;  // Of the step at work: change nothing.
  bool needs_default_spec_ = false;
};

}  // namespace firn
