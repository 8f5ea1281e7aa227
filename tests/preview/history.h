#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lake.h"

namespace firn::preview {

/// Makes a random table, and has random things happen to it.
class History {
 public:
  using Trace = std::function<void(const std::string&)>;
  History(Lake& lake, Random& random, Trace trace);

  /// Make the table. Errors: a failure of firn.
  Status Begin();
  /// One step. What does not fit the table is refused, which is no failure.
  Status Step();
  /// Leave files behind that the table does not know, of many names and ages, after all that there
  /// is was made ten days old.
  void PlantOrphans();

  const std::string& setting() const { return setting_; }
  /// A snapshot of the table; empty: it has none.
  std::string ChooseSnapshot();
  /// Ids below 40, as many as the table has, more or less.
  std::string ChooseCondition();
  std::string WriteRows(int64_t count_max);

 private:
  Answer Do(const std::string& command, const Texts& arguments);
  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }
  std::string ChooseMode();
  std::string ChooseBranch();
  Status StepOfRows();
  Status StepOfTable();

  Lake& lake_;
  Random& random_;
  Trace trace_;
  std::string setting_;
  std::vector<std::string> branches_ = {"main"};
  int64_t file_count_ = 0;
  int64_t ref_count_ = 0;
};

}  // namespace firn::preview
