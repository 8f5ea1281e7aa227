#include <gmock/gmock.h>

#include "firn/base/utf8.h"
#include "firn/format/gzip.h"
#include "firn/format/schema/schema_text.h"
#include "firn/ingest/ingest_testing_internal.h"

namespace firn {
namespace {

using namespace std::string_view_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CsvIngestTest : public IngestTest {
 protected:
  /// Load `text` into a table made of it.
  Result<IngestResult> Load(std::string_view text) {
    request_.mode = IngestMode::kCreateOrReplace;
    notices_.clear();
    return Run({Put("x.csv", text)});
  }

  /// The columns and types of the table.
  std::string Columns() {
    const Result<Table> table = catalog_->Load(request_.table);
    if (!table.ok()) return table.error().Format();
    std::string text;
    for (const NestedField& field : table->metadata->current_schema()->fields())
      text += (text.empty() ? "" : ", ") + field.name + " " + FormatType(*field.type);
    return text;
  }

  static Schema MakeSchema(bool is_required) {
    NestedField number;
    number.id = 1;
    number.name = "n";
    number.type = Type::Primitive(TypeId::kInt);
    number.required = is_required;
    NestedField text;
    text.id = 2;
    text.name = "s";
    text.type = Type::Primitive(TypeId::kString);
    return Schema(0, {number, text});
  }
};

// B133: a first quote, a hash sign, a text among numbers and a long number that come after
// thousands of others.
TEST_F(CsvIngestTest, LooksAtEveryRowNotAtASample) {
  std::string text = "name,note,code,count\n";
  for (int row = 1; row <= 30'000; ++row) {
    const std::string_view name = row == 1 || row == 2'100 ? "#1"sv : "Ann"sv;
    const std::string code = row == 25'000 ? "007A" : std::to_string(row);
    const int64_t count = row > 20'480 ? int64_t{3'000'000'000} + row : row;
    text += fmt::format("{},plain,{},{}\n", name, code, count);
  }
  text += "Bob,\"Beth, Co.\",7,1\n";

  const auto result = Load(text);

  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 30'001);
  EXPECT_EQ(result->rejected, 0);
  EXPECT_EQ(Columns(), "name string, note string, code string, count long");
  EXPECT_THAT(notices_, HasSubstr("column 'code': string, because of '007A' in "
                                  "'memory:/in/x.csv' line 25001"));
  const std::vector<std::string> rows = Rows();
  EXPECT_THAT(rows, SizeIs(30'001));
  EXPECT_THAT(rows, Contains(R"({"name":"Bob","note":"Beth, Co.","code":"7","count":1})"));
  EXPECT_THAT(rows, Contains(R"({"name":"#1","note":"plain","code":"1","count":1})"));
  EXPECT_THAT(rows, Contains(R"({"name":"#1","note":"plain","code":"2100","count":2100})"));
  EXPECT_THAT(rows, Contains(R"({"name":"Ann","note":"plain","code":"007A","count":3000025000})"));
}

// B133: who asks for a sample is told what it did not foresee.
TEST_F(CsvIngestTest, NamesTheLineThatASampleDidNotForesee) {
  std::string text = "a,b\n";
  for (int row = 0; row < 300; ++row)
    text += row == 250 ? "007A,x\n" : "1,x\n";
  request_.sample_rows = 100;
  EXPECT_THAT(Load(text),
              IsError(ErrorCode::kInvalidInput, "line 252, column 'a': '007A' is no long"));
  request_.sample_rows = 251;
  EXPECT_THAT(Load(text), IsOk());
}

// B133: nothing is quoted if quotes are declared to mean nothing.
TEST_F(CsvIngestTest, QuotesMeanNothingOnlyIfThatIsAskedFor) {
  request_.csv.quote = '\0';
  ASSERT_THAT(Load("a,b\n\"x,y\"\n"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":"\"x","b":"y\""})"));
}

// B134: a lone CR in a file of other line ends is a character like any other, with and without a
// declaration; a CR that ends lines must be alone from the first line on.
TEST_F(CsvIngestTest, LosesNoCarriageReturnWithinAField) {
  for (const LineEnd line_end : {LineEnd::kDetect, LineEnd::kCrLf}) {
    request_.csv.line_end = line_end;
    ASSERT_THAT(Load("t\r\none\rtwo\r\nthree\r\n"), IsOk());
    EXPECT_THAT(Rows(), ElementsAre(R"({"t":"one\rtwo"})", R"({"t":"three"})"));
    ASSERT_THAT(Load("t,n\r\none\rtwo,7\r\n"), IsOk());
    EXPECT_THAT(Rows(), ElementsAre(R"({"t":"one\rtwo","n":7})"));
  }
  request_.csv.line_end = LineEnd::kCr;
  ASSERT_THAT(Load("t,n\rone,1\rtwo,2"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"t":"one","n":1})", R"({"t":"two","n":2})"));
}

// B134
TEST_F(CsvIngestTest, ReadsMixedLineEndsAndALastRowWithoutOne) {
  for (const char* text : {"a,b\n1,x\r\n2,y\n3,z", "a,b\r\n1,x\n2,y\r\n3,z", "a,b\r1,x\r2,y\r3,z",
                           "a,b\r\n1,x\r\n2,y\r\n3,z\r\n", "\r\n\na,b\n1,x\n2,y\n3,\"z\""}) {
    ASSERT_THAT(Load(text), IsOk()) << text;
    EXPECT_THAT(Rows(),
                ElementsAre(R"({"a":1,"b":"x"})", R"({"a":2,"b":"y"})", R"({"a":3,"b":"z"})"))
        << text;
  }
  for (const char* text : {"to\rskip\rt\rx\r", "to\r\nskip\nt\nx", "a \" b\nc\nt\nx\n"}) {
    request_.csv.skip_lines = 2;
    ASSERT_THAT(Load(text), IsOk()) << text;
    EXPECT_THAT(Rows(), ElementsAre(R"({"t":"x"})")) << text;
  }
}

// B134
TEST_F(CsvIngestTest, KeepsANulInTextAndNamesTheLineOfOneInANumber) {
  ASSERT_THAT(Load("t,n\nab,1\nx\0y,2\n\"\0\",3\n"sv), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("{\"t\":\"\\u0000\",\"n\":3}", "{\"t\":\"ab\",\"n\":1}",
                                  "{\"t\":\"x\\u0000y\",\"n\":2}"));
  request_.layout.schema = MakeSchema(false);
  EXPECT_THAT(Load("n,s\n1,a\n1\0,b\n"sv), IsError(ErrorCode::kInvalidInput, "line 3, column 'n'"));
}

// B135
TEST_F(CsvIngestTest, AByteOrderMarkIsNoPartOfTheFirstName) {
  ASSERT_THAT(Load("\xEF\xBB\xBF\"id\",\"name\"\n1,a\n"), IsOk());
  EXPECT_EQ(Columns(), "id long, name string");
  const std::string packed = CompressGzip("\xEF\xBB\xBF\"id\",\"name\"\n1,a\n"sv);
  ASSERT_THAT(Run({Put("x.csv.gz", packed)}), IsOk());
  EXPECT_EQ(Columns(), "id long, name string");
  // Two files, of which one has a mark: the same columns.
  ASSERT_THAT(Run({Put("a.csv", "id,name\n1,a\n"), Put("b.csv", "\xEF\xBB\xBFid,name\n2,b\n")}),
              IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"id":1,"name":"a"})", R"({"id":2,"name":"b"})"));
  request_.table = {{"db"}, "other"};
  EXPECT_THAT(Load("\xEF\xBB\xBF"), IsError(ErrorCode::kInvalidInput, "no columns: it is empty"));
  EXPECT_THAT(Load("\xEF\xBB\xBF\r\n"), IsError(ErrorCode::kInvalidInput, "no columns"));
}

// B135
TEST_F(CsvIngestTest, Utf16IsReadAsItsMarkSaysPackedOrNot) {
  const std::string_view little("\xFF\xFE\"\0i\0d\0\"\0,\0n\0\n\0001\0,\0\xE9\0\n\0", 24);
  const std::string_view big("\xFE\xFF\0\"\0i\0d\0\"\0,\0n\0\n\0001\0,\0\xE9\0\n", 24);
  for (const std::string_view text : {little, big}) {
    ASSERT_THAT(Load(text), IsOk());
    EXPECT_THAT(Rows(), ElementsAre("{\"id\":1,\"n\":\"é\"}"));
    const std::string packed = CompressGzip(text);
    ASSERT_THAT(Run({Put("y.csv.gz", packed)}), IsOk());
    EXPECT_THAT(Rows(), ElementsAre("{\"id\":1,\"n\":\"é\"}"));
  }
}

// B135: bytes that are no UTF-8 are errors with their place until somebody says what they are.
TEST_F(CsvIngestTest, BytesThatAreNotUtf8AreErrorsWithLineAndOffset) {
  const std::string_view latin = "id,name\n1,a\n2,caf\xE9\n";
  EXPECT_THAT(Load(latin),
              IsError(ErrorCode::kInvalidInput,
                      "line 3, column 'name': byte 3 of the text is 0xe9, which is not UTF-8"));
  EXPECT_THAT(Load("id,name\n1,\"x\xC3\x28\"\n"),
              IsError(ErrorCode::kInvalidInput,
                      "line 2, column 'name': byte 1 of the text is 0xc3, which is not UTF-8"));
  EXPECT_THAT(Load("id,n\xE9\n1,x\n"),
              IsError(ErrorCode::kInvalidInput, "line 1: the name of column 2 is not UTF-8"));
  const std::string packed = CompressGzip(latin);
  EXPECT_THAT(Run({Put("x.csv.gz", packed)}),
              IsError(ErrorCode::kInvalidInput, "line 3, column 'name': byte 3"));
  request_.csv.encoding = TextEncoding::kLatin1;
  ASSERT_THAT(Load(latin), IsOk());
  EXPECT_THAT(Rows(), Contains("{\"id\":2,\"name\":\"café\"}"));
  request_.csv.encoding = TextEncoding::kWindows1252;
  ASSERT_THAT(Load("id,name\n2,\x93quoted\x94\n"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("{\"id\":2,\"name\":\"“quoted”\"}"));
}

// B135: also where a number was expected, and in what is kept of a bad row.
TEST_F(CsvIngestTest, TellsOfStrangeBytesInTextThatIsUtf8) {
  request_.layout.schema = MakeSchema(false);
  const auto refused = Load("n,s\n\xE9,x\n");
  EXPECT_THAT(refused, IsError(ErrorCode::kInvalidInput, "column 'n': byte 0 of the text is 0xe9"));
  request_.bad_rows = BadRows::kQuarantine;
  request_.reject_file = "memory:/out/strange.jsonl";
  ASSERT_THAT(Load("n,s\n\xE9,x\n7,y\n"), IsOk());
  EXPECT_TRUE(IsValidUtf8(ReadFile(*io_, request_.reject_file)->view()));
}

constexpr std::string_view kUnevenRows = "a,b,c\n1,2,3\n4,5\n6\n7,8,9,10\n11,12,13,\n\n14,15,16\n";

// B136
TEST_F(CsvIngestTest, RowsOfAnotherWidthThanTheHeaderAreErrorsWithTheirLine) {
  EXPECT_THAT(Load(kUnevenRows),
              IsError(ErrorCode::kInvalidInput, "line 3: 2 fields, expected 3 as in the header"));
  EXPECT_THAT(Load("a,b,c,d\n1,2,3\n"),
              IsError(ErrorCode::kInvalidInput, "line 2: 3 fields, expected 4"));
  EXPECT_THAT(catalog_->Load(request_.table), IsError(ErrorCode::kNotFound));
}

// B136
TEST_F(CsvIngestTest, PadsRowsOnRequestAndLosesNoValueByThat) {
  request_.csv.pads_rows = true;
  EXPECT_THAT(Load(kUnevenRows),
              IsError(ErrorCode::kInvalidInput,
                      "line 5: 4 fields, expected 3 as in the header; those behind the last column "
                      "are not empty"));
  request_.bad_rows = BadRows::kSkip;
  const auto result = Load(kUnevenRows);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 5);
  EXPECT_EQ(result->rejected, 1);
  EXPECT_EQ(Columns(), "a long, b long, c long");
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1,"b":2,"c":3})", R"({"a":11,"b":12,"c":13})",
                                  R"({"a":14,"b":15,"c":16})", R"({"a":4,"b":5,"c":null})",
                                  R"({"a":6,"b":null,"c":null})"));
  request_.bad_rows = BadRows::kFail;
  ASSERT_THAT(Load("a,b,c,d\n1,2,3\n"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre(R"({"a":1,"b":2,"c":3,"d":null})"));
  request_.layout.schema = MakeSchema(true);
  EXPECT_THAT(Load("s,n\nx\n"),
              IsError(ErrorCode::kInvalidInput,
                      "line 2, column 'n': the value is missing, but the column is required"));
}

// B136: rows in = loaded + rejected, each with its line and text.
TEST_F(CsvIngestTest, KeepsEveryRowOfAnotherWidthWithItsLine) {
  request_.bad_rows = BadRows::kQuarantine;
  request_.reject_file = "memory:/out/uneven.jsonl";
  const auto result = Load(kUnevenRows);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->rows, 2);
  EXPECT_EQ(result->rejected, 4);
  const auto rejects = ReadFile(*io_, request_.reject_file);
  ASSERT_THAT(rejects, IsOk());
  std::vector<std::string> places;
  for (const std::string_view line : SplitText(rejects->view(), '\n')) {
    if (!line.empty()) places.emplace_back(line);
  }
  EXPECT_THAT(places, ElementsAre(AllOf(HasSubstr("\"line\":3,"), EndsWith("\"text\":\"4,5\"}")),
                                  AllOf(HasSubstr("\"line\":4,"), EndsWith("\"text\":\"6\"}")),
                                  AllOf(HasSubstr("\"line\":5,"), HasSubstr("7,8,9,10")),
                                  AllOf(HasSubstr("\"line\":6,"), HasSubstr("11,12,13,"))));
}

// B136: names that stand twice are made different, always in the same way.
TEST_F(CsvIngestTest, GivesColumnsOfOneNameNumbers) {
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(Load("a,a,a_2,a\n1,2,3,4\n"), IsOk());
    EXPECT_EQ(Columns(), "a long, a_2 long, a_2_2 long, a_3 long");
    EXPECT_THAT(Rows(), ElementsAre(R"({"a":1,"a_2":2,"a_2_2":3,"a_3":4})"));
  }
}

// B137
TEST_F(CsvIngestTest, TellsTheEmptyTextFromAMissingValue) {
  ASSERT_THAT(Load("n,s\n42,\"\"\n,a\n88,\n7,\"NULL\"\n 7 ,x\n"), IsOk());
  EXPECT_EQ(Columns(), "n long, s string");  // Blanks around a number do not matter.
  EXPECT_THAT(Rows(),
              ElementsAre(R"({"n":42,"s":""})", R"({"n":7,"s":"NULL"})", R"({"n":7,"s":"x"})",
                          R"({"n":88,"s":null})", R"({"n":null,"s":"a"})"));
  // Words mean null only if they are said to.
  request_.layout.schema = MakeSchema(false);
  EXPECT_THAT(Load("n,s\nNULL,\"NULL\"\n"),
              IsError(ErrorCode::kInvalidInput, "line 2, column 'n': 'NULL' is no int"));
  EXPECT_THAT(Load("n,s\n\\N,\\N\n"),
              IsError(ErrorCode::kInvalidInput, "line 2, column 'n': '\\N' is no int"));
}

// B137: an empty number is missing whichever words mean null; an empty text is a text then.
TEST_F(CsvIngestTest, EmptyNumbersAreNullWhateverElseIs) {
  request_.csv.null_texts = {"NULL", "\\N"};
  const std::string_view text = "n,s\n42,\"\"\n,a\n88,\nNULL,\"NULL\"\n\\N,\\N\n 7 ,x\n";
  const std::vector<std::string> expected = {R"({"n":42,"s":""})",    R"({"n":7,"s":"x"})",
                                             R"({"n":88,"s":""})",    R"({"n":null,"s":"NULL"})",
                                             R"({"n":null,"s":"a"})", R"({"n":null,"s":null})"};
  ASSERT_THAT(Load(text), IsOk());
  EXPECT_EQ(Columns(), "n long, s string");
  EXPECT_EQ(Rows(), expected);
  request_.layout.schema = MakeSchema(false);
  ASSERT_THAT(Load(text), IsOk());
  EXPECT_EQ(Rows(), expected);
}

// B137
TEST_F(CsvIngestTest, ANullInARequiredColumnIsAnErrorWithItsLine) {
  request_.layout.schema = MakeSchema(true);
  for (const char* row : {",a", "\"\",a"}) {
    EXPECT_THAT(Load(fmt::format("n,s\n1,x\n{}\n", row)),
                IsError(ErrorCode::kInvalidInput,
                        "line 3, column 'n': the value is missing, but the column is required"));
  }
  request_.csv.null_texts = {"NULL"};
  EXPECT_THAT(Load("n,s\nNULL,x\n"), IsError(ErrorCode::kInvalidInput, "line 2, column 'n'"));
}

TEST_F(CsvIngestTest, WidensColumnsThatDoNotHoldTheValuesOnRequest) {
  request_.layout.schema = *ParseSchemaText("i int, j int, f float, g float, s string");
  ASSERT_THAT(Run({Put("0.csv", "i,j,f,g,s\n1,1,1,1,x\n")}), IsOk());
  request_.layout.schema.reset();
  const std::string file = Put("a.csv", "i,j,f,g,s\n3000000000,7,0.1234567891,0.25,1\n");
  EXPECT_THAT(Run({file}), IsError(ErrorCode::kInvalidInput, "'3000000000' is no int"));
  request_.evolves = true;
  ASSERT_THAT(Run({file}), IsOk());
  EXPECT_EQ(Columns(), "i long, j int, f double, g float, s string");
  EXPECT_THAT(notices_, HasSubstr("widening column 'i' to long"));
  EXPECT_THAT(Rows(), ElementsAre(R"({"i":1,"j":1,"f":1.0,"g":1.0,"s":"x"})",
                                  R"({"i":3000000000,"j":7,"f":0.1234567891,"g":0.25,"s":"1"})"));
  EXPECT_THAT(Run({Put("b.csv", "i\nx\n")}), IsError(ErrorCode::kInvalidInput, "'x' is no long"))
      << "what no wider type holds";
}

TEST_F(CsvIngestTest, SaysThatColumnsAreStringForWantOfValues) {
  ASSERT_THAT(Load("id,day\n"), IsOk());
  EXPECT_EQ(Columns(), "id string, day string");
  EXPECT_THAT(notices_, HasSubstr("column 'day': string, because no row has a value of it"));
  EXPECT_THAT(notices_, HasSubstr("give them by --schema"));
  ASSERT_THAT(Load("id,day\n1,\n"), IsOk());
  EXPECT_THAT(notices_, HasSubstr("column 'day': string, because no row has a value of it"));
  EXPECT_THAT(notices_, Not(HasSubstr("give them by --schema")));
  request_.mode = IngestMode::kAppend;
  request_.evolves = true;
  ASSERT_THAT(Run({Put("more.csv", "id,more\n")}), IsOk());
  EXPECT_THAT(notices_, HasSubstr("adding column 'more': string, because no row has a value"));
}

}  // namespace
}  // namespace firn
