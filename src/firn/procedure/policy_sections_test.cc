#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "firn/base/bytes.h"
#include "firn/io/io.h"
#include "firn/procedure/procedure_testing_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

// What `maintain` and `health` say of a policy and of properties that mean nothing.

namespace firn {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PolicySectionsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"db.events", "db.orders"}) {
      EXPECT_THAT(WriteFile(*io_, folder_.Join("rows.csv"), AsBytes("id\n1\n")), IsOk());
      EXPECT_THAT(Run("ingest_csv", {{"sources", folder_.Join("rows.csv")}, {"into", name}}),
                  IsOk());
    }
  }

  /// Run a command; what it tells people goes to `notices_`.
  Status Run(const std::string& call_name, const std::map<std::string, std::string>& texts,
             bool is_dry_run = false) {
    notices_.clear();
    const SessionOptions options{.working_folder = folder_.path(), .home_folder = folder_.path()};
    FIRN_ASSIGN(const auto session, OpenSession(options, {}));
    ProcedureContext context;
    context.session = session.get();
    context.is_dry_run = is_dry_run;
    context.notice = [this](std::string_view line) { notices_.emplace_back(line); };
    return RunProcedure(context, call_name, texts);
  }

  Status Maintain(const std::string& policy, const std::string& scope = "local") {
    EXPECT_THAT(WriteFile(*io_, folder_.Join("p.toml"), AsBytes(policy)), IsOk());
    return Run("maintain", {{"scope", scope}, {"policy", folder_.Join("p.toml")}}, true);
  }

  TemporaryFolder folder_;
  const std::shared_ptr<FileIO> io_ = MakeLocalFileIO();
  std::vector<std::string> notices_;
};

TEST_F(PolicySectionsTest, TellsOfSectionsThatMatchNothing) {
  for (const char* scope : {"local", "local.db", "db.events"}) {
    EXPECT_THAT(Maintain("[catalog.locl]\nexpire.retain-last = 3\n"
                         "[namespace.'local.dv']\nexpire.retain-last = 3\n"
                         "[table.'local.db.event']\nexpire.retain-last = 3\n"
                         "[table.'local.db.nothing-like-it']\nexpire.retain-last = 3\n"
                         "[table.'events']\nexpire.retain-last = 3\n"
                         "[table.'locl.db.events']\nexpire.retain-last = 3\n",
                         scope),
                IsOk());
    const auto has = [&](const std::string& text) {
      EXPECT_THAT(notices_, Contains(HasSubstr(text))) << scope;
    };
    has("p.toml': section [catalog.'locl'] matches no catalog (did you mean 'local'?)");
    has("section [namespace.'local.dv'] matches no namespace (did you mean 'local.db'?)");
    has("section [table.'local.db.event'] matches no table (did you mean 'local.db.events'?)");
    has("section [table.'local.db.nothing-like-it'] matches no table");
    has("section [table.'events'] matches no table");
    has("section [table.'locl.db.events'] matches no table (did you mean 'local.db.events'?)");
    EXPECT_THAT(notices_.front(), StartsWith("warning: ")) << "before the work";
  }
}

TEST_F(PolicySectionsTest, MeansTheSameToHealth) {
  EXPECT_THAT(WriteFile(*io_, folder_.Join("p.toml"),
                        AsBytes("[table.'local.db.event']\nenabled = false\n")),
              IsOk());
  EXPECT_THAT(Run("health", {{"scope", "local"}, {"policy", folder_.Join("p.toml")}}), IsOk());
  EXPECT_THAT(notices_, Contains(HasSubstr("section [table.'local.db.event'] matches no table")));
  EXPECT_THAT(
      WriteFile(*io_, folder_.Join("p.toml"), AsBytes("[default]\nexpire.retain-last = 0\n")),
      IsOk());
  EXPECT_THAT(Run("health", {{"scope", "local"}, {"policy", folder_.Join("p.toml")}}),
              IsError(ErrorCode::kInvalidInput, "'expire.retain-last' is '0'"));
}

TEST_F(PolicySectionsTest, IsSilentOfSectionsThatMatch) {
  for (const char* scope : {"local", "db", "db.events"}) {
    EXPECT_THAT(Maintain("[default]\nexpire.retain-last = 3\n"
                         "[catalog.local]\nexpire.retain-last = 3\n"
                         "[namespace.'local.db']\nexpire.retain-last = 3\n"
                         "[table.'local.db.orders']\nexpire.retain-last = 3\n"
                         "[table.'local.db.events']\nexpire.retain-last = 3\n",
                         scope),
                IsOk());
    EXPECT_THAT(notices_, Not(Contains(HasSubstr("warning")))) << scope;
  }
}

TEST_F(PolicySectionsTest, TakesNamesAsCommandsDo) {
  EXPECT_THAT(Maintain("[namespace.db]\nsteps = ['expire']\n"
                       "[table.'db.events']\nenabled = false\n"
                       "[table.'db.event']\nenabled = false\n"),
              IsOk());
  EXPECT_THAT(notices_, Contains(HasSubstr("section [table.'db.event'] matches no table (did you "
                                           "mean 'local.db.events'?)")));
  EXPECT_THAT(notices_, Not(Contains(HasSubstr("[namespace.'db']"))));
  EXPECT_THAT(notices_, Not(Contains(HasSubstr("[table.'db.events']"))));
}

TEST_F(PolicySectionsTest, RefusesValuesBeforeAnyWork) {
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {"expire.older-than = '1 day'", "'1 day', expected a duration such as 7d"},
           {"steps = ['compaction']", "'compaction', expected some of "},
           {"budget.seconds = '10m'", "'10m', expected a number from 0"},
           {"compact.delete-ratio-threshold = 30", "'30', expected a number from 0 to 1"},
           {"compact.target-file-size-bytes = '128MB'", "'128MB', expected a number of 1"}}) {
    EXPECT_THAT(Maintain("[default]\nenabled = true\n[table.'local.db.nothing']\n" + line),
                IsError(ErrorCode::kInvalidInput, "p.toml line 4: "));
    EXPECT_THAT(Maintain("[default]\n" + line), IsError(ErrorCode::kInvalidInput, message));
  }
}

TEST_F(PolicySectionsTest, RefusesAnUnknownKeyWhereItStandsThoughItsSectionMatchesNothing) {
  EXPECT_THAT(Maintain("[default]\nenabled = true\n"
                       "[table.'local.db.event']\nexpire.retain-lst = 3\n"),
              IsError(ErrorCode::kInvalidInput,
                      "p.toml line 4: unknown key 'expire.retain-lst' (did you mean "
                      "'expire.retain-last'?), expected one of budget.bytes,"));
}

TEST_F(PolicySectionsTest, TellsOfPropertiesThatMeanNothing) {
  ASSERT_THAT(
      Run("table_set", {{"table", "db.events"}, {"properties", "firn.maintain.expire.retain=3"}}),
      IsOk());
  for (const char* command : {"maintain", "health"}) {
    EXPECT_THAT(Run(command, {{"scope", "db.events"}}, true),
                IsError(ErrorCode::kInvalidInput,
                        "db.events: maintenance policy: unknown key 'firn.maintain.expire.retain'"))
        << command << ": what a policy means that nobody understands is not done";
  }
  ASSERT_THAT(Run("table_set", {{"table", "db.orders"},
                                {"properties", "firn.maintenance.expire.retain-last=3"}}),
              IsOk());
  for (const char* command : {"maintain", "health"}) {
    EXPECT_THAT(Run(command, {{"scope", "db.orders"}}, true), IsOk());
    EXPECT_THAT(notices_,
                Contains(HasSubstr("db.orders: the property 'firn.maintenance.expire.retain-last' "
                                   "means nothing; keys of maintenance begin with "
                                   "'firn.maintain.'")))
        << command;
  }
}

}  // namespace
}  // namespace firn
