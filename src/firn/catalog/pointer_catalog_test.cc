#include "firn/catalog/pointer_catalog.h"

#include <utility>

#include <gmock/gmock.h>

#include "firn/testing/fake_clock.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

// A store whose first answer may be old: another writer moves the table right after it.
class LateStore final : public PointerStore {
 public:
  explicit LateStore(PointerStore& inner) : inner_(inner) {}

  std::optional<std::string> old_location;

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return inner_.ListNamespaces(parent);
  }
  Result<bool> HasNamespace(const Namespace& levels) override {
    return inner_.HasNamespace(levels);
  }
  Status CreateNamespace(const Namespace& levels, const Properties& properties) override {
    return inner_.CreateNamespace(levels, properties);
  }
  Status DropNamespace(const Namespace& levels) override { return inner_.DropNamespace(levels); }
  Result<Properties> LoadNamespace(const Namespace& levels) override {
    return inner_.LoadNamespace(levels);
  }
  Status UpdateNamespace(const Namespace& levels, const Properties& updates,
                         std::span<const std::string> removals) override {
    return inner_.UpdateNamespace(levels, updates, removals);
  }
  Result<std::vector<TableName>> ListTables(const Namespace& levels) override {
    return inner_.ListTables(levels);
  }
  Result<std::string> FindTable(const TableName& name) override {
    if (old_location) return *std::exchange(old_location, std::nullopt);
    return inner_.FindTable(name);
  }
  Status InsertTable(const TableName& name, const std::string& location) override {
    return inner_.InsertTable(name, location);
  }
  Status SwapTable(const TableName& name, const std::string& base,
                   const std::string& next) override {
    return inner_.SwapTable(name, base, next);
  }
  Status RenameTable(const TableName& from, const TableName& to) override {
    return inner_.RenameTable(from, to);
  }
  Status DeleteTable(const TableName& name) override { return inner_.DeleteTable(name); }

 private:
  PointerStore& inner_;
};

class PointerCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = std::make_unique<LateStore>(*rows_);
    store_ = store.get();
    catalog_ = MakePointerCatalog({.name = "test",
                                   .type = "test",
                                   .properties = {{"warehouse", "memory:/wh"}},
                                   .io = io_,
                                   .clock = &clock_,
                                   .random = &SystemRandom()},
                                  std::move(store));
    ASSERT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    ASSERT_THAT(catalog_->Create(kName, {}), IsOk());
  }

  const TableName kName{{"db"}, "t"};
  FakeClock clock_;
  std::shared_ptr<FaultyFileIO> io_ = std::make_shared<FaultyFileIO>(MakeMemoryFileIO(clock_));
  std::unique_ptr<PointerStore> rows_ = MakeMemoryStore();
  LateStore* store_ = nullptr;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(PointerCatalogTest, LooksAgainIfTheMetadataThatItFoundIsDeletedMeanwhile) {
  store_->old_location = "memory:/wh/db/t/metadata/00000-gone.metadata.json";
  EXPECT_THAT(catalog_->Load(kName), IsOk());
}

TEST_F(PointerCatalogTest, ReportsMetadataThatIsMissingForGood) {
  const auto table = catalog_->Load(kName);
  ASSERT_THAT(table, IsOk());
  ASSERT_THAT(io_->Delete(table->metadata_location), IsOk());
  auto other = MakePointerCatalog({.name = "other",
                                   .type = "test",
                                   .properties = {},
                                   .io = io_,
                                   .clock = &clock_,
                                   .random = &SystemRandom()},
                                  std::make_unique<LateStore>(*rows_));
  EXPECT_THAT(
      other->Load(kName),
      IsError(ErrorCode::kCorrupt, "metadata file '" + table->metadata_location + "' is missing"));
}

// The file system sent the request twice, and the second answer says that the file exists.
TEST_F(PointerCatalogTest, TakesItsOwnMetadataFileForWritten) {
  Fault fault;
  fault.operation = FileOperation::kPublish;
  fault.error = Error(ErrorCode::kAlreadyExists, "injected");
  fault.happens = true;
  io_->Add(fault);
  const std::vector<TableUpdate> updates = {SetProperties{{{"a", "1"}}}};
  ASSERT_THAT(catalog_->Commit(kName, {}, updates), IsOk());
  EXPECT_EQ(catalog_->Load(kName)->metadata->Property("a", ""), "1");
  EXPECT_EQ(io_->injected_count(), 1);
}

}  // namespace
}  // namespace firn
