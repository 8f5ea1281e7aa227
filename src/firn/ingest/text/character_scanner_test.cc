#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/ingest/text/character_scanner_internal.h"

namespace firn {
namespace {

constexpr std::string_view kWanted = ",\"\n\xFF";

TEST(CharacterScannerTest, FindsWhatOneFindsByLookingAtEachCharacter) {
  const auto random = MakeSeededRandom(1);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const uint64_t rarity = 2 + random->Below(40);
    for (uint64_t size = random->Below(400); size > 0; --size) {
      const bool is_wanted = random->Below(rarity) == 0;
      text += is_wanted ? kWanted[random->Below(4)] : static_cast<char>(random->Below(256));
    }
    CharacterScanner scanner(kWanted[0], kWanted[1], kWanted[2], kWanted[3]);
    scanner.Reset(text);
    for (size_t at = 0; at <= text.size(); at += 1 + random->Below(3)) {
      // Also back to where it was before.
      const size_t from = random->Below(10) == 0 ? random->Below(at + 1) : at;
      const size_t expected = std::min(text.find_first_of(kWanted, from), text.size());
      ASSERT_EQ(scanner.Next(from), expected) << round << ' ' << from;
    }
  }
}

TEST(CharacterScannerTest, FindsTheSameWithoutSpecialInstructions) {
  const auto random = MakeSeededRandom(2);
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (int i = 0; i < 64; ++i)
      text += static_cast<char>(random->Below(4) == 0 ? kWanted[random->Below(4)]
                                                      : static_cast<char>(random->Below(256)));
    ASSERT_EQ(CharacterScanner::FindIn(text, kWanted.data()),
              CharacterScanner::FindInPortably(text, kWanted.data()));
  }
}

}  // namespace
}  // namespace firn
