#include <filesystem>

#include <sqlite3.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "firn/catalog/catalog_contract.h"
#include "firn/catalog/commit_check.h"
#include "firn/catalog/pointer_catalog.h"
#include "firn/catalog/sql_store_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

CatalogConfig MakeConfig(const std::string& name, const std::string& uri,
                         const std::string& warehouse, std::shared_ptr<FileIO> io, Clock& clock) {
  CatalogConfig config;
  config.name = name;
  config.type = "jdbc";
  config.properties = {{"uri", uri}, {"warehouse", warehouse}};
  config.io = std::move(io);
  config.clock = &clock;
  config.random = &SystemRandom();
  return config;
}

CatalogUnderTest MakeSqlite(const Properties& extra) {
  const auto folder = std::make_shared<TemporaryFolder>();
  CatalogUnderTest under_test;
  under_test.owner = folder;
  under_test.clock = std::make_shared<FakeClock>();
  under_test.io = MakeLocalFileIO();
  CatalogConfig config = MakeConfig("lake", "sqlite:" + folder->Join("wh/catalog.db"),
                                    folder->Join("wh"), under_test.io, *under_test.clock);
  for (const auto& [key, value] : extra)
    config.properties[key] = value;
  under_test.open = [config] { return std::shared_ptr<Catalog>(OpenCatalog(config).value()); };
  return under_test;
}

INSTANTIATE_TEST_SUITE_P(
    Sql, CatalogContract,
    testing::Values(CatalogContractCase{"Sqlite", [] { return MakeSqlite({}); }},
                    CatalogContractCase{
                        "SqliteV0", [] { return MakeSqlite({{"jdbc.schema-version", "V0"}}); }}),
    [](const auto& test) { return test.param.name; });

// Loses the answers of some statements.
class LossyDatabase final : public SqlDatabase {
 public:
  struct Script {
    int answers_lost = 0;          ///< Of the next writes.
    bool is_done = true;           ///< Lost writes happen all the same.
    bool is_down = false;          ///< After a lost write nothing can be read.
    std::function<void()> then;    ///< Called after each of them.
    std::function<void()> before;  ///< Called once, before the next write.
  };
  LossyDatabase(std::unique_ptr<SqlDatabase> database, Script& script)
      : database_(std::move(database)), script_(script) {}

  bool exists() override { return database_->exists(); }
  Result<SqlResult> Read(std::string_view sql, std::span<const SqlValue> parameters) override {
    if (script_.is_down && was_lost_) return MakeError(ErrorCode::kUnavailable, "it is down");
    return database_->Read(sql, parameters);
  }
  Result<SqlResult> Write(std::string_view sql, std::span<const SqlValue> parameters) override {
    if (script_.before) std::exchange(script_.before, nullptr)();
    if (script_.answers_lost == 0) return database_->Write(sql, parameters);
    --script_.answers_lost;
    was_lost_ = true;
    if (script_.is_done) FIRN_RETURN_IF_ERROR(database_->Write(sql, parameters));
    if (script_.then) script_.then();
    return MakeError(ErrorCode::kCommitUnknown, "the connection broke");
  }
  Status CheckWritable(std::string_view table, std::string_view column) override {
    return database_->CheckWritable(table, column);
  }

 private:
  std::unique_ptr<SqlDatabase> database_;
  Script& script_;
  bool was_lost_ = false;
};

class SqlCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    sqlite_ = OpenCatalog(Config("lake")).value();
    SqlStoreOptions options;
    options.catalog_name = "lake";
    lossy_ = MakePointerCatalog(
        Config("lake"),
        MakeSqlStore(std::make_unique<LossyDatabase>(MakeSqliteDatabase(file_), script_), options));
  }

  CatalogConfig Config(const std::string& name) {
    return MakeConfig(name, "jdbc:sqlite:" + file_, folder_.Join("wh"), io_, clock_);
  }

  // Run SQL directly; the rows with '|' between their values.
  std::vector<std::string> Sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    std::vector<std::string> rows;
    const auto add_row = [](void* out, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i)
        row += (i == 0 ? "" : "|") + std::string(values[i] ? values[i] : "NULL");
      static_cast<std::vector<std::string>*>(out)->push_back(row);
      return 0;
    };
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), add_row, &rows, &message), SQLITE_OK) << message;
    sqlite3_close(handle);
    return rows;
  }

  Table MakeTable(Catalog& catalog) {
    EXPECT_THAT(catalog.CreateNamespace({"db"}, {}), IsOk());
    CreateTableRequest request;
    NestedField field;
    field.id = 1;
    field.name = "id";
    field.type = Type::Primitive(TypeId::kLong);
    request.schema = Schema(0, {field});
    return catalog.Create(kName, request).value();
  }

  static Result<Table> Commit(Catalog& catalog, const std::string& value) {
    const std::vector<TableUpdate> updates = {SetProperties{{{"a", value}}}};
    return catalog.Commit(kName, {}, updates);
  }

  inline static const TableName kName{{"db"}, "t"};
  TemporaryFolder folder_;
  const std::string file_ = folder_.Join("catalog.db");
  FakeClock clock_;
  std::shared_ptr<FileIO> io_ = MakeLocalFileIO();
  LossyDatabase::Script script_;
  std::shared_ptr<Catalog> sqlite_;
  std::unique_ptr<Catalog> lossy_;
};

TEST_F(SqlCatalogTest, TellsOfAFileThatCanOnlyBeReadBeforeAnythingIsCommitted) {
  const Table table = MakeTable(*sqlite_);
  EXPECT_THAT(CheckCanCommit(*sqlite_, table), IsOk());
  sqlite_.reset();
  lossy_.reset();
  using std::filesystem::perms;
  for (std::string folder = file_; folder != folder_.path();) {
    folder = std::filesystem::path(folder).parent_path().string();
    std::filesystem::permissions(folder, perms::all);
  }
  std::filesystem::permissions(file_, perms::owner_read | perms::group_read | perms::others_read);
  const bool is_superuser = geteuid() == 0;  // Who may write whatever the file says.
  constexpr uid_t kNobody = 65534;
  if (is_superuser) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  const auto catalog = OpenCatalog(Config("lake")).value();
  const auto checked = CheckCanCommit(*catalog, table);
  ASSERT_EQ(seteuid(getuid()), 0);
  EXPECT_THAT(checked, IsError(ErrorCode::kPermissionDenied, "can only be read"));
}

TEST_F(SqlCatalogTest, LeavesNoTraceOfMereReading) {
  EXPECT_THAT(sqlite_->ListNamespaces({}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(sqlite_->Load(kName), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(sqlite_->Drop(kName), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(FileExists(*io_, file_), IsOkAnd(false));
}

TEST_F(SqlCatalogTest, WritesTheRowsThatJavaAndPyIcebergExpect) {
  const Table table = MakeTable(*sqlite_);
  ASSERT_THAT(sqlite_->CreateNamespace({"db", "in ner"}, {{"owner", "ann"}}), IsOk());

  EXPECT_THAT(Sql("SELECT * FROM iceberg_tables"),
              ElementsAre("lake|db|t|" + table.metadata_location + "|NULL|TABLE"));
  EXPECT_THAT(
      Sql("SELECT * FROM iceberg_namespace_properties ORDER BY 1, 2, 3"),
      ElementsAre("lake|db|exists|true", "lake|db.in ner|exists|true", "lake|db.in ner|owner|ann"));
  const auto next = Commit(*sqlite_, "1");
  ASSERT_THAT(next, IsOk());
  EXPECT_THAT(Sql("SELECT metadata_location, previous_metadata_location FROM iceberg_tables"),
              ElementsAre(next->metadata_location + "|" + table.metadata_location));
  EXPECT_THAT(Sql("PRAGMA journal_mode"), ElementsAre("wal"));
  EXPECT_THAT(table.metadata_location, testing::HasSubstr("/wh/db/t/metadata/00000-"));
  EXPECT_THAT(next->metadata_location, testing::HasSubstr("/wh/db/t/metadata/00001-"));
}

TEST_F(SqlCatalogTest, UsesAnOldDatabaseAsItIs) {
  Sql("CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace "
      "VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
      "previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, "
      "table_name))");
  Sql("CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace "
      "VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000), PRIMARY KEY "
      "(catalog_name, namespace, property_key))");
  MakeTable(*sqlite_);
  EXPECT_THAT(Sql("SELECT count(*) FROM pragma_table_info('iceberg_tables')"), ElementsAre("5"));

  CatalogConfig config = Config("lake");
  config.properties["jdbc.schema-version"] = "V1";
  const auto upgraded = OpenCatalog(config).value();
  EXPECT_THAT(Commit(*upgraded, "1"), IsOk());
  ASSERT_THAT(upgraded->CreateNamespace({"other"}, {}), IsOk());
  EXPECT_THAT(Sql("SELECT iceberg_type FROM iceberg_tables"), ElementsAre("NULL"));
  EXPECT_THAT(upgraded->ListTables({"db"}), IsOkAnd(ElementsAre(kName)));
  EXPECT_THAT(Commit(*OpenCatalog(Config("lake")).value(), "2"), IsOk());
}

TEST_F(SqlCatalogTest, LooksAtTablesOnlyWhereViewsAreToo) {
  MakeTable(*sqlite_);
  Sql("INSERT INTO iceberg_tables VALUES ('lake', 'db', 'v', 'x', NULL, 'VIEW'), "
      "('lake', 'views', 'w', 'x', NULL, 'VIEW')");

  EXPECT_THAT(sqlite_->ListTables({"db"}), IsOkAnd(ElementsAre(kName)));
  EXPECT_THAT(sqlite_->Load({{"db"}, "v"}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(sqlite_->Drop({{"db"}, "v"}), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(sqlite_->Rename(kName, {{"db"}, "v"}), IsError(ErrorCode::kAlreadyExists));
  // But a namespace with a view in it exists and is not empty.
  EXPECT_THAT(sqlite_->ListTables({"views"}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(sqlite_->DropNamespace({"views"}), IsError(ErrorCode::kInvalidInput, "'w'"));
}

TEST_F(SqlCatalogTest, TellsOfOtherCatalogsInTheDatabase) {
  MakeTable(*sqlite_);
  const auto other = OpenCatalog(Config("other")).value();
  EXPECT_THAT(other->ListNamespaces({}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(other->Load(kName), IsError(ErrorCode::kNotFound, "'lake'"));
  CatalogConfig config = Config("other");
  config.properties["catalog-name"] = "lake";
  EXPECT_THAT(OpenCatalog(config).value()->Load(kName), IsOk());
}

TEST_F(SqlCatalogTest, SeesANamespaceThatOnlyATableNames) {
  const Table table = MakeTable(*sqlite_);
  Sql("INSERT INTO iceberg_tables VALUES ('lake', 'only.here', 't', '" + table.metadata_location +
      "', NULL, NULL), ('lake', 'ONLY', 't', 'x', NULL, NULL)");
  EXPECT_THAT(sqlite_->ListNamespaces({"only"}), IsOkAnd(ElementsAre(Namespace{"only", "here"})));
  EXPECT_THAT(sqlite_->Load({{"only", "here"}, "t"}), IsOk());
  EXPECT_THAT(sqlite_->LoadNamespace({"only", "here"}), IsOkAnd(IsEmpty()));
}

TEST_F(SqlCatalogTest, RefusesWhatItsTablesCannotHold) {
  EXPECT_THAT(sqlite_->CreateNamespace({"a.b"}, {}), IsError(ErrorCode::kInvalidInput, "dot"));
  EXPECT_THAT(sqlite_->CreateNamespace({"a"}, {{"exists", "no"}}),
              IsError(ErrorCode::kInvalidInput, "reserved"));
  EXPECT_THAT(sqlite_->Create({{}, "t"}, {}), IsError(ErrorCode::kNotFound));
}

TEST_F(SqlCatalogTest, FindsThatALostCommitHappened) {
  MakeTable(*sqlite_);
  script_.answers_lost = 1;
  const auto table = Commit(*lossy_, "1");
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(sqlite_->Load(kName)->metadata_location, table->metadata_location);
  EXPECT_GT(clock_.slept(), std::chrono::milliseconds(500));
}

TEST_F(SqlCatalogTest, FindsItsLostCommitBelowThatOfAnotherWriter) {
  MakeTable(*sqlite_);
  script_.answers_lost = 1;
  script_.then = [this] { ASSERT_THAT(Commit(*sqlite_, "other"), IsOk()); };
  const auto table = Commit(*lossy_, "1");
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->metadata->Property("a", ""), "1");
  EXPECT_EQ(sqlite_->Load(kName)->metadata->Property("a", ""), "other");
  EXPECT_THAT(FileExists(*io_, table->metadata_location), IsOkAnd(true));
}

// B71: a writer that stops between the check of its requirements and its statement changes no row
// where another one came first: that is a conflict, and all is checked again.
TEST_F(SqlCatalogTest, AWriterThatIsOvertakenBeforeItsStatementChecksAgain) {
  MakeTable(*sqlite_);
  script_.before = [this] { ASSERT_THAT(Commit(*sqlite_, "other"), IsOk()); };
  const std::vector<TableUpdate> mine = {SetProperties{{{"b", "mine"}}}};
  ASSERT_THAT(lossy_->Commit(kName, {}, mine), IsOk());
  const auto both = sqlite_->Load(kName);
  EXPECT_EQ(both->metadata->Property("a", ""), "other");
  EXPECT_EQ(both->metadata->Property("b", ""), "mine");
  EXPECT_THAT(both->metadata->metadata_log, SizeIs(2));

  // The other one breaks what this one counts on.
  script_.before = [this] {
    Snapshot snapshot;
    snapshot.snapshot_id = 7;
    snapshot.sequence_number = 1;
    snapshot.timestamp = clock_.Now();
    snapshot.manifest_list = folder_.Join("list.avro");
    snapshot.operation = "append";
    const std::vector<TableUpdate> rows = {
        AddSnapshot{snapshot}, SetSnapshotRef{std::string(kMainBranch), {.snapshot_id = 7}}};
    ASSERT_THAT(sqlite_->Commit(kName, {}, rows), IsOk());
  };
  const std::vector<TableRequirement> no_snapshot = {
      AssertRefSnapshotId{std::string(kMainBranch), std::nullopt}};
  const std::vector<TableUpdate> late = {SetProperties{{{"b", "late"}}}};
  EXPECT_THAT(lossy_->Commit(kName, no_snapshot, late), IsError(ErrorCode::kCommitConflict));
  EXPECT_EQ(sqlite_->Load(kName)->metadata->Property("b", ""), "mine");
}

TEST_F(SqlCatalogTest, CommitsAgainWhenTheLostStatementDidNothing) {
  MakeTable(*sqlite_);
  script_.answers_lost = 2;
  script_.is_done = false;
  ASSERT_THAT(Commit(*lossy_, "1"), IsOk());
  EXPECT_EQ(sqlite_->Load(kName)->metadata->Property("a", ""), "1");
}

TEST_F(SqlCatalogTest, FindsThatALostCommitLostToAnotherWriter) {
  MakeTable(*sqlite_);
  script_.answers_lost = 1;
  script_.is_done = false;
  script_.then = [this] { ASSERT_THAT(Commit(*sqlite_, "other"), IsOk()); };
  // The change is made again on top of the other writer's.
  const auto table = Commit(*lossy_, "1");
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(table->metadata->metadata_log, SizeIs(2));
}

TEST_F(SqlCatalogTest, KeepsTheFileOfACommitWhoseOutcomeIsUnknown) {
  const Table table = MakeTable(*sqlite_);
  script_.answers_lost = 1;
  script_.is_down = true;
  EXPECT_THAT(Commit(*lossy_, "1"), IsError(ErrorCode::kCommitUnknown, table.metadata_location));
  EXPECT_EQ(sqlite_->Load(kName)->metadata->Property("a", ""), "1");
}

TEST_F(SqlCatalogTest, FindsThatALostCreationHappened) {
  ASSERT_THAT(sqlite_->CreateNamespace({"db"}, {}), IsOk());
  script_.answers_lost = 1;
  CreateTableRequest request;
  request.location = folder_.Join("own");
  ASSERT_THAT(lossy_->Create(kName, request), IsOk());
  EXPECT_EQ(sqlite_->Load(kName)->metadata->location, folder_.Join("own"));
}

TEST_F(SqlCatalogTest, ReportsADatabaseThatIsNone) {
  ASSERT_THAT(WriteFile(*io_, file_, AsBytes(std::string(4096, 'x'))), IsOk());
  EXPECT_THAT(sqlite_->ListNamespaces({}), IsError(ErrorCode::kCorrupt, "catalog.db"));
}

TEST(SqlAddressTest, ReadsTheSpellingsOfJdbcAndSqlAlchemy) {
  const auto path = [](std::string_view uri) { return ParseSqlAddress(uri).value().path; };
  EXPECT_EQ(path("jdbc:sqlite:/a/c.db"), "/a/c.db");
  EXPECT_EQ(path("jdbc:sqlite:file:/a/c.db?cache=shared"), "/a/c.db");
  EXPECT_EQ(path("sqlite:////a/c.db"), "/a/c.db");
  EXPECT_EQ(path("sqlite:///rel/c.db"), "rel/c.db");
  EXPECT_EQ(path("sqlite+pysqlite:////a/c.db"), "/a/c.db");
  EXPECT_EQ(path("sqlite:/a b/c.db"), "/a b/c.db");
  EXPECT_EQ(path("/a/c.db"), "/a/c.db");
  EXPECT_EQ(path("sqlite:///:memory:"), ":memory:");
  EXPECT_EQ(path("jdbc:sqlite::memory:"), ":memory:");
  const auto uri = [](std::string_view text) { return ParseSqlAddress(text).value().uri; };
  EXPECT_EQ(uri("jdbc:postgresql://h:1/d?user=u"), "postgresql://h:1/d?user=u");
  EXPECT_EQ(uri("postgresql+psycopg2://u:p@h/d"), "postgresql://u:p@h/d");
  EXPECT_THAT(ParseSqlAddress("jdbc:mysql://h/d"),
              IsError(ErrorCode::kInvalidInput, "'jdbc:mysql'"));
  EXPECT_THAT(ParseSqlAddress(""), IsError(ErrorCode::kInvalidInput));
}

TEST(CatalogRegistryTest, ListsTheTypesItKnows) {
  CatalogConfig config;
  config.name = "prod";
  config.type = "gleu";
  EXPECT_THAT(OpenCatalog(config),
              IsError(ErrorCode::kInvalidInput,
                      "catalog 'prod': type is 'gleu', expected one of hadoop, memory, sql"));
  EXPECT_THAT(ResolveCatalogType("jdbc"), IsOkAnd(std::string("sql")));
  EXPECT_THAT(ResolveCatalogType("org.apache.iceberg.hadoop.HadoopCatalog"),
              IsOkAnd(std::string("hadoop")));
  EXPECT_THAT(ResolveCatalogType(""), IsError(ErrorCode::kInvalidInput));
}

}  // namespace
}  // namespace firn
