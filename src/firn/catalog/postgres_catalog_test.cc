#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "firn/catalog/catalog_contract.h"
#include "firn/catalog/sql_database_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using Words = std::vector<std::string>;

pid_t Spawn(const Words& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

bool Run(const Words& words) {
  int status = -1;
  const pid_t process = Spawn(words);
  return process > 0 && waitpid(process, &status, 0) == process && status == 0;
}

// The newest installed server's programs; empty if there is none.
std::string FindPrograms() {
  std::string found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const auto programs = entry.path() / "bin";
    if (std::filesystem::exists(programs / "initdb", ignored)) found = programs.string();
  }
  return found;
}

// A server of its own for this program, reached through a socket in its folder.
class PostgresServer {
 public:
  PostgresServer() {
    const std::string programs = FindPrograms();
    if (programs.empty()) return;
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
    const std::string data = folder_.Join("data");
    Words user;  // It refuses to run as root.
    if (geteuid() == 0) user = {"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"};
    Words initdb = user;
    for (const char* word :
         {"-U", "iceberg", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"})
      initdb.emplace_back(word);
    initdb.insert(initdb.begin() + static_cast<std::ptrdiff_t>(user.size()), programs + "/initdb");
    initdb.push_back(data);
    if (!Run(initdb)) return;
    Words server = user;
    for (const std::string& word :
         {programs + "/postgres", std::string("-D"), data, std::string("-k"), folder_.path(),
          std::string("-c"), std::string("listen_addresses="), std::string("-c"),
          std::string("fsync=off"), std::string("-c"), std::string("shared_buffers=16MB")})
      server.push_back(word);
    process_ = Spawn(server);
    WaitUntilReady();
  }
  ~PostgresServer() {
    if (process_ <= 0) return;
    kill(process_, SIGINT);
    waitpid(process_, nullptr, 0);
  }

  bool is_ready() const { return is_ready_; }
  std::string uri() const { return "postgresql://iceberg@/postgres?host=" + folder_.path(); }

 private:
  void WaitUntilReady() {
    constexpr int kTries = 600;
    for (int i = 0; i < kTries && !is_ready_; ++i) {
      const auto database = MakePostgresDatabase({{"dbname", uri()}});
      is_ready_ = database->Read("SELECT 1", {}).ok();
      if (!is_ready_) (void)SystemClock().Sleep(std::chrono::milliseconds(50), {});
    }
  }

  TemporaryFolder folder_;
  pid_t process_ = -1;
  bool is_ready_ = false;
};

// Started by the first test that needs it, stopped when the program ends.
PostgresServer& Server() {
  static PostgresServer server;
  return server;
}

CatalogUnderTest MakePostgres() {
  static int count = 0;
  CatalogUnderTest under_test;
  if (!Server().is_ready()) return under_test;
  under_test.clock = std::make_shared<FakeClock>();
  under_test.io = MakeMemoryFileIO(*under_test.clock);
  CatalogConfig config;
  config.name = "lake" + std::to_string(++count);  // Each test has a catalog of its own.
  config.type = "sql";
  config.properties = {{"uri", Server().uri()}, {"warehouse", "memory:/wh"}};
  config.io = under_test.io;
  config.clock = under_test.clock.get();
  config.random = &SystemRandom();
  under_test.open = [config] { return std::shared_ptr<Catalog>(OpenCatalog(config).value()); };
  return under_test;
}

INSTANTIATE_TEST_SUITE_P(Postgres, CatalogContract,
                         testing::Values(CatalogContractCase{"Postgres", MakePostgres}),
                         [](const auto& test) { return test.param.name; });

class PostgresDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Server().is_ready()) GTEST_SKIP() << "no PostgreSQL server is installed";
    database_ = MakePostgresDatabase({{"dbname", Server().uri()}});
  }
  std::unique_ptr<SqlDatabase> database_;
};

TEST_F(PostgresDatabaseTest, TellsErrorsApart) {
  EXPECT_THAT(database_->Read("SELECT * FROM missing", {}), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(database_->Write("CREATE TABLE IF NOT EXISTS k (a VARCHAR(3) PRIMARY KEY)", {}),
              IsOk());
  const SqlValue key[] = {"x'?"};
  ASSERT_THAT(database_->Write("INSERT INTO k VALUES (?)", key), IsOk());
  EXPECT_THAT(database_->Write("INSERT INTO k VALUES (?)", key),
              IsError(ErrorCode::kAlreadyExists));
  const SqlValue long_key[] = {"four"};
  EXPECT_THAT(database_->Write("INSERT INTO k VALUES (?)", long_key),
              IsError(ErrorCode::kInvalidInput, "too long"));
  EXPECT_THAT(database_->Read("SELECT no_such_column FROM k", {}), IsError(ErrorCode::kNotFound));
  const auto rows = database_->Read("SELECT a, NULL FROM k", {});
  ASSERT_THAT(rows, IsOk());
  EXPECT_THAT(rows->rows,
              testing::ElementsAre(testing::ElementsAre(SqlValue("x'?"), std::nullopt)));
}

TEST_F(PostgresDatabaseTest, TellsWhetherATableMayBeChangedWithoutChangingIt) {
  ASSERT_THAT(database_->Write("CREATE TABLE IF NOT EXISTS m (a INT, b INT)", {}), IsOk());
  ASSERT_THAT(database_->Write("INSERT INTO m VALUES (1, 2)", {}), IsOk());
  EXPECT_THAT(database_->CheckWritable("m", "a"), IsOk());
  // As on a stand-by server.
  ASSERT_THAT(database_->Read("SET default_transaction_read_only = on", {}), IsOk());
  EXPECT_THAT(database_->CheckWritable("m", "a"),
              IsError(ErrorCode::kPermissionDenied, "read-only"));
  ASSERT_THAT(database_->Read("SET default_transaction_read_only = off", {}), IsOk());
  ASSERT_THAT(database_->Write("CREATE ROLE reader", {}), IsOk());
  ASSERT_THAT(database_->Write("GRANT SELECT ON m TO reader", {}), IsOk());
  ASSERT_THAT(database_->Read("SET ROLE reader", {}), IsOk());
  EXPECT_THAT(database_->CheckWritable("m", "a"),
              IsError(ErrorCode::kPermissionDenied, "permission denied"));
}

TEST_F(PostgresDatabaseTest, ConnectsAnewAfterTheServerClosedTheConnection) {
  const std::string pid = *database_->Read("SELECT pg_backend_pid()", {})->rows[0][0];
  const auto other = MakePostgresDatabase({{"dbname", Server().uri()}});
  const auto end = [&](const SqlValue& backend) {
    const SqlValue parameters[] = {backend};
    ASSERT_THAT(other->Read("SELECT pg_terminate_backend(CAST(? AS INTEGER), 10000)", parameters),
                IsOk());
  };
  end(pid);
  EXPECT_THAT(database_->Read("SELECT 1", {}), IsOk());

  end(database_->Read("SELECT pg_backend_pid()", {})->rows[0][0]);
  // A write is not repeated by itself: it may have happened.
  const auto lost = database_->Write("CREATE TABLE IF NOT EXISTS other (a INT)", {});
  EXPECT_FALSE(lost.ok());
  EXPECT_THAT(database_->Write("CREATE TABLE IF NOT EXISTS other (a INT)", {}), IsOk());
}

TEST(PostgresUnreachableTest, SaysThatTheServerCannotBeReached) {
  const auto database = MakePostgresDatabase(
      {{"dbname", "postgresql://u:secret@/d?host=/nonexistent"}, {"connect_timeout", "2"}});
  const auto result = database->Read("SELECT 1", {});
  EXPECT_THAT(result, IsError(ErrorCode::kUnavailable, "PostgreSQL"));
  EXPECT_THAT(result.error().message(), testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace firn
