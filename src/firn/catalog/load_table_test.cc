#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/catalog/catalog.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

class LoadTableAtTest : public testing::Test {
 protected:
  void SetUp() override {
    CatalogConfig config;
    config.name = "m";
    config.type = "memory";
    config.properties = {{"warehouse", "memory:/wh"}};
    config.io = io_;
    config.clock = &clock_;
    config.random = &SystemRandom();
    const auto catalog = OpenCatalog(config).value();
    ASSERT_THAT(catalog->CreateNamespace({"db"}, {}), IsOk());
    CreateTableRequest request;
    NestedField field;
    field.id = 1;
    field.name = "id";
    field.type = Type::Primitive(TypeId::kLong);
    request.schema = Schema(0, {field});
    table_ = catalog->Create({{"db"}, "t"}, request).value();
  }

  void Copy(const std::string& to) {
    const Buffer bytes = ReadFile(*io_, table_.metadata_location).value();
    ASSERT_THAT(WriteFile(*io_, to, bytes.span()), IsOk());
  }

  FakeClock clock_;
  std::shared_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  Table table_;
};

TEST_F(LoadTableAtTest, ReadsAMetadataFileOfAnyName) {
  for (const char* name : {"memory:/x/any.json", "memory:/x/v7", "memory:/x/a b#c.metadata.json"}) {
    Copy(name);
    const auto loaded = LoadTableAt(io_, name);
    ASSERT_THAT(loaded, IsOk()) << name;
    EXPECT_EQ(loaded->metadata_location, name);
    EXPECT_EQ(loaded->metadata->table_uuid, table_.metadata->table_uuid);
  }
}

TEST_F(LoadTableAtTest, PrefersNumberedVersionsInAFolder) {
  Copy("memory:/wh/db/t/metadata/v3.metadata.json");
  EXPECT_EQ(LoadTableAt(io_, "memory:/wh/db/t/")->metadata_location,
            "memory:/wh/db/t/metadata/v3.metadata.json");
}

TEST_F(LoadTableAtTest, TakesTheHighestVersionThatACatalogLeft) {
  EXPECT_EQ(LoadTableAt(io_, "memory:/wh/db/t")->metadata_location, table_.metadata_location);
  Copy("memory:/wh/db/t/metadata/00010-0a.metadata.json");
  Copy("memory:/wh/db/t/metadata/00009-0b.metadata.json");
  EXPECT_EQ(LoadTableAt(io_, "memory:/wh/db/t")->metadata_location,
            "memory:/wh/db/t/metadata/00010-0a.metadata.json");
}

TEST_F(LoadTableAtTest, AsksForTheFileWhenTwoHaveTheHighestVersion) {
  Copy("memory:/wh/db/t/metadata/00010-0a.metadata.json");
  Copy("memory:/wh/db/t/metadata/00010-0b.gz.metadata.json");
  EXPECT_THAT(LoadTableAt(io_, "memory:/wh/db/t"),
              IsError(ErrorCode::kInvalidInput, "2 metadata files of version 10"));
}

TEST_F(LoadTableAtTest, SaysWhatItLookedFor) {
  EXPECT_THAT(LoadTableAt(io_, "memory:/wh/db/none"),
              IsError(ErrorCode::kNotFound, "'memory:/wh/db/none' is neither"));
  EXPECT_THAT(LoadTableAt(io_, "memory:/wh/db/none.metadata.json"), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(WriteFile(*io_, "memory:/x/bad.json", AsBytes("{")), IsOk());
  EXPECT_THAT(LoadTableAt(io_, "memory:/x/bad.json"), IsError(ErrorCode::kCorrupt, "bad.json"));
}

}  // namespace
}  // namespace firn
