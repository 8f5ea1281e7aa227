#include "firn/ingest/text/text_encoding.h"

#include <gmock/gmock.h>

#include "firn/ingest/ingest_testing_internal.h"

namespace firn {
namespace {

using namespace std::string_view_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// UTF-16 of a text of characters below 0x10000 and surrogate pairs.
std::string Wide(std::u16string_view text, bool is_little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    bytes += is_little ? low : high;
    bytes += is_little ? high : low;
  }
  return bytes;
}

class TextEncodingTest : public IngestTest {
 protected:
  Result<IngestResult> RunAs(std::string_view encoding, std::string_view bytes) {
    request_.mode = IngestMode::kCreateOrReplace;
    request_.csv.encoding = *ParseTextEncoding(encoding);
    return Run({Put("x.csv", bytes)});
  }
};

TEST_F(TextEncodingTest, NamesAreFreeInCaseAndDashes) {
  for (const char* name : {"latin1", "Latin-1", "ISO-8859-1", "iso_8859_1"})
    EXPECT_EQ(*ParseTextEncoding(name), TextEncoding::kLatin1);
  for (const char* name : {"windows-1252", "CP1252"})
    EXPECT_EQ(*ParseTextEncoding(name), TextEncoding::kWindows1252);
  EXPECT_EQ(*ParseTextEncoding("UTF-16LE"), TextEncoding::kUtf16Le);
  EXPECT_THAT(ParseTextEncoding("ebcdic"),
              IsError(ErrorCode::kInvalidInput, "encoding 'ebcdic' is not known, expected utf-8"));
}

TEST_F(TextEncodingTest, SingleBytesBecomeTheirCharacters) {
  ASSERT_THAT(RunAs("latin1", "caf\xE9,x\n\xFC,\xA3\n"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("{\"café\":\"ü\",\"x\":\"£\"}"));
  ASSERT_THAT(RunAs("windows-1252", "price,x\n5 \x80,\x93q\x94\n"), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("{\"price\":\"5 €\",\"x\":\"“q”\"}"));
}

TEST_F(TextEncodingTest, AByteThatIsNoCharacterIsAnErrorWithItsPlace) {
  EXPECT_THAT(RunAs("windows-1252", "a\nx\x81\n"),
              IsError(ErrorCode::kInvalidInput, "byte 3 of the text is 0x81"));
}

TEST_F(TextEncodingTest, WideCharactersAreReadInBothOrdersAndAsTheirMarkSays) {
  const std::u16string text = u"naïve,b\n€,\U0001F600\n";
  const std::string expected = "{\"naïve\":\"€\",\"b\":\"😀\"}";
  for (const bool is_little : {true, false}) {
    ASSERT_THAT(RunAs(is_little ? "utf-16le" : "utf-16be", Wide(text, is_little)), IsOk());
    EXPECT_THAT(Rows(), ElementsAre(expected));
    for (const char* name : {"utf-16", "utf-16le", "utf-16be"}) {
      const bool is_other = std::string_view(name) == (is_little ? "utf-16be" : "utf-16le");
      const auto read = RunAs(name, Wide(u"\xFEFF" + text, is_little));
      if (is_other) {
        EXPECT_THAT(read, IsError(ErrorCode::kInvalidInput, "begins with the byte order mark of"));
      } else {
        ASSERT_THAT(read, IsOk());
        EXPECT_THAT(Rows(), ElementsAre(expected));
      }
    }
  }
}

TEST_F(TextEncodingTest, CutCharactersAndLoneSurrogatesAreErrorsWithTheirPlace) {
  EXPECT_THAT(RunAs("utf-16le", Wide(u"a\nb", true) + "c"),
              IsError(ErrorCode::kInvalidInput, "byte 6 of the text begins half a character"));
  const std::u16string high = {u'a', u'\n', 0xD83D, u'x', u'\n'};
  EXPECT_THAT(
      RunAs("utf-16be", Wide(high, false)),
      IsError(ErrorCode::kInvalidInput, "byte 4 of the text begins half of a surrogate pair"));
  const std::u16string low = {u'a', u'\n', 0xDE00, u'\n'};
  EXPECT_THAT(RunAs("utf-16be", Wide(low, false)),
              IsError(ErrorCode::kInvalidInput, "half of a surrogate pair"));
  const std::u16string end = {u'a', u'\n', 0xD83D};
  EXPECT_THAT(RunAs("utf-16be", Wide(end, false)),
              IsError(ErrorCode::kInvalidInput, "half of a surrogate pair"));
}

TEST_F(TextEncodingTest, AMarkThatSaysOtherwiseAndUtf32AreErrors) {
  EXPECT_THAT(RunAs("latin1", "\xEF\xBB\xBFid\n1\n"),
              IsError(ErrorCode::kInvalidInput,
                      "begins with the byte order mark of utf-8, but is to be read as latin1"));
  EXPECT_THAT(RunAs("utf-8", "\xFF\xFE\0\0i\0\0\0"sv), IsError(ErrorCode::kInvalidInput, "UTF-32"));
}

// Characters at every place around the ends of what is read at once.
TEST_F(TextEncodingTest, LongTextsAreReadPieceByPiece) {
  std::u16string text = u"id,t\n";
  size_t rows = 0;
  while (text.size() < 300'000) {
    text += u"7,";
    text.append(rows++ % 7, u'x');
    text += u"\U0001F600é\n";
  }
  ASSERT_THAT(RunAs("utf-16le", Wide(text, true)), IsOk());
  const std::vector<std::string> read = Rows();
  EXPECT_THAT(read, SizeIs(rows));
  EXPECT_EQ(read.front(), "{\"id\":7,\"t\":\"xxxxxx😀é\"}");
  EXPECT_EQ(read.back(), "{\"id\":7,\"t\":\"😀é\"}");
}

}  // namespace
}  // namespace firn
