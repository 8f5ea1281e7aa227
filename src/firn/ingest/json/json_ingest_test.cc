#include <gmock/gmock.h>

#include "firn/ingest/ingest_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class JsonIngestTest : public IngestTest {
 protected:
  JsonIngestTest() { request_.format = SourceFormat::kJson; }

  // A table of one row of nulls with these columns besides "id".
  void MakeTable(std::vector<std::pair<std::string, TypePtr>> columns) {
    std::vector<NestedField> fields(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      fields[i].id = static_cast<int32_t>(i) + 1;
      fields[i].name = columns[i].first;
      fields[i].type = columns[i].second;
    }
    CreateTableRequest create;
    create.schema = Schema(0, std::move(fields));
    EXPECT_THAT(catalog_->Create(request_.table, create), IsOk());
  }

  static TypePtr Primitive(TypeId id) { return Type::Primitive(id); }
  static NestedField Field(int32_t id, const std::string& name, TypePtr type) {
    NestedField field;
    field.id = id;
    field.name = name;
    field.type = std::move(type);
    return field;
  }
};

TEST_F(JsonIngestTest, CreatesTheTableFirstAndAppendsByNameThen) {
  const auto first = Run({Put("a.json",
                              "{\"id\":1,\"name\":\"ann\",\"ok\":true,\"x\":1}\n"
                              "{\"id\":2,\"x\":2.5,\"name\":null}\n")});
  ASSERT_THAT(first, IsOk());
  EXPECT_TRUE(first->is_created);
  EXPECT_EQ(first->rows, 2);
  EXPECT_THAT(notices_, HasSubstr("column 'id': long\n"));
  EXPECT_THAT(notices_,
              HasSubstr("column 'x': double, because of '2.5' in 'memory:/in/a.json' line 2\n"));

  ASSERT_THAT(Run({Put("b.json", "[{\"NAME\":\"bob\",\"id\":\"3\"}]")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"name":"ann","ok":true,"x":1.0})",
                                  R"({"id":2,"name":null,"ok":null,"x":2.5})",
                                  R"({"id":3,"name":"bob","ok":null,"x":null})"));
}

TEST_F(JsonIngestTest, MakesStructsOfObjectsAndListsOfArrays) {
  ASSERT_THAT(Run({Put("a.json",
                       "{\"p\":{\"x\":1},\"l\":[1,null]}\n"
                       "{\"p\":{\"y\":[{\"z\":\"2026-01-31\"}]},\"l\":[],\"e\":{},\"n\":null}\n")}),
              IsOk());
  EXPECT_THAT(notices_, HasSubstr("column 'p': struct<5: x: optional long"));
  EXPECT_THAT(Rows(),
              ElementsAre(R"({"p":{"x":1,"y":null},"l":[1,null],"e":null,"n":null})",
                          R"({"p":{"x":null,"y":[{"z":"2026-01-31"}]},"l":[],"e":"{}","n":null})"));
}

TEST_F(JsonIngestTest, TakesTextsForTimesOnlyIfAllAre) {
  ASSERT_THAT(Run({Put("a.json",
                       "{\"d\":\"2026-01-31\",\"t\":\"2026-01-31\",\"z\":\"2026-01-31T10:00Z\","
                       "\"s\":\"2026-01-31\",\"n\":\"7\"}\n"
                       "{\"t\":\"2026-01-31T10:00:00\",\"s\":\"soon\",\"n\":\"8\"}\n")}),
              IsOk());
  for (const std::string column :
       {"'d': date", "'t': timestamp", "'z': timestamptz", "'s': string", "'n': string"}) {
    EXPECT_THAT(notices_, HasSubstr("column " + column));
  }
}

TEST_F(JsonIngestTest, KeepsWhatHasNothingInCommonAsText) {
  ASSERT_THAT(Run({Put("a.json",
                       "{\"v\":1,\"w\":[1],\"big\":1,\"wide\":9007199254740993}\n"
                       "{\"v\":{\"a\": \"x\"},\"w\":\"x\",\"big\":18446744073709551616,"
                       "\"wide\":0.5}\n")}),
              IsOk());
  EXPECT_THAT(notices_,
              HasSubstr("'v': string, because of an object in 'memory:/in/a.json' line 2"));
  EXPECT_THAT(
      Rows(),
      ElementsAre(R"({"v":"1","w":"[1]","big":"1","wide":"9007199254740993"})",
                  R"({"v":"{\"a\": \"x\"}","w":"x","big":"18446744073709551616","wide":"0.5"})"));
}

TEST_F(JsonIngestTest, InfersDecimalsOnRequest) {
  request_.infers_decimals = true;
  ASSERT_THAT(Run({Put("a.json", "{\"x\":1.25}{\"x\":-100}")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"x":"-100.00"})", R"({"x":"1.25"})"));
}

// The columns of later rows are not there.
TEST_F(JsonIngestTest, RefusesRowsWhoseKeysASampleDidNotShow) {
  request_.sample_rows = 1;
  EXPECT_THAT(
      Run({Put("a.json", "{\"a\":1}\n{\"a\":2,\"b\":1}\n")}),
      IsError(ErrorCode::kInvalidInput, "line 2, column 'b': the table has no such column"));
  EXPECT_THAT(catalog_->Load(request_.table), IsError(ErrorCode::kNotFound));
}

TEST_F(JsonIngestTest, RefusesMoreKeysThanATableHasColumns) {
  std::string text;
  for (int i = 0; i <= 10'000; ++i)
    text += fmt::format("{{\"id\":1,\"tags\":{{\"k{}\":1}}}}\n", i);
  EXPECT_THAT(Run({Put("a.json", text)}),
              IsError(ErrorCode::kInvalidInput,
                      "the objects at 'tags' have more than 10000 distinct keys"));
}

TEST_F(JsonIngestTest, ListsAllKeysThatTheTableLacks) {
  MakeTable({{"id", Primitive(TypeId::kLong)}});
  EXPECT_THAT(Run({Put("a.json", "{\"id\":1}\n{\"x\":1}\n{\"id\":2,\"y\":{}}\n")}),
              IsError(ErrorCode::kInvalidInput,
                      "column 'x' is not in the table; column 'y' is not in the table"));
}

TEST_F(JsonIngestTest, AddsColumnsOnRequest) {
  ASSERT_THAT(Run({Put("a.json", "{\"id\":1}")}), IsOk());
  request_.evolves = true;
  ASSERT_THAT(Run({Put("b.json", "{\"ID\":\"2\",\"p\":{\"x\":[1]}}")}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"p":null})", R"({"id":2,"p":{"x":[1]}})"));
}

TEST_F(JsonIngestTest, WidensFieldsThatDoNotHoldTheValuesOnRequest) {
  MakeTable({{"i", Primitive(TypeId::kInt)},
             {"s", Type::Struct({Field(20, "a", Primitive(TypeId::kInt)),
                                 Field(21, "b", Primitive(TypeId::kInt))})},
             {"l", Type::List(Field(22, "", Primitive(TypeId::kFloat)))}});
  const std::string file =
      Put("a.json", R"({"i":1,"s":{"a":3000000000,"b":2},"l":[0.1234567891]})");
  EXPECT_THAT(Run({file}), IsError(ErrorCode::kInvalidInput, "'3000000000' is no int"));
  request_.evolves = true;
  ASSERT_THAT(Run({file}), IsOk());
  EXPECT_THAT(notices_, HasSubstr("widening column 's.a' to long"));
  EXPECT_THAT(notices_, HasSubstr("widening column 'l.element' to double"));
  EXPECT_THAT(notices_, Not(HasSubstr("column 'i'")));
  EXPECT_THAT(Rows(), ElementsAre(R"({"i":1,"s":{"a":3000000000,"b":2},"l":[0.1234567891]})"));
}

// What `firn read --output json` prints.
TEST_F(JsonIngestTest, ReadsBackWhatIsPrinted) {
  MakeTable({{"b", Primitive(TypeId::kBoolean)},
             {"i", Primitive(TypeId::kInt)},
             {"l", Primitive(TypeId::kLong)},
             {"f", Primitive(TypeId::kFloat)},
             {"d", Primitive(TypeId::kDouble)},
             {"dec", Type::Decimal(38, 3)},
             {"date", Primitive(TypeId::kDate)},
             {"time", Primitive(TypeId::kTime)},
             {"ts", Primitive(TypeId::kTimestamp)},
             {"tz", Primitive(TypeId::kTimestamptz)},
             {"s", Primitive(TypeId::kString)},
             {"u", Primitive(TypeId::kUuid)},
             {"fix", Type::Fixed(2)},
             {"bin", Primitive(TypeId::kBinary)},
             {"st", Type::Struct({Field(20, "x", Primitive(TypeId::kDouble)),
                                  Field(21, "y", Primitive(TypeId::kDate))})},
             {"li", Type::List(Field(22, "", Primitive(TypeId::kBinary)))},
             {"m", Type::Map(Field(23, "", Primitive(TypeId::kString)),
                             Field(24, "", Primitive(TypeId::kFloat)))},
             {"mi", Type::Map(Field(25, "", Primitive(TypeId::kInt)),
                              Field(26, "", Primitive(TypeId::kString)))}});
  const std::vector<std::string> rows = {
      R"({"b":false,"i":2147483647,"l":9223372036854775807,"f":"-Infinity","d":5e-324,)"
      R"("dec":"12345678901234567890123456789012345.678","date":"-0001-01-31",)"
      R"("time":"23:59:59.999999","ts":"0001-01-01T00:00:00.000000",)"
      R"("tz":"9999-12-31T23:59:59.999999+00:00","s":"\u0000\"\\é\n","u":)"
      R"("f79c3e09-677c-4bbd-a479-3f349cb785e7","fix":"00ff","bin":"","st":{"x":"Infinity",)"
      R"("y":null},"li":["0a",null],"m":[{"key":"","value":1.5},{"key":"k","value":null}],)"
      R"("mi":[{"key":-1,"value":"x"}]})",
      R"({"b":null,"i":null,"l":-9223372036854775808,"f":0.1,"d":"NaN","dec":"-0.001",)"
      R"("date":"2026-01-31","time":"00:00:00.000000","ts":null,"tz":null,"s":"","u":null,)"
      R"("fix":null,"bin":null,"st":null,"li":[],"m":[],"mi":null})",
      R"({"b":true,"i":-1,"l":0,"f":3.4028235e+38,"d":-0.0,"dec":null,"date":null,"time":null,)"
      R"("ts":null,"tz":null,"s":null,"u":null,"fix":null,"bin":"deadbeef","st":{"x":null,)"
      R"("y":"2026-01-31"},"li":null,"m":null,"mi":[]})"};
  ASSERT_THAT(Run({Put("a.json", rows[0] + "\n" + rows[1] + "\n" + rows[2])}), IsOk());
  const std::vector<std::string> printed = Rows();
  ASSERT_EQ(printed.size(), 3U);
  request_.table = {{"db"}, "copy"};
  const auto table = catalog_->Load({{"db"}, "t"});
  ASSERT_THAT(table, IsOk());
  request_.layout.schema = *table->metadata->current_schema();
  ASSERT_THAT(Run({Put("b.json", "[" + printed[0] + ",\n" + printed[1] + "," + printed[2] + "]")}),
              IsOk());
  EXPECT_EQ(Rows(), printed);
  EXPECT_THAT(printed[0],
              HasSubstr(R"("d":5e-324,"dec":"12345678901234567890123456789012345.678")"));
  EXPECT_THAT(printed[0], HasSubstr(R"("bin":"","st":{"x":"Infinity","y":null},"li":["0a",null])"));
}

TEST_F(JsonIngestTest, ConvertsToTheTypesOfTheTable) {
  MakeTable({{"l", Primitive(TypeId::kLong)},
             {"d", Type::Decimal(5, 2)},
             {"s", Primitive(TypeId::kString)},
             {"m", Type::Map(Field(10, "", Primitive(TypeId::kString)),
                             Field(11, "", Primitive(TypeId::kDouble)))}});
  ASSERT_THAT(Run({Put("a.json",
                       "{\"l\":\"7\",\"d\":1.5,\"s\":true,\"m\":{\"a\":1,\"b\":\"NaN\"}}\n"
                       "{\"l\":8,\"d\":\"2\",\"s\":[1, 2],\"m\":{}}\n"
                       "{\"s\":1.50}\n")}),
              IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"l":7,"d":"1.50","s":"true","m":[{"key":"a","value":1.0},)"
                                  R"({"key":"b","value":"NaN"}]})",
                                  R"({"l":8,"d":"2.00","s":"[1, 2]","m":[]})",
                                  R"({"l":null,"d":null,"s":"1.50","m":null})"));
}

TEST_F(JsonIngestTest, NamesLineAndPathOfABadRow) {
  NestedField required = Field(10, "r", Primitive(TypeId::kInt));
  required.required = true;
  MakeTable({{"l", Primitive(TypeId::kLong)},
             {"d", Primitive(TypeId::kDate)},
             {"p", Type::List(Field(11, "", Type::Struct({required})))},
             {"m", Type::Map(Field(12, "", Primitive(TypeId::kString)),
                             Field(13, "", Primitive(TypeId::kLong)))}});
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"l":1.5})", "line 2, column 'l': '1.5' is no long"},
      {R"({"l":true})", "line 2, column 'l': 'true' is no long"},
      {R"({"l":{}})", "line 2, column 'l': an object is no long"},
      {R"({"d":20260131})", "line 2, column 'd': '20260131' is no date"},
      {R"({"d":"2026-02-30"})", "line 2, column 'd': '2026-02-30' is no date"},
      {R"({"l":1,"l":2})", "line 2, column 'l': the key stands twice in its object"},
      {R"({"p":[{"r":1},{"r":1,"r":2}]})",
       "line 2, column 'p[1].r': the key stands twice in its object"},
      {R"({"p":[{}]})", "line 2, column 'p[0].r': the value is missing"},
      {R"({"p":[{"r":null}]})", "line 2, column 'p[0].r': the value is missing"},
      {R"({"p":[{"r":1,"q":1}]})", "line 2, column 'p[0].q': the table has no such field"},
      {R"({"p":7})", "line 2, column 'p': '7' is no list<"},
      {R"({"m":{"a":1,"a":1}})", "line 2, column 'm': a key of the map stands twice"},
      {R"({"m":[{"key":"a"}]})", "line 2, column 'm[0]': an entry of a map has no 'value'"},
      {R"({"m":[1]})", "line 2, column 'm[0]': '1' is no map<"},
      {R"({"l":nul})", "line 2: l: found nul, expected a JSON value"},
      {R"({"l":1 2})", "line 2: "},
      {"{\"l\":\"\xFF\"}", "line 2: not JSON"},
      {R"({"l":1)", "line 2: the object that begins here is no JSON"},
      {"l,d", "line 2: 'l,d' is no object"}};
  for (const auto& [row, message] : cases) {
    const std::string text = "{\"l\":1}\n" + row + "\n{\"l\":3}\n";
    request_.bad_rows = BadRows::kFail;
    EXPECT_THAT(Run({Put("a.json", text)}), IsError(ErrorCode::kInvalidInput, message)) << row;
    EXPECT_THAT(Rows(), IsEmpty());
  }
}

TEST_F(JsonIngestTest, SkipsOrKeepsBadRowsOnRequest) {
  MakeTable({{"l", Primitive(TypeId::kLong)}});
  const std::string file =
      Put("a.json", "{\"l\":1}\n{\"l\":\"x\"}\n{\"l\":2\n{\"l\":3}\noops\n{\"l\":4}\n");
  request_.bad_rows = BadRows::kSkip;
  const auto skipped = Run({file});
  ASSERT_THAT(skipped, IsOk());
  EXPECT_EQ(skipped->rows, 3);
  EXPECT_EQ(skipped->rejected, 3);
  EXPECT_THAT(Rows(), ElementsAre(R"({"l":1})", R"({"l":3})", R"({"l":4})"));

  request_.bad_rows = BadRows::kQuarantine;
  request_.reject_file = "memory:/out/rejects.jsonl";
  ASSERT_THAT(Run({file}), IsOk());
  const auto rejects = ReadFile(*io_, request_.reject_file);
  ASSERT_THAT(rejects, IsOk());
  EXPECT_THAT(std::string(rejects->view()),
              HasSubstr(R"("line":2,"column":"l","reason":"'x' is no long",)"
                        R"("text":"{\"l\":\"x\"}")"));
  EXPECT_THAT(std::string(rejects->view()), HasSubstr(R"("text":"{\"l\":2"})"));
  EXPECT_THAT(std::string(rejects->view()), HasSubstr(R"("line":5,"column":"","reason":)"));
}

// A row is loaded whole or not at all, in files of many blocks too.
TEST_F(JsonIngestTest, KeepsTheOrderOfLinesOverManyBlocks) {
  std::string text = "\xEF\xBB\xBF";
  for (int line = 1; line <= 60'000; ++line) {
    text += line == 50'001 ? "{\"id\":1,\"name\":{\"x\":oops}}\n"
                           : fmt::format("{{\"id\":{},\"name\":\"n\"}}\n", line);
  }
  EXPECT_THAT(Run({Put("bad.json", text)}),
              IsError(ErrorCode::kInvalidInput, "'memory:/in/bad.json' line 50001"));
  request_.bad_rows = BadRows::kSkip;
  const auto result = Run({Put("bad.json", text)});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 59'999);
  EXPECT_THAT(notices_, HasSubstr("column 'name': string"));
}

TEST_F(JsonIngestTest, TakesColumnsFromFoldersOfHive) {
  request_.hive_partitions = true;
  Put("year=2025/a.json", "{\"id\":1}");
  Put("year=2026/b.json", "{\"id\":2}");
  ASSERT_THAT(Run({"memory:/in"}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"year":2025})", R"({"id":2,"year":2026})"));
  Put("year=2027/c.json", "{\"id\":3,\"year\":2027}");
  EXPECT_THAT(Run({"memory:/in"}), IsError(ErrorCode::kInvalidInput,
                                           "is in the files and in the names of their folders"));
}

TEST_F(JsonIngestTest, ReadsPackedFilesAndMarkedUtf16) {
  // {"a":1}
  const std::string_view gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\x56\x4a\x54\xb2\x32\xac\xe5\x02\x00"
      "\x46\xa3\xe8\x74\x08\x00\x00\x00",
      28);
  ASSERT_THAT(Run({Put("a.json.gz", gzip)}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1})"));
  const std::string_view wide("\xFF\xFE{\0\"\0a\0\"\0:\0002\0}\0", 16);
  ASSERT_THAT(Run({Put("b.json", wide)}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1})", R"({"a":2})"));
}

// What is no JSON is not empty.
TEST_F(JsonIngestTest, NamesTheLineOfASourceWithoutOneRowThatIsJson) {
  EXPECT_THAT(Run({Put("text.json", "\nhello world\n")}),
              IsError(ErrorCode::kInvalidInput,
                      "'memory:/in/text.json' line 2: 'hello world' is no object; no row of the "
                      "source tells a column"));
  EXPECT_THAT(
      Run({Put("empty.json", ""), Put("numbers.json", "[1, 2]\n")}),
      IsError(ErrorCode::kInvalidInput, "'memory:/in/numbers.json' line 1: '[1, 2]' is no"));
  EXPECT_THAT(Run({Put("open.json", "{}\n{\"a\": 1\n")}),
              IsError(ErrorCode::kInvalidInput, "line 2: the object that begins here is no JSON"));
  request_.bad_rows = BadRows::kSkip;
  EXPECT_THAT(Run({Put("skip.json", "hello\n")}),
              IsError(ErrorCode::kInvalidInput, "line 1: 'hello' is no object"));
  EXPECT_THAT(catalog_->Load(request_.table), IsError(ErrorCode::kNotFound));
  // A table that is there needs no columns of it.
  ASSERT_THAT(Run({Put("a.json", "{\"a\": 1}\n")}), IsOk());
  for (const bool evolves : {false, true}) {
    request_.evolves = evolves;
    const auto skipped = Run({Put("skip.json", "hello\n")});
    ASSERT_THAT(skipped, IsOk());
    EXPECT_EQ(skipped->rejected, 1);
  }
}

TEST_F(JsonIngestTest, RefusesAnEmptySourceForANewTableAndLoadsNothingOfOneForAnOldTable) {
  const std::string empty = Put("empty.json", "[ ]\n");
  EXPECT_THAT(Run({empty}), IsError(ErrorCode::kInvalidInput, "no columns"));
  EXPECT_THAT(Run({Put("nameless.json", "{\"\":1}")}), Not(IsOk()));
  ASSERT_THAT(Run({Put("a.json", "{\"id\":1}")}), IsOk());
  const auto result = Run({empty});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 0);
}

}  // namespace
}  // namespace firn
