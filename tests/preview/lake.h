#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/procedure/procedure.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/temporary_folder.h"

namespace firn::preview {

using Row = std::map<std::string, std::string>;  ///< Text by column; null: missing.
using Texts = std::map<std::string, std::vector<std::string>>;

/// What a command gave.
struct Answer {
  std::vector<Row> rows;
  std::vector<std::string> lines;  ///< The rows as printed, sorted.
  std::vector<std::string> notices;
  std::optional<Error> error;
};

/// A catalog with one table, db.t, in a folder of its own. Each command runs in a session of its
/// own, as in a process.
class Lake {
 public:
  Lake(Random& random, bool is_hadoop);

  /// `command` as on the command line: "table drop"; `arguments` by their names.
  Answer Run(const std::string& command, const Texts& arguments, bool is_dry_run = false);

  /// Delete rows by id and kind with equality delete files, which no command does.
  Status DeleteByKey(const std::vector<std::pair<int64_t, std::string>>& keys);

  /// Where tables and the catalog lie.
  std::string warehouse() const { return folder_.Join("warehouse"); }
  std::string Join(const std::string& name) const { return folder_.Join(name); }
  FakeClock& clock() { return clock_; }

 private:
  Result<std::unique_ptr<Session>> Open();
  Status RunInto(Answer& answer, const std::string& command, const Texts& arguments,
                 bool is_dry_run);

  Random& random_;
  const bool is_hadoop_;
  TemporaryFolder folder_;
  FakeClock clock_;
};

/// Without scheme: as the local file system calls it.
std::string PathOf(const std::string& uri);

/// The text of a column, or nothing.
std::string TextOf(const Row& row, const std::string& column);

}  // namespace firn::preview
