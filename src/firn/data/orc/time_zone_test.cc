#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/base/civil_time.h"
#include "firn/data/orc/time_zone_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i)
    text += static_cast<char>(value >> (i * 8));
  return text;
}

std::string Header(int changes, int types) {
  return "TZif2" + std::string(15 + 12, '\0') + BigEndian(static_cast<uint64_t>(changes), 4) +
         BigEndian(static_cast<uint64_t>(types), 4) + BigEndian(4, 4);
}

std::string ZoneType(int64_t offset) {
  return BigEndian(static_cast<uint64_t>(offset), 4) + std::string(2, '\0');
}

// A zone that was two hours behind UTC until 1980 and follows `rule` from then on.
std::string ZoneFile(const std::string& rule) {
  const std::string old_part = Header(0, 1) + ZoneType(0) + "UTC" + '\0';
  return old_part + Header(1, 2) + BigEndian(315532800, 8) + '\1' + ZoneType(-7200) +
         ZoneType(-18000) + "EST" + '\0' + "\n" + rule + "\n";
}

int64_t OffsetAt(TimeZone& zone, std::string_view utc) {
  return zone.OffsetAt(ParseTimestamp(utc, TimeUnit::kMicros)->value / 1'000'000) / 3600;
}

TEST(TimeZoneTest, FollowsChangesAndThenTheRule) {
  auto zone = TimeZone::Parse(AsBytes(ZoneFile("EST5EDT,M3.2.0,M11.1.0")));

  ASSERT_THAT(zone, IsOk());
  EXPECT_EQ(OffsetAt(*zone, "1979-12-31T23:59:59Z"), -2);
  EXPECT_EQ(OffsetAt(*zone, "1980-01-01T00:00:00Z"), -5);
  EXPECT_EQ(OffsetAt(*zone, "2050-03-13T06:59:59Z"), -5);
  EXPECT_EQ(OffsetAt(*zone, "2050-03-13T07:00:00Z"), -4);
  EXPECT_EQ(OffsetAt(*zone, "2050-11-06T05:59:59Z"), -4);
  EXPECT_EQ(OffsetAt(*zone, "2050-11-06T06:00:00Z"), -5);
  EXPECT_EQ(OffsetAt(*zone, "2051-07-01T00:00:00Z"), -4);
}

TEST(TimeZoneTest, FollowsRulesOfTheSouthAndByDayOfTheYear) {
  auto south = TimeZone::Parse(AsBytes(ZoneFile("<-03>3<-02>,M10.1.0/0,M2.5.6/24")));
  ASSERT_THAT(south, IsOk());
  EXPECT_EQ(OffsetAt(*south, "2050-01-01T00:00:00Z"), -2);
  EXPECT_EQ(OffsetAt(*south, "2050-02-27T01:59:59Z"), -2);
  EXPECT_EQ(OffsetAt(*south, "2050-02-27T02:00:00Z"), -3);
  EXPECT_EQ(OffsetAt(*south, "2050-12-31T23:00:00Z"), -2);

  auto days = TimeZone::Parse(AsBytes(ZoneFile("AAA0BBB,J60/0,J300/0")));
  ASSERT_THAT(days, IsOk());
  EXPECT_EQ(OffsetAt(*days, "2048-02-29T12:00:00Z"), 0);  // The 60th day is the first of March.
  EXPECT_EQ(OffsetAt(*days, "2048-03-01T00:00:00Z"), 1);
  EXPECT_EQ(OffsetAt(*days, "2049-02-28T23:00:00Z"), 0);

  auto fixed = TimeZone::Parse(AsBytes(ZoneFile("JST-9")));
  ASSERT_THAT(fixed, IsOk());
  EXPECT_EQ(OffsetAt(*fixed, "2050-06-01T00:00:00Z"), 9);
}

TEST(TimeZoneTest, RefusesFilesAndRulesThatAreDamaged) {
  const std::string whole = ZoneFile("EST5EDT,M3.2.0,M11.1.0");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(TimeZone::Parse(AsBytes(whole.substr(0, size))).ok()) << size;
  for (const char* rule : {"EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "<EST5",
                           "EST999", "EST5EDT,J0,J365", "EST5x"}) {
    EXPECT_FALSE(ParseYearlyRule(rule)) << rule;
  }
}

TEST(TimeZoneTest, LooksInTheFolderOfTheSystemAlone) {
  for (const char* name : {"", "../etc/passwd", "/etc/passwd", "No/Such_Zone", "GMT+08:00"}) {
    EXPECT_THAT(TimeZone::Load(name), IsError(ErrorCode::kUnsupported, name));
  }
}

TEST(TimeZoneTest, MovesTimesOfAnOrcFileToTheClockOfItsWriter) {
  const TemporaryFolder folder;
  const auto local = MakeLocalFileIO();
  ASSERT_THAT(WriteFile(*local, folder.path() + "/EST", AsBytes(ZoneFile("EST5"))), IsOk());
  RowTable table({Optional(1, "ts", Primitive(TypeId::kTimestamp)),
                  Optional(2, "tz", Primitive(TypeId::kTimestamptz))});
  auto& properties = table.metadata().properties;
  properties["write.format.default"] = "orc";
  properties["write.orc.compression-codec"] = "none";
  auto options = TableWriteOptions(table.metadata());
  ASSERT_THAT(options, IsOk());
  options->partition = StructValue{};
  // Of the year 1975, in both columns: 05:00 on the second of January.
  const StructValue row{{int64_t{157870800'000'000}, int64_t{157870800'000'000}}};
  const auto files = WriteDataFiles(table.write_context(), *options,
                                    *MakeRowStream(options->schema->as_struct(), {row}));
  ASSERT_THAT(files, IsOk());
  const FileScanTask task{.file = (*files)[0], .sequence_number = 1};
  std::string bytes(ReadFile(table.io(), task.file.file_path)->view());
  const size_t zone = bytes.find("GMT");
  ASSERT_NE(zone, std::string::npos);
  bytes.replace(zone, 3, "EST");
  ASSERT_THAT(WriteFile(table.io(), task.file.file_path, AsBytes(bytes)), IsOk());

  ASSERT_EQ(setenv("TZDIR", folder.path().c_str(), 1), 0);  // NOLINT(concurrency-mt-unsafe)
  const auto rows = table.Read({task});
  unsetenv("TZDIR");  // NOLINT(concurrency-mt-unsafe)

  // Seconds are counted from the start of 2015 there, when clocks were three hours behind 1975.
  EXPECT_THAT(
      rows, IsOkAnd(testing::ElementsAre(
                R"({"ts":"1975-01-02T08:00:00.000000","tz":"1975-01-02T05:00:00.000000+00:00"})")));
}

}  // namespace
}  // namespace firn
