#include <chrono>

#include <gmock/gmock.h>

#include "firn/base/bytes.h"
#include "firn/io/io.h"
#include "firn/procedure/procedure_testing_internal.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

// Whole commands on a machine whose clock is wrong, while the files' times are right.

namespace firn {
namespace {

using std::chrono::days;
using std::chrono::hours;

class DeletionClockTest : public testing::Test {
 protected:
  /// Run a command at a time that is `off` from the true one.
  Status Run(std::chrono::hours off, const std::string& call_name,
             const std::map<std::string, std::string>& texts, bool is_dry_run = false) {
    FakeClock clock(SystemClock().Now() + off);
    SessionOptions options{.working_folder = folder_.path(), .home_folder = folder_.path()};
    options.clock = &clock;
    FIRN_ASSIGN(const auto session, OpenSession(options, {}));
    ProcedureContext context;
    context.session = session.get();
    context.is_dry_run = is_dry_run;
    return RunProcedure(context, call_name, texts);
  }

  void SetUp() override {
    EXPECT_THAT(WriteFile(*io_, folder_.Join("rows.csv"), AsBytes("id\n1\n")), IsOk());
    EXPECT_THAT(
        Run(hours(0), "ingest_csv", {{"sources", folder_.Join("rows.csv")}, {"into", "db.t"}}),
        IsOk());
    EXPECT_THAT(
        WriteFile(*io_, folder_.Join("warehouse/db/t/data/orphan.parquet"), AsBytes("left")),
        IsOk());
  }

  std::vector<std::string> Files() {
    std::vector<std::string> files;
    EXPECT_THAT(io_->List(folder_.Join("warehouse/db/t"),
                          [&](const FileInfo& file) -> Status {
                            files.push_back(file.uri);
                            return {};
                          }),
                IsOk());
    std::sort(files.begin(), files.end());
    return files;
  }

  TemporaryFolder folder_;
  std::unique_ptr<FileIO> io_ = MakeLocalFileIO(SystemRandom());
};

// What was written a moment ago seems to be four days old.
TEST_F(DeletionClockTest, AMachineThatIsDaysAheadRemovesNothing) {
  const auto before = Files();
  const std::map<std::string, std::string> arguments = {{"table", "db.t"}, {"max_fraction", "1"}};
  EXPECT_THAT(Run(days(4), "remove_orphan_files", arguments),
              IsError(ErrorCode::kInvalidInput, "this machine's clock says"));
  EXPECT_EQ(Files(), before);
  // The time of the true clock is what the store says.
  EXPECT_THAT(Run(days(2), "remove_orphan_files", arguments), IsOk());
  EXPECT_EQ(Files(), before);
}

// What was written a moment ago is of the future.
TEST_F(DeletionClockTest, AMachineThatIsDaysBehindRemovesNothing) {
  const auto before = Files();
  for (const bool is_dry_run : {true, false}) {
    EXPECT_THAT(Run(-days(2), "remove_orphan_files",
                    {{"table", "db.t"},
                     {"max_fraction", "1"},
                     {"older_than", "now"},
                     {"allow_recent", "true"}},
                    is_dry_run),
                IsOk());
    EXPECT_EQ(Files(), before);
  }
}

TEST_F(DeletionClockTest, AMachineWhoseClockIsRightRemovesTheOrphan) {
  EXPECT_THAT(Run(hours(0), "remove_orphan_files",
                  {{"table", "db.t"},
                   {"max_fraction", "1"},
                   {"older_than", "now"},
                   {"allow_recent", "true"}}),
              IsOk());
  EXPECT_THAT(FileExists(*io_, folder_.Join("warehouse/db/t/data/orphan.parquet")),
              IsOkAnd(testing::IsFalse()));
}

}  // namespace
}  // namespace firn
