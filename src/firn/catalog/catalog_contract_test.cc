#include "firn/catalog/catalog_contract.h"

#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "firn/base/executor.h"
#include "firn/catalog/change_table.h"
#include "firn/catalog/staged_table.h"
#include "firn/catalog/table_evolution.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"

namespace firn {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

namespace {

const TableName kTable{{"db"}, "t"};

NestedField MakeField(int32_t id, std::string name, TypePtr type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

CreateTableRequest OneColumnRequest() {
  CreateTableRequest request;
  request.schema = Schema(0, {MakeField(1, "id", Type::Primitive(TypeId::kLong))});
  return request;
}

std::vector<TableUpdate> SetProperty(const std::string& key, const std::string& value) {
  return {SetProperties{{{key, value}}}};
}

std::vector<TableRequirement> SameTable(const Table& table) {
  return {AssertTableUuid{table.metadata->table_uuid}};
}

}  // namespace

Table CatalogContract::MakeTable(const TableName& name, const Properties& properties) {
  const Status made = catalog().CreateNamespace(name.levels, {});
  EXPECT_TRUE(made.ok() || made.error().code() == ErrorCode::kAlreadyExists);
  CreateTableRequest request = OneColumnRequest();
  request.properties = properties;
  auto table = catalog().Create(name, request);
  EXPECT_THAT(table, IsOk());
  return table.ok() ? *table : Table{};
}

std::vector<std::string> CatalogContract::ListMetadata(const Table& table) {
  std::vector<std::string> names;
  const Status listed =
      io().List(JoinUri(table.metadata->location, "metadata"), [&](const FileInfo& file) -> Status {
        const std::string name(UriFileName(file.uri));
        if (name.ends_with(".json")) names.push_back(name);
        return {};
      });
  EXPECT_THAT(listed, IsOk());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_P(CatalogContract, MakesATableTogetherWithWhatIsInIt) {
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());
  const auto staged = StageTable(catalog(), kTable, OneColumnRequest());
  ASSERT_THAT(staged, IsOk());
  EXPECT_THAT(catalog().Load(kTable), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog().ListTables({"db"}), IsOkAnd(IsEmpty()));
  const auto creation = MakeStagedCatalog(catalog(), *staged);
  const auto planned = creation->Load(kTable);
  ASSERT_THAT(planned, IsOk());
  const auto made = creation->Commit(kTable, SameTable(*planned), SetProperty("a", "b"));
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->metadata->table_uuid, planned->metadata->table_uuid);
  EXPECT_EQ(made->metadata->location, planned->metadata->location);
  const auto loaded = OpenAnother()->Load(kTable);
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(loaded->metadata->Property("a", ""), "b");
  EXPECT_TRUE(loaded->metadata->metadata_log.empty());
  EXPECT_THAT(ListMetadata(*loaded), SizeIs(1));
  EXPECT_THAT(creation->Load(kTable), IsOk());
}

TEST_P(CatalogContract, MakesNoTableTogetherWithWhatIsInItIfTheNameIsTaken) {
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());
  const auto staged = StageTable(catalog(), kTable, OneColumnRequest());
  ASSERT_THAT(staged, IsOk());
  const auto other = OpenAnother()->Create(kTable, OneColumnRequest());
  ASSERT_THAT(other, IsOk());
  const auto creation = MakeStagedCatalog(catalog(), *staged);
  EXPECT_THAT(creation->Commit(kTable, {}, SetProperty("a", "b")),
              IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(StageTable(catalog(), kTable, OneColumnRequest()),
              IsError(ErrorCode::kAlreadyExists));
  const auto loaded = OpenAnother()->Load(kTable);
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(loaded->metadata->table_uuid, other->metadata->table_uuid);
  EXPECT_THAT(ListMetadata(*loaded), SizeIs(1));
}

TEST_P(CatalogContract, ListsNamespacesLevelByLevel) {
  ASSERT_THAT(catalog().CreateNamespace({"b"}, {}), IsOk());
  ASSERT_THAT(catalog().CreateNamespace({"a"}, {}), IsOk());
  ASSERT_THAT(catalog().CreateNamespace({"a", "x"}, {}), IsOk());
  ASSERT_THAT(catalog().CreateNamespace({"a", "x", "y"}, {}), IsOk());
  ASSERT_THAT(catalog().CreateNamespace({"ab"}, {}), IsOk());

  EXPECT_THAT(catalog().ListNamespaces({}),
              IsOkAnd(ElementsAre(Namespace{"a"}, Namespace{"ab"}, Namespace{"b"})));
  EXPECT_THAT(catalog().ListNamespaces({"a"}), IsOkAnd(ElementsAre(Namespace{"a", "x"})));
  EXPECT_THAT(catalog().ListNamespaces({"a", "x", "y"}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(catalog().CreateNamespace({"a", "x"}, {}),
              IsError(ErrorCode::kAlreadyExists, "'a.x'"));
}

TEST_P(CatalogContract, SaysWhichNamespaceIsMissing) {
  EXPECT_THAT(catalog().ListNamespaces({}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(catalog().ListNamespaces({"no"}), IsError(ErrorCode::kNotFound, "'no'"));
  EXPECT_THAT(catalog().ListTables({"no", "pe"}), IsError(ErrorCode::kNotFound, "'no.pe'"));
  EXPECT_THAT(catalog().LoadNamespace({"no"}), IsError(ErrorCode::kNotFound, "'no'"));
  EXPECT_THAT(catalog().UpdateNamespace({"no"}, {{"a", "b"}}, {}),
              IsError(ErrorCode::kNotFound, "'no'"));
  EXPECT_THAT(catalog().DropNamespace({"no"}), IsError(ErrorCode::kNotFound, "'no'"));
  EXPECT_THAT(catalog().Create({{"no"}, "t"}, OneColumnRequest()),
              IsError(ErrorCode::kNotFound, "'no'"));
}

TEST_P(CatalogContract, KeepsThePropertiesOfNamespaces) {
  ASSERT_THAT(catalog().CreateNamespace({"empty"}, {}), IsOk());
  if (!has_properties()) {
    EXPECT_THAT(catalog().CreateNamespace({"db"}, {{"owner", "ann"}}),
                IsError(ErrorCode::kUnsupported, "properties"));
    EXPECT_THAT(catalog().UpdateNamespace({"empty"}, {{"owner", "ann"}}, {}),
                IsError(ErrorCode::kUnsupported, "properties"));
    return;
  }
  EXPECT_THAT(catalog().LoadNamespace({"empty"}), IsOkAnd(IsEmpty()));
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {{"owner", "ann"}, {"größe", "日本 'x' %_!"}}),
              IsOk());
  EXPECT_THAT(catalog().LoadNamespace({"db"}),
              IsOkAnd(ElementsAre(Pair("größe", "日本 'x' %_!"), Pair("owner", "ann"))));

  const std::vector<std::string> removals = {"größe", "never there"};
  ASSERT_THAT(catalog().UpdateNamespace({"db"}, {{"owner", "bob"}, {"new", ""}}, removals), IsOk());
  EXPECT_THAT(OpenAnother()->LoadNamespace({"db"}),
              IsOkAnd(ElementsAre(Pair("new", ""), Pair("owner", "bob"))));

  const std::vector<std::string> rest = {"new", "owner"};
  ASSERT_THAT(catalog().UpdateNamespace({"db"}, {}, rest), IsOk());
  EXPECT_THAT(catalog().LoadNamespace({"db"}), IsOkAnd(IsEmpty()));
  EXPECT_THAT(catalog().ListNamespaces({}), IsOkAnd(Contains(Namespace{"db"})));
}

TEST_P(CatalogContract, DropsEmptyNamespacesOnly) {
  ASSERT_THAT(catalog().CreateNamespace({"a"}, {}), IsOk());
  ASSERT_THAT(catalog().CreateNamespace({"a", "b"}, {}), IsOk());
  MakeTable({{"a", "b"}, "t"});

  EXPECT_THAT(catalog().DropNamespace({"a"}), IsError(ErrorCode::kInvalidInput, "not empty"));
  EXPECT_THAT(catalog().DropNamespace({"a", "b"}), IsError(ErrorCode::kInvalidInput, "'t'"));
  EXPECT_THAT(catalog().DropNamespace({}), IsError(ErrorCode::kInvalidInput));
  EXPECT_THAT(catalog().ListTables({"a", "b"}), IsOkAnd(SizeIs(1)));

  ASSERT_THAT(catalog().CreateNamespace({"c"}, {}), IsOk());
  EXPECT_THAT(catalog().DropNamespace({"c"}), IsOk());
  EXPECT_THAT(catalog().ListNamespaces({}), IsOkAnd(ElementsAre(Namespace{"a"})));
}

TEST_P(CatalogContract, CreatesTablesThatOthersSee) {
  CreateTableRequest request;
  // Ids are hints: columns are numbered from 1, those of a struct before what is in them.
  const TypePtr point = Type::Struct({MakeField(70, "x", Type::Primitive(TypeId::kInt)),
                                      MakeField(71, "y", Type::Primitive(TypeId::kInt))});
  request.schema = Schema(
      5, {MakeField(9, "point", point), MakeField(8, "day", Type::Primitive(TypeId::kDate))});
  request.spec.fields = {{.source_ids = {8}, .field_id = 7, .name = "day", .transform = {}}};
  request.sort_order.fields = {{.source_ids = {71}, .transform = {}}};
  request.properties = {{"format-version", "3"}, {"owner", "ann"}};
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());

  ASSERT_THAT(catalog().Create(kTable, request), IsOk());

  const auto table = OpenAnother()->Load(kTable);
  ASSERT_THAT(table, IsOk());
  const TableMetadata& metadata = *table->metadata;
  EXPECT_EQ(metadata.format_version, 3);
  EXPECT_EQ(metadata.current_schema()->FullName(1), "point");
  EXPECT_EQ(metadata.current_schema()->FullName(2), "day");
  EXPECT_EQ(metadata.current_schema()->FullName(4), "point.y");
  EXPECT_EQ(metadata.last_column_id, 4);
  ASSERT_THAT(metadata.default_spec()->fields, SizeIs(1));
  EXPECT_EQ(metadata.default_spec()->fields[0].source_id(), 2);
  EXPECT_EQ(metadata.default_spec()->fields[0].field_id, 1000);
  ASSERT_THAT(metadata.FindSortOrder(metadata.default_sort_order_id)->fields, SizeIs(1));
  EXPECT_EQ(metadata.FindSortOrder(metadata.default_sort_order_id)->fields[0].source_id(), 4);
  EXPECT_THAT(metadata.properties, Contains(Pair("owner", "ann")));
  EXPECT_THAT(metadata.properties, Contains(Pair("write.parquet.compression-codec", "zstd")));
  EXPECT_THAT(metadata.properties, Not(Contains(Key("format-version"))));
  EXPECT_THAT(metadata.metadata_log, IsEmpty());
  EXPECT_THAT(metadata.location, testing::EndsWith("/db/t"));
  EXPECT_THAT(OpenAnother()->ListTables({"db"}), IsOkAnd(ElementsAre(kTable)));
}

TEST_P(CatalogContract, KeepsStrangeNamesApart) {
  const std::vector<TableName> names = {{{"db"}, "a b"}, {{"db"}, "A b"},   {{"db"}, "größe 表"},
                                        {{"db"}, "x.y"}, {{"db"}, "q`'\""}, {{"db"}, "%_!#+"}};
  for (const TableName& name : names)
    MakeTable(name);

  const auto listed = catalog().ListTables({"db"});
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(std::set<TableName>(listed->begin(), listed->end()),
            std::set<TableName>(names.begin(), names.end()));
  std::set<std::string> uuids;
  for (const TableName& name : names) {
    const auto table = catalog().Load(name);
    ASSERT_THAT(table, IsOk()) << name.name;
    uuids.insert(table->metadata->table_uuid);
  }
  EXPECT_EQ(uuids.size(), names.size());
}

TEST_P(CatalogContract, RefusesNamesThatLeaveTheirFolder) {
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());
  for (const char* name : {"", ".", "..", "a/b", "../t", "new\nline"}) {
    EXPECT_THAT(catalog().Create({{"db"}, name}, OneColumnRequest()),
                IsError(ErrorCode::kInvalidInput))
        << name;
  }
  EXPECT_THAT(catalog().CreateNamespace({".."}, {}), IsError(ErrorCode::kInvalidInput));
}

TEST_P(CatalogContract, RefusesASecondTableOfOneName) {
  const Table first = MakeTable(kTable);

  EXPECT_THAT(catalog().Create(kTable, OneColumnRequest()),
              IsError(ErrorCode::kAlreadyExists, "'db.t'"));

  EXPECT_EQ(catalog().Load(kTable)->metadata->table_uuid, first.metadata->table_uuid);
  EXPECT_THAT(ListMetadata(first), SizeIs(1));
}

TEST_P(CatalogContract, SaysWhichTableIsMissing) {
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());
  EXPECT_THAT(catalog().Load(kTable), IsError(ErrorCode::kNotFound, "'db.t'"));
  EXPECT_THAT(catalog().Load({{"no"}, "t"}), IsError(ErrorCode::kNotFound, "'no.t'"));
  EXPECT_THAT(catalog().Commit(kTable, {}, SetProperty("a", "b")),
              IsError(ErrorCode::kNotFound, "'db.t'"));
  EXPECT_THAT(catalog().Drop(kTable, DropFiles::kDelete), IsError(ErrorCode::kNotFound, "'db.t'"));
}

TEST_P(CatalogContract, CommitsUpdatesAndLogsTheFileBefore) {
  const Table before = MakeTable(kTable);
  clock().Advance(std::chrono::hours(1));

  const auto after = catalog().Commit(kTable, SameTable(before), SetProperty("a", "1"));

  ASSERT_THAT(after, IsOk());
  EXPECT_NE(after->metadata_location, before.metadata_location);
  ASSERT_THAT(after->metadata->metadata_log, SizeIs(1));
  EXPECT_EQ(after->metadata->metadata_log[0].metadata_file, before.metadata_location);
  EXPECT_EQ(after->metadata->metadata_log[0].timestamp, before.metadata->last_updated);
  EXPECT_EQ(after->metadata->last_updated, clock().Now());
  const auto seen = OpenAnother()->Load(kTable);
  ASSERT_THAT(seen, IsOk());
  EXPECT_EQ(seen->metadata_location, after->metadata_location);
  EXPECT_EQ(FormatTableMetadata(*seen->metadata), FormatTableMetadata(*after->metadata));
}

TEST_P(CatalogContract, ChangesNothingWhenARequirementFails) {
  const Table table = MakeTable(kTable);
  const std::vector<TableRequirement> requirements = {AssertCurrentSchemaId{7}};

  EXPECT_THAT(catalog().Commit(kTable, requirements, SetProperty("a", "1")),
              IsError(ErrorCode::kCommitConflict, "'db.t'"));

  EXPECT_EQ(catalog().Load(kTable)->metadata_location, table.metadata_location);
  EXPECT_THAT(ListMetadata(table), SizeIs(1));
}

TEST_P(CatalogContract, ChangesNothingWhenAnUpdateIsNotAllowed) {
  const Table table = MakeTable(kTable);
  const std::vector<TableUpdate> updates = {UpgradeFormatVersion{1}};

  EXPECT_THAT(catalog().Commit(kTable, {}, updates), IsError(ErrorCode::kInvalidInput));

  EXPECT_EQ(catalog().Load(kTable)->metadata_location, table.metadata_location);
  EXPECT_THAT(ListMetadata(table), SizeIs(1));
}

TEST_P(CatalogContract, RefusesACommitToATableThatWasMadeAnew) {
  const Table first = MakeTable(kTable);
  ASSERT_THAT(catalog().Drop(kTable, DropFiles::kDelete), IsOk());
  const Table second = MakeTable(kTable);

  EXPECT_THAT(catalog().Commit(kTable, SameTable(first), SetProperty("a", "1")),
              IsError(ErrorCode::kCommitConflict));

  EXPECT_EQ(catalog().Load(kTable)->metadata->table_uuid, second.metadata->table_uuid);
}

// B71: each commit is a compare-and-set, and brief contention is waited for.
TEST_P(CatalogContract, ConcurrencyLosesNoCommitOfManyWriters) {
  constexpr size_t kWriters = 4;
  constexpr size_t kCommits = 8;
  const Table table = MakeTable(kTable);
  const auto executor = MakeThreadPool(kWriters);

  const Status all = ParallelFor(*executor, kWriters, [&](size_t writer) -> Status {
    const auto own = OpenAnother();
    for (size_t i = 0; i < kCommits; ++i) {
      const auto updates = SetProperty(fmt::format("w{}-{}", writer, i), "done");
      auto committed = own->Commit(kTable, SameTable(table), updates);
      while (!committed.ok() && committed.error().code() == ErrorCode::kCommitConflict) {
        committed = own->Commit(kTable, SameTable(table), updates);
      }
      FIRN_RETURN_IF_ERROR(committed);
    }
    return {};
  });

  ASSERT_THAT(all, IsOk());
  const auto after = catalog().Load(kTable);
  ASSERT_THAT(after, IsOk());
  for (size_t writer = 0; writer < kWriters; ++writer) {
    for (size_t i = 0; i < kCommits; ++i) {
      EXPECT_THAT(after->metadata->properties, Contains(Key(fmt::format("w{}-{}", writer, i))));
    }
  }
  // One file a commit, each in the log once, none left behind by losers.
  EXPECT_THAT(ListMetadata(table), SizeIs(1 + kWriters * kCommits));
  std::set<std::string> logged;
  for (const auto& entry : after->metadata->metadata_log)
    logged.insert(entry.metadata_file);
  EXPECT_EQ(logged.size(), kWriters * kCommits);
}

TEST_P(CatalogContract, ConcurrencyLetsOneOfManyCreatorsWin) {
  constexpr size_t kCreators = 4;
  ASSERT_THAT(catalog().CreateNamespace({"db"}, {}), IsOk());
  const auto executor = MakeThreadPool(kCreators);
  std::vector<std::string> uuids(kCreators);

  const Status all = ParallelFor(*executor, kCreators, [&](size_t i) -> Status {
    const auto created = OpenAnother()->Create(kTable, OneColumnRequest());
    if (created.ok()) uuids[i] = created->metadata->table_uuid;
    if (created.ok() || created.error().code() == ErrorCode::kAlreadyExists) return {};
    return created.error();
  });

  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(std::count(uuids.begin(), uuids.end(), ""), kCreators - 1);
  EXPECT_THAT(uuids, Contains(catalog().Load(kTable)->metadata->table_uuid));
  EXPECT_THAT(ListMetadata(*catalog().Load(kTable)), SizeIs(1));
}

TEST_P(CatalogContract, RenamesTables) {
  const Table table = MakeTable(kTable);
  const TableName other{{"db", "inner"}, "t2"};
  if (!has_pointers()) {
    EXPECT_THAT(catalog().Rename(kTable, other), IsError(ErrorCode::kUnsupported));
    return;
  }
  EXPECT_THAT(catalog().Rename(kTable, other), IsError(ErrorCode::kNotFound, "'db.inner'"));
  ASSERT_THAT(catalog().CreateNamespace({"db", "inner"}, {}), IsOk());
  ASSERT_THAT(catalog().Rename(kTable, other), IsOk());

  EXPECT_THAT(catalog().Load(kTable), IsError(ErrorCode::kNotFound));
  EXPECT_EQ(catalog().Load(other)->metadata_location, table.metadata_location);
  EXPECT_THAT(catalog().Commit(other, SameTable(table), SetProperty("a", "1")), IsOk());
  EXPECT_THAT(catalog().Rename(kTable, {{"db"}, "t3"}), IsError(ErrorCode::kNotFound, "'db.t'"));
  MakeTable(kTable);
  EXPECT_THAT(catalog().Rename(kTable, other), IsError(ErrorCode::kAlreadyExists, "'db.inner.t2'"));
}

// Two tables in one folder would take each other's files for orphans.
TEST_P(CatalogContract, GivesNoTwoTablesOneFolder) {
  const Table table = MakeTable(kTable);
  if (!has_pointers()) return;  // The folder is the name.
  CreateTableRequest request;
  request.schema = *table.metadata->current_schema();
  request.location = table.metadata->location;
  EXPECT_THAT(catalog().Create({{"db"}, "other"}, request),
              IsError(ErrorCode::kAlreadyExists, "holds the metadata of a table"));
  ASSERT_THAT(catalog().Rename(kTable, {{"db"}, "renamed"}), IsOk());
  const Table again = MakeTable(kTable);
  EXPECT_NE(again.metadata->location, table.metadata->location);
}

TEST_P(CatalogContract, RegistersWhatItForgot) {
  const Table table = MakeTable(kTable);
  if (!has_pointers()) {
    EXPECT_THAT(catalog().Drop(kTable), IsError(ErrorCode::kUnsupported, "delete that folder"));
    EXPECT_THAT(catalog().Register(kTable, table.metadata_location),
                IsError(ErrorCode::kUnsupported));
    return;
  }
  ASSERT_THAT(catalog().Drop(kTable), IsOk());
  EXPECT_THAT(catalog().Load(kTable), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog().Drop(kTable), IsError(ErrorCode::kNotFound, "'db.t'"));
  EXPECT_THAT(catalog().ListTables({"db"}), IsOkAnd(IsEmpty()));

  EXPECT_THAT(catalog().Register(kTable, table.metadata_location + ".no"),
              IsError(ErrorCode::kNotFound));
  EXPECT_THAT(catalog().Register({{"no"}, "t"}, table.metadata_location),
              IsError(ErrorCode::kNotFound, "'no'"));
  ASSERT_THAT(catalog().Register(kTable, table.metadata_location), IsOk());

  EXPECT_EQ(catalog().Load(kTable)->metadata->table_uuid, table.metadata->table_uuid);
  EXPECT_THAT(catalog().Register(kTable, table.metadata_location),
              IsError(ErrorCode::kAlreadyExists, "'db.t'"));
}

// B114
TEST_P(CatalogContract, DeletesOldMetadataOnlyWhenItLeavesTheLog) {
  MakeTable(kTable);
  // Made before the property was set: these never come into a log that is cut, but are kept.
  const Table table = MakeTable({{"db"}, "u"}, {{"write.metadata.previous-versions-max", "3"}});
  const auto commit = [&](int i) {
    EXPECT_THAT(catalog().Commit(table.name, {}, SetProperty("n", std::to_string(i))), IsOk());
  };
  for (int i = 0; i < 6; ++i)
    commit(i);
  EXPECT_THAT(ListMetadata(table), SizeIs(7));

  ASSERT_THAT(catalog().Commit(table.name, {},
                               SetProperty("write.metadata.delete-after-commit.enabled", "true")),
              IsOk());
  for (int i = 0; i < 6; ++i)
    commit(i);

  const auto after = catalog().Load(table.name);
  ASSERT_THAT(after, IsOk());
  EXPECT_THAT(after->metadata->metadata_log, SizeIs(3));
  for (const auto& entry : after->metadata->metadata_log) {
    EXPECT_THAT(FileExists(io(), entry.metadata_file), IsOkAnd(true)) << entry.metadata_file;
  }
  // The first three had left the log before deletion was asked for: orphan removal's business.
  EXPECT_THAT(ListMetadata(table), SizeIs(3 + 3 + 1));
  EXPECT_THAT(FileExists(io(), table.metadata_location), IsOkAnd(true));
}

// B115
TEST_P(CatalogContract, WritesGzipMetadataUnderANameThatOthersFind) {
  const Table table = MakeTable(kTable);
  for (const char* codec : {"gzip", "none", "gzip", "gzip"}) {
    ASSERT_THAT(
        catalog().Commit(kTable, {}, SetProperty("write.metadata.compression-codec", codec)),
        IsOk());
  }
  const auto after = OpenAnother()->Load(kTable);
  ASSERT_THAT(after, IsOk());
  EXPECT_THAT(after->metadata_location, testing::EndsWith(".gz.metadata.json"));
  const auto bytes = ReadFile(io(), after->metadata_location);
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(bytes->view().substr(0, 2), "\x1f\x8b");
  EXPECT_THAT(ListMetadata(table), SizeIs(5));
  EXPECT_THAT(catalog().Commit(kTable, {}, SetProperty("write.metadata.compression-codec", "lzo")),
              AllOf(Not(IsOk()), IsError(ErrorCode::kInvalidInput, "gzip, none")));
}

TEST_P(CatalogContract, ColumnsInUseAreNotDroppedWhateverTheCatalog) {  // B78
  ASSERT_THAT(catalog().CreateNamespace(kTable.levels, {}), IsOk());
  CreateTableRequest request;
  NestedField id = MakeField(1, "id", Type::Primitive(TypeId::kLong));
  id.required = true;
  request.schema = Schema(0,
                          {id, MakeField(2, "name", Type::Primitive(TypeId::kString)),
                           MakeField(3, "x", Type::Primitive(TypeId::kDouble))},
                          {1});
  request.spec.fields = {{.source_ids = {2}, .name = "name", .transform = {}}};
  request.sort_order.fields = {{.source_ids = {3}, .transform = {}}};
  const auto created = catalog().Create(kTable, request);
  ASSERT_THAT(created, IsOk());
  const auto change = [&](const SchemaChange& one) {
    const TableChangeContext context{&catalog(), &clock(), &SystemRandom(), {}};
    return ChangeTable(context, *catalog().Load(kTable), [&](const TableMetadata& metadata) {
      return PlanSchemaChange(metadata, std::vector<SchemaChange>{one});
    });
  };
  EXPECT_THAT(change(DropColumn{"id"}), IsError(ErrorCode::kInvalidInput, "an identifier field"));
  EXPECT_THAT(change(DropColumn{"name"}),
              IsError(ErrorCode::kInvalidInput, "the source of partition field 'name' of spec 0"));
  EXPECT_THAT(change(DropColumn{"x"}), IsError(ErrorCode::kInvalidInput, "a column of sort order"));
  EXPECT_EQ(catalog().Load(kTable)->metadata_location, created->metadata_location);
  ASSERT_THAT(change(RenameColumn{"name", "label"}), IsOk());
  const auto renamed = catalog().Load(kTable);
  ASSERT_THAT(renamed, IsOk());
  EXPECT_EQ(renamed->metadata->current_schema()->FindField("label")->id, 2);
  EXPECT_EQ(renamed->metadata->default_spec()->fields[0].name, "name");
}

}  // namespace firn
