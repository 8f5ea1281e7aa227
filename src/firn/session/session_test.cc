#include "firn/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/session/name_resolution_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.working_folder = folder_.path();
    options_.home_folder = folder_.Join("home");
  }

  void Write(const std::string& name, std::string_view text) {
    ASSERT_THAT(WriteFile(*io_, folder_.Join(name), AsBytes(text)), IsOk());
  }

  std::unique_ptr<Session> Open() {
    auto session = OpenSession(options_, {});
    EXPECT_THAT(session, IsOk());
    return session.ok() ? *std::move(session) : nullptr;
  }

  static Table MakeTable(Session& session, const std::string& name) {
    const auto reference = session.ResolveNewTable(name).value();
    const Status made = reference.catalog->CreateNamespace(reference.name.levels, {});
    EXPECT_TRUE(made.ok() || made.error().code() == ErrorCode::kAlreadyExists);
    CreateTableRequest request;
    NestedField field;
    field.id = 1;
    field.name = "id";
    field.type = Type::Primitive(TypeId::kLong);
    request.schema = Schema(0, {field});
    return reference.catalog->Create(reference.name, request).value();
  }

  static std::vector<std::string> Names(const Session& session) {
    std::vector<std::string> names;
    for (const CatalogConfig& config : session.catalogs())
      names.push_back(config.name + ":" + config.type);
    return names;
  }

  TemporaryFolder folder_;
  std::shared_ptr<FileIO> io_ = MakeLocalFileIO();
  SessionOptions options_;
};

TEST_F(SessionTest, HasALocalCatalogWithoutAnyConfiguration) {
  const auto session = Open();
  EXPECT_THAT(Names(*session), ElementsAre("local:sql"));
  EXPECT_EQ(session->default_catalog(), "local");
  EXPECT_EQ(session->budget().total_bytes(), 1LL << 30);

  const Table table = MakeTable(*session, "db.t");

  EXPECT_EQ(table.metadata->location, "file://" + folder_.path() + "/warehouse/db/t");
  EXPECT_THAT(FileExists(*io_, folder_.Join("warehouse/catalog.db")), IsOkAnd(true));
  EXPECT_THAT(Open()->ResolveTable("local.db.t"), IsOk());
}

// Wherever firn is called, a configuration file means the same.
TEST_F(SessionTest, RelativePathsOfAFileAreMeantInItsFolder) {
  Write("etc/firn.toml",
        "default-catalog='a'\n"
        "[catalog.a]\ntype='sql'\nuri='sqlite:state/a.db'\nwarehouse='wh'\n"
        "io.rewrite-prefix='s3://old=copy'\n"
        "[catalog.b]\ntype='sql'\nuri='jdbc:sqlite:file:b.db?x=1'\nwarehouse='s3://bucket/b'\n"
        "[catalog.c]\ntype='sql'\nuri='sqlite:///c.db'\n"
        "[catalog.d]\ntype='sql'\nuri='/abs/d.db'\n"
        "[catalog.e]\ntype='sql'\nuri='postgresql://host/db'\n"
        "[catalog.f]\ntype='sql'\nuri='f.db'\n");
  options_.config_path = "etc/firn.toml";
  options_.conf = {"catalog.g.type=hadoop", "catalog.g.warehouse=wh"};
  const auto session = Open();
  std::map<std::string, Properties> found;
  for (const CatalogConfig& config : session->catalogs())
    found[config.name] = config.properties;
  const std::string etc = folder_.Join("etc");
  EXPECT_EQ(found["a"]["uri"], "sqlite:" + etc + "/state/a.db");
  EXPECT_EQ(found["a"]["warehouse"], "file://" + etc + "/wh");
  EXPECT_EQ(found["a"]["io.rewrite-prefix"], "s3://old=file://" + etc + "/copy");
  EXPECT_EQ(found["b"]["uri"], "jdbc:sqlite:file:" + etc + "/b.db?x=1");
  EXPECT_EQ(found["b"]["warehouse"], "s3://bucket/b");
  EXPECT_EQ(found["c"]["uri"], "sqlite:///" + etc + "/c.db");
  EXPECT_EQ(found["d"]["uri"], "/abs/d.db");
  EXPECT_EQ(found["e"]["uri"], "postgresql://host/db");
  EXPECT_EQ(found["f"]["uri"], etc + "/f.db");
  // What the command line says is meant where it is typed.
  EXPECT_EQ(found["g"]["warehouse"], "file://" + folder_.path() + "/wh");
}

TEST_F(SessionTest, TakesTheFirstConfigurationFileOfItsSearchPath) {
  Write("home/.config/firn/firn.toml", "[catalog.home]\ntype='memory'");
  EXPECT_THAT(Names(*Open()), ElementsAre("home:memory", "local:sql"));
  Write("firn.toml", "[catalog.here]\ntype='hadoop'\nwarehouse='wh'");
  EXPECT_THAT(Names(*Open()), ElementsAre("here:hadoop", "local:sql"));
  EXPECT_EQ(Open()->catalogs()[0].properties.at("warehouse"), "file://" + folder_.Join("wh"));
  Write("other.toml", "[catalog.variable]\ntype='jdbc'");
  options_.environment["FIRN_CONFIG"] = "other.toml";
  EXPECT_THAT(Names(*Open()), ElementsAre("local:sql", "variable:sql"));
  Write("flag.toml", "[catalog.flag]\nuri='postgresql://h/d'");
  options_.config_path = folder_.Join("flag.toml");
  EXPECT_THAT(Names(*Open()), ElementsAre("flag:sql", "local:sql"));
  options_.config_path = "missing.toml";
  EXPECT_THAT(OpenSession(options_, {}), IsError(ErrorCode::kInvalidInput, "'missing.toml'"));
}

TEST_F(SessionTest, LetsTheEnvironmentWinOverTheFileAndConfOverBoth) {
  Write("firn.toml", "memory='64MiB'\n[catalog.lake]\ntype='memory'\nwarehouse='memory:/a'\nx='1'");
  options_.environment["FIRN_CATALOG__LAKE__WAREHOUSE"] = "memory:/b";
  options_.environment["FIRN_MEMORY"] = "128MiB";
  options_.conf = {"catalog.lake.x=2", "memory=256MiB"};
  const auto session = Open();
  const CatalogConfig lake = session->catalogs()[0];
  EXPECT_EQ(lake.properties.at("warehouse"), "memory:/b");
  EXPECT_EQ(lake.properties.at("x"), "2");
  EXPECT_EQ(session->budget().total_bytes(), 256LL << 20);
}

TEST_F(SessionTest, ChoosesTheDefaultCatalog) {
  Write("firn.toml", "[catalog.one]\ntype='memory'");
  EXPECT_EQ(Open()->default_catalog(), "one");
  Write("firn.toml", "[catalog.one]\ntype='memory'\n[catalog.two]\ntype='memory'");
  EXPECT_EQ(Open()->default_catalog(), "local");
  options_.conf = {"spark.sql.defaultCatalog=two"};
  EXPECT_EQ(Open()->default_catalog(), "two");
  options_.catalog = "one";
  EXPECT_EQ(Open()->default_catalog(), "one");
  options_.catalog = "three";
  EXPECT_THAT(OpenSession(options_, {}),
              IsError(ErrorCode::kInvalidInput,
                      "--catalog: no catalog 'three', expected one of 'local', 'one', 'two'"));
}

TEST_F(SessionTest, OpensCatalogsOfSparksSettings) {
  options_.conf = {
      "spark.sql.catalog.h=org.apache.iceberg.spark.SparkCatalog --conf "
      "spark.sql.catalog.h.type=hadoop --conf spark.sql.catalog.h.warehouse=" +
          folder_.Join("wh"),
      "spark.sql.catalog.j=org.apache.iceberg.spark.SparkCatalog",
      "spark.sql.catalog.j.catalog-impl=org.apache.iceberg.jdbc.JdbcCatalog",
      "spark.sql.catalog.j.uri=jdbc:sqlite:" + folder_.Join("j.db"),
      "spark.sql.catalog.delta=org.apache.spark.sql.delta.catalog.DeltaCatalog"};
  const auto session = Open();
  EXPECT_THAT(Names(*session), ElementsAre("delta:org.apache.spark.sql.delta.catalog.DeltaCatalog",
                                           "h:hadoop", "j:sql", "local:sql"));
  MakeTable(*session, "h.db.t");
  EXPECT_THAT(session->OpenCatalogNamed("j"), IsOk());
  EXPECT_THAT(session->OpenCatalogNamed("delta"),
              IsError(ErrorCode::kInvalidInput, "catalog 'delta': type is 'org.apache.spark"));
  EXPECT_THAT(session->OpenCatalogNamed("none"), IsError(ErrorCode::kInvalidInput, "'h', 'j'"));
}

TEST_F(SessionTest, RefusesImpossibleLimits) {
  options_.conf = {"memory=1MiB"};
  EXPECT_THAT(OpenSession(options_, {}), IsError(ErrorCode::kInvalidInput, "at least 16MiB"));
  options_.conf = {"memory=lots"};
  EXPECT_THAT(OpenSession(options_, {}), IsError(ErrorCode::kInvalidInput, "--conf: memory"));
  options_.conf = {"threads=0"};
  EXPECT_THAT(OpenSession(options_, {}), IsError(ErrorCode::kInvalidInput, "threads is '0'"));
  options_.conf = {"io.rewrite-prefix=nonsense"};
  EXPECT_THAT(OpenSession(options_, {}), IsError(ErrorCode::kInvalidInput, "'nonsense'"));
}

TEST_F(SessionTest, ReadsTheFirstPartOfANameAsACatalogIfItIsOne) {
  options_.conf = {"catalog.lake.type=memory", "catalog.lake.warehouse=memory:/lake",
                   "catalog.other.type=memory", "default-catalog=lake"};
  const auto session = Open();
  MakeTable(*session, "lake.db.t");
  MakeTable(*session, "db.in ner.`x.y`");

  EXPECT_EQ(session->ResolveTable("db.t")->catalog_name, "lake");
  EXPECT_EQ(session->ResolveTable("lake.db.t")->name, (TableName{{"db"}, "t"}));
  EXPECT_EQ(session->ResolveTable("db.in ner.`x.y`")->name, (TableName{{"db", "in ner"}, "x.y"}));
  EXPECT_EQ(session->ResolveNewTable("other.a.b.c")->name, (TableName{{"a", "b"}, "c"}));
  EXPECT_EQ(session->ResolveNewTable("other.a.b.c")->catalog_name, "other");
  EXPECT_THAT(session->ResolveTable("db..t"), IsError(ErrorCode::kInvalidInput, "part 2"));
  EXPECT_THAT(session->ResolveTable("t"), IsError(ErrorCode::kNotFound, "'t'"));

  EXPECT_EQ(session->ResolveNamespace("")->catalog_name, "lake");
  EXPECT_EQ(session->ResolveNamespace("other")->catalog_name, "other");
  EXPECT_TRUE(session->ResolveNamespace("other")->levels.empty());
  EXPECT_EQ(session->ResolveNamespace("other.a.b")->levels, (Namespace{"a", "b"}));
  EXPECT_EQ(session->ResolveNamespace("a.b")->levels, (Namespace{"a", "b"}));
}

TEST_F(SessionTest, SuggestsTheTableThatWasMeant) {
  const auto session = Open();
  MakeTable(*session, "sales.orders");
  EXPECT_THAT(session->ResolveTable("sales.order"),
              IsError(ErrorCode::kNotFound, "did you mean 'local.sales.orders'?"));
  EXPECT_THAT(session->ResolveTable("sale.orders"),
              IsError(ErrorCode::kNotFound, "did you mean 'local.sales.orders'?"));
  EXPECT_THAT(session->ResolveTable("sales.customers").error().message(),
              testing::Not(HasSubstr("did you mean")));
}

TEST_F(SessionTest, ReadsBranchesAndTagsOnlyIfNoTableHasTheWholeName) {
  const auto session = Open();
  MakeTable(*session, "db.t");
  MakeTable(*session, "db.t.branch_b");

  EXPECT_EQ(session->ResolveTable("db.t.branch_b")->branch, std::nullopt);
  EXPECT_EQ(session->ResolveTable("db.t.branch_main")->branch, "main");
  EXPECT_THAT(session->ResolveTable("db.t.branch_x"),
              IsError(ErrorCode::kNotFound, "table 'db.t' has no branch 'x'"));
  EXPECT_THAT(session->ResolveTable("db.t.tag_x"), IsError(ErrorCode::kNotFound, "no tag 'x'"));
  EXPECT_THAT(session->ResolveTable("db.u.tag_x"), IsError(ErrorCode::kNotFound, "'db.u'"));
}

TEST_F(SessionTest, ReadsAndChangesATableByItsFolder) {
  options_.conf = {"catalog.h.type=hadoop", "catalog.h.warehouse=wh"};
  const auto session = Open();
  const Table table = MakeTable(*session, "h.db.t");
  const std::vector<TableUpdate> updates = {SetProperties{{{"a", "1"}}}};
  for (const std::string& location :
       {std::string("wh/db/t"), std::string("./wh/../wh/db/t/"), folder_.Join("wh/db/t"),
        "file:" + folder_.Join("wh/db/t"), "file://" + folder_.Join("wh/db/t")}) {
    const auto reference = session->ResolveTable(location);
    ASSERT_THAT(reference, IsOk()) << location;
    ASSERT_NE(reference->catalog, nullptr);
    EXPECT_THAT(reference->catalog->Commit(reference->name, {}, updates), IsOk()) << location;
  }
  EXPECT_THAT(session->ResolveTable("h.db.t")->table.metadata_location,
              EndsWith("/v6.metadata.json"));

  const auto version = session->ResolveTable("wh/db/t/metadata/v1.metadata.json");
  ASSERT_THAT(version, IsOk());
  EXPECT_EQ(version->catalog, nullptr);
  EXPECT_THAT(session->ResolveNewTable("wh/db/u"), IsError(ErrorCode::kInvalidInput, "location"));
  EXPECT_THAT(session->ResolveTable("no/table"), IsError(ErrorCode::kNotFound, "no/table"));
}

TEST_F(SessionTest, KnowsAMovedTableByItsRecordedPlace) {
  options_.conf = {"catalog.h.type=hadoop", "catalog.h.warehouse=old"};
  MakeTable(*Open(), "h.db.t");
  ASSERT_THAT(
      WriteFile(*io_, folder_.Join("new/db/t/metadata/v1.metadata.json"),
                ReadFile(*io_, folder_.Join("old/db/t/metadata/v1.metadata.json")).value().span()),
      IsOk());
  const std::string recorded = "file://" + folder_.Join("old");
  options_.conf.push_back("io.rewrite-prefix=" + recorded + "=new");
  const auto session = Open();

  const auto reference = session->ResolveTable("new/db/t");
  ASSERT_THAT(reference, IsOk());
  EXPECT_EQ(reference->location, recorded + "/db/t");
  const std::vector<TableUpdate> updates = {SetProperties{{{"a", "1"}}}};
  const auto committed = reference->catalog->Commit(reference->name, {}, updates);

  ASSERT_THAT(committed, IsOk());
  EXPECT_EQ(committed->metadata->metadata_log[0].metadata_file,
            recorded + "/db/t/metadata/v1.metadata.json");
  EXPECT_THAT(FileExists(*io_, folder_.Join("new/db/t/metadata/v2.metadata.json")), IsOkAnd(true));
  EXPECT_THAT(FileExists(*io_, folder_.Join("old/db/t/metadata/v2.metadata.json")), IsOkAnd(false));
}

TEST(IsLocationTest, TellsLocationsFromNames) {
  for (const char* text : {"a/b", "/a", "s3://b/k", "file:/a", "memory:x", "./t", "a.b/c"}) {
    EXPECT_TRUE(IsLocation(text)) << text;
  }
  for (const char* text : {"t", "a.b", "`a/b`.c", "a b", "", "größe.t"}) {
    EXPECT_FALSE(IsLocation(text)) << text;
  }
}

}  // namespace
}  // namespace firn
