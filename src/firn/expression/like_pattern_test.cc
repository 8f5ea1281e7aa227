#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "firn/expression/like_pattern_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

TEST(LikePatternTest, MatchesWildcards) {
  EXPECT_TRUE(MatchesLikePattern("", ""));
  EXPECT_TRUE(MatchesLikePattern("", "%"));
  EXPECT_FALSE(MatchesLikePattern("", "_"));
  EXPECT_TRUE(MatchesLikePattern("abc", "a%"));
  EXPECT_TRUE(MatchesLikePattern("abc", "%c"));
  EXPECT_TRUE(MatchesLikePattern("abc", "a_c"));
  EXPECT_FALSE(MatchesLikePattern("abbc", "a_c"));
  EXPECT_TRUE(MatchesLikePattern("abcabd", "%ab_"));
  EXPECT_FALSE(MatchesLikePattern("ABC", "abc"));
  EXPECT_TRUE(MatchesLikePattern("a%c", "a\\%c"));
  EXPECT_FALSE(MatchesLikePattern("abc", "a\\%c"));
  EXPECT_TRUE(MatchesLikePattern("a\nb", "a%b"));
}

TEST(LikePatternTest, CountsCharactersNotBytes) {
  EXPECT_TRUE(MatchesLikePattern("é", "_"));
  EXPECT_TRUE(MatchesLikePattern("a😀b", "a_b"));
  EXPECT_FALSE(MatchesLikePattern("é", "__"));
  EXPECT_TRUE(MatchesLikePattern("\xff\xfe", "__"));
}

TEST(LikePatternTest, KnowsPrefixesAndExactTexts) {
  EXPECT_EQ(AnalyzeLikePattern("ab\\%%").shape, LikeShape::kPrefix);
  EXPECT_EQ(AnalyzeLikePattern("ab\\%%").prefix, "ab%");
  EXPECT_EQ(AnalyzeLikePattern("ab%%").shape, LikeShape::kPrefix);
  EXPECT_EQ(AnalyzeLikePattern("a\\_b").shape, LikeShape::kExact);
  EXPECT_EQ(AnalyzeLikePattern("a\\_b").prefix, "a_b");
  EXPECT_EQ(AnalyzeLikePattern("ab%c").shape, LikeShape::kGeneral);
  EXPECT_EQ(AnalyzeLikePattern("ab_").prefix, "ab");
}

TEST(LikePatternTest, RefusesAnEscapeBeforeAnOrdinaryCharacter) {
  EXPECT_THAT(NormalizeLikePattern("a!b", "!"), IsError(ErrorCode::kInvalidInput, "before 'b'"));
  EXPECT_THAT(NormalizeLikePattern("ab!", "!"), IsError(ErrorCode::kInvalidInput, "before ''"));
  EXPECT_EQ(*NormalizeLikePattern("a!!b", "!"), "a!b");
  EXPECT_EQ(*NormalizeLikePattern("aé%é_%", "é"), "a\\%\\_%");
}

TEST(LikePatternTest, IsNotExponential) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i)
    pattern += "%a";
  EXPECT_FALSE(MatchesLikePattern(text, pattern + "%b"));
}

// The definition, without any cleverness.
bool MatchesSlowly(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    return MatchesSlowly(text, pattern.substr(1)) ||
           (!text.empty() && MatchesSlowly(text.substr(1), pattern));
  }
  if (text.empty()) return false;
  if (pattern[0] == '\\')
    return text[0] == pattern[1] && MatchesSlowly(text.substr(1), pattern.substr(2));
  return (pattern[0] == '_' || pattern[0] == text[0]) &&
         MatchesSlowly(text.substr(1), pattern.substr(1));
}

TEST(LikePatternTest, AgreesWithTheDefinition) {
  EXPECT_TRUE(rc::check("matches as the definition says", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '%'));
    const auto pieces = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "b", "%", "_", "\\%"));
    std::string pattern;
    for (size_t i = 0; i < std::min<size_t>(pieces.size(), 8); ++i)
      pattern += pieces[i];
    const std::string cut = text.substr(0, 12);
    RC_ASSERT(MatchesLikePattern(cut, pattern) == MatchesSlowly(cut, pattern));
  }));
}

}  // namespace
}  // namespace firn
