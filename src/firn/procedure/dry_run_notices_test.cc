#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "firn/procedure/procedure_testing_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

// What a run tells people that it did, and a dry run that it would do.

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class DryRunNoticesTest : public testing::Test {
 protected:
  std::vector<std::string> Run(const std::string& call_name,
                               const std::map<std::string, std::string>& texts, bool is_dry_run) {
    std::vector<std::string> notices;
    const SessionOptions options{.working_folder = folder_.path(), .home_folder = folder_.path()};
    const auto session = OpenSession(options, {});
    EXPECT_THAT(session, IsOk());
    ProcedureContext context;
    context.session = session->get();
    context.is_dry_run = is_dry_run;
    context.notice = [&](std::string_view line) { notices.emplace_back(line); };
    EXPECT_THAT(RunProcedure(context, call_name, texts), IsOk());
    return notices;
  }

  const TemporaryFolder folder_;
};

TEST_F(DryRunNoticesTest, OfATableThatIsMadeAndForgotten) {
  const std::map<std::string, std::string> made = {{"table", "db.t"}, {"schema", "id int"}};
  EXPECT_THAT(Run("table_create", made, true), ElementsAre("dry run: would create namespace 'db'",
                                                           "dry run: table 'db.t' would be made"));
  EXPECT_THAT(
      Run("table_create", made, false),
      ElementsAre("created namespace 'db'", MatchesRegex("table 'db.t' was made at '.*/db/t'")));
  auto replaced = made;
  replaced["replace"] = "true";
  EXPECT_THAT(Run("table_create", replaced, true),
              ElementsAre("dry run: table 'db.t' would be replaced; its history is kept"));
  EXPECT_THAT(Run("table_drop", {{"table", "db.t"}}, true),
              ElementsAre(MatchesRegex("dry run: table 'db.t' would be forgotten; its files stay: "
                                       "'firn table register db.t .*.json' brings it back")));
  EXPECT_THAT(Run("table_drop", {{"table", "db.t"}}, false),
              ElementsAre(HasSubstr("table 'db.t' was forgotten; its files stay: 'firn table "
                                    "register db.t ")));
}

}  // namespace
}  // namespace firn
