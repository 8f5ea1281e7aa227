#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "history.h"

namespace firn::preview {

/// Tries commands first and then runs them: a dry run changes no byte, and tells what goes.
class Checks {
 public:
  Checks(Lake& lake, History& history, Random& random, History::Trace trace)
      : lake_(lake), history_(history), random_(random), trace_(std::move(trace)) {}

  /// One command, by chance. What is wrong is kept in `violation`.
  void CheckOne();
  /// The last: nothing is left afterwards.
  void CheckPurge();

  const std::optional<std::string>& violation() const { return violation_; }
  const std::map<std::string, int64_t>& count() const { return count_; }

 private:
  /// A command as it was tried and as it ran.
  struct Pair {
    Answer dry;
    Answer real;
    std::vector<std::string> gone;  ///< Files that were there before the real run.
    std::vector<std::string> come;
    std::map<std::string, int64_t> sizes;  ///< Of all files, before.
  };
  std::optional<Pair> RunBoth(const std::string& command, Texts arguments);

  /// Commands whose rows are the files that they delete.
  void CheckDeletion(const std::string& command, const Texts& arguments);
  /// Commands that take live files out of the table and tell which.
  void CheckRewrite(const std::string& command, const Texts& arguments);
  /// Commands that move a branch or forget a ref: the same row.
  void CheckMove(const std::string& command, const Texts& arguments);
  void CheckOrphans();
  void CheckRestore();

  void CheckExpire();
  void CheckRowChange();
  void CheckRewrites();
  void CheckMoves();

  void Violate(const std::string& command, const std::string& what);
  bool Expect(bool holds, const std::string& command, const std::string& what) {
    if (!holds) Violate(command, what);
    return holds;
  }
  void ExpectSame(const std::string& command, const std::multiset<std::string>& told,
                  const std::multiset<std::string>& found);
  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }

  Lake& lake_;
  History& history_;
  Random& random_;
  History::Trace trace_;
  std::optional<std::string> violation_;
  std::map<std::string, int64_t> count_;
};

}  // namespace firn::preview
