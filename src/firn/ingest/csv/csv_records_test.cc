#include <gmock/gmock.h>

#include "firn/ingest/csv/csv_records_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

// All records of `text`, handed over in pieces of `piece` characters; fields joined by '|', with
// the line in front.
std::vector<std::string> Split(const std::string& text, size_t piece = std::string::npos,
                               const CsvDialect& dialect = {}, bool keeps_blank_lines = false) {
  CsvSplitter splitter(dialect, 1, keeps_blank_lines);
  std::vector<std::string> found;
  std::string rest;
  size_t at = 0;
  while (at < text.size() || !rest.empty()) {
    const std::string next = text.substr(at, piece);
    at = std::min(text.size(), at + next.size());
    CsvBlock block;
    size_t used = 0;
    EXPECT_THAT(splitter.Split(rest + next, at == text.size(), block, used), IsOk());
    for (const CsvRecord& record : block.records) {
      std::string line = std::to_string(record.line) + ":";
      for (uint32_t i = 0; i < record.field_count; ++i) {
        const CsvField& field = block.fields[record.first_field + i];
        const std::string field_text(block.FieldText(field));
        line += (i == 0 ? "" : "|");
        line += field.is_escaped ? UnescapeCsv(field_text, dialect) : field_text;
      }
      if (record.fault != CsvFault::kNone) line += " !";
      found.push_back(line);
    }
    rest = block.text.substr(used);
    if (at == text.size()) break;
  }
  return found;
}

// B134: LF and CR LF may be mixed. A CR alone ends lines of the files only that do so from the
// first line on; elsewhere no character of a field is lost.
TEST(CsvSplitterTest, EndsLinesAtLfAndCrLfAndAtCrWhereTheFirstLineDoes) {
  EXPECT_THAT(Split("a,b\nc,d\r\ne,f\ng,h"), ElementsAre("1:a|b", "2:c|d", "3:e|f", "4:g|h"));
  EXPECT_THAT(Split("a,b\r\nc,one\rtwo\r\ne,\rf\r"),
              ElementsAre("1:a|b", "2:c|one\rtwo", "3:e|\rf\r"));
  EXPECT_THAT(Split("a,b\nc,one\rtwo\n"), ElementsAre("1:a|b", "2:c|one\rtwo"));
  EXPECT_THAT(Split("a,b\rc,d\r\re,f"), ElementsAre("1:a|b", "2:c|d", "4:e|f"));
  EXPECT_THAT(Split("a,b\rc,d\ne,f\r\ng,h"), ElementsAre("1:a|b", "2:c|d", "3:e|f", "4:g|h"));
}

// B134
TEST(CsvSplitterTest, EndsLinesAsDeclared) {
  const std::string text = "a,b\r\nc,\"d\r\n\re\"\r\nf,g\rh,i\nj,k\r\nl,m\r";
  CsvDialect dialect;
  dialect.line_end = LineEnd::kCrLf;
  EXPECT_THAT(Split(text, std::string::npos, dialect),
              ElementsAre("1:a|b", "2:c|d\r\n\re", "4:f|g\rh|i\nj|k", "5:l|m\r"));
  dialect.line_end = LineEnd::kLf;
  EXPECT_THAT(Split(text, std::string::npos, dialect),
              ElementsAre("1:a|b\r", "2:c|d\r\n\re !", "4:f|g\rh|i", "5:j|k\r", "6:l|m\r"));
  dialect.line_end = LineEnd::kCr;
  EXPECT_THAT(Split(text, std::string::npos, dialect),
              ElementsAre("1:a|b", "2:\nc|d\r\n\re", "5:\nf|g", "6:h|i\nj|k", "7:\nl|m"));
  for (const LineEnd line_end : {LineEnd::kDetect, LineEnd::kCrLf, LineEnd::kLf, LineEnd::kCr}) {
    dialect.line_end = line_end;
    const std::vector<std::string> whole = Split(text, std::string::npos, dialect);
    for (size_t piece = 1; piece < text.size(); ++piece)
      EXPECT_EQ(Split(text, piece, dialect), whole) << piece;
  }
}

TEST(CsvSplitterTest, TakesWhatIsQuotedLiterally) {
  EXPECT_THAT(Split("\"a,b\",\"c\nd\"\n\"say \"\"hi\"\"\",x\n"),
              ElementsAre("1:a,b|c\nd", "3:say \"hi\"|x"));
}

TEST(CsvSplitterTest, GivesTheSameRecordsHoweverTheTextArrives) {
  const std::string text =
      "id,name\r\n1,\"a\r\nb\"\r\n\r\n2,\"say \"\"x\"\"\"\n3,\n\"4\",\"\"\n5,last";
  const std::vector<std::string> whole = Split(text);
  EXPECT_THAT(whole,
              ElementsAre("1:id|name", "2:1|a\r\nb", "5:2|say \"x\"", "6:3|", "7:4|", "8:5|last"));
  for (size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(Split(text, piece), whole) << piece;
  }
}

TEST(CsvSplitterTest, KeepsBlankLinesOfAFileOfOneColumn) {
  EXPECT_THAT(Split("a\n\nb\n", std::string::npos, {}, true), ElementsAre("1:a", "2:", "3:b"));
  EXPECT_THAT(Split("a\n\nb\n"), ElementsAre("1:a", "3:b"));
}

TEST(CsvSplitterTest, KnowsOtherDelimitersQuotesAndEscapes) {
  CsvDialect dialect;
  dialect.delimiter = ';';
  dialect.quote = '\'';
  dialect.escape = '\\';
  EXPECT_THAT(Split("'a;\\'b';\"c\"\n", std::string::npos, dialect), ElementsAre("1:a;'b|\"c\""));
  dialect.quote = '\0';
  EXPECT_THAT(Split("'a;b'\n", std::string::npos, dialect), ElementsAre("1:'a|b'"));
}

TEST(CsvSplitterTest, MarksTextBehindAQuoteAndAQuoteThatStaysOpen) {
  EXPECT_THAT(Split("\"a\"b,c\n1,2\n"), ElementsAre("1:a|c !", "2:1|2"));
  EXPECT_THAT(Split("1,\"open\nmore"), ElementsAre("1:1|open\nmore !"));
}

TEST(CsvSplitterTest, RefusesARecordWithoutEnd) {
  CsvSplitter splitter({}, 7, false);
  CsvBlock block;
  size_t used = 0;
  EXPECT_THAT(splitter.Split("\"" + std::string(size_t{65} << 20, 'x'), false, block, used),
              IsError(ErrorCode::kInvalidInput, "line 7"));
}

}  // namespace
}  // namespace firn
