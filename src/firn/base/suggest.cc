#include "firn/base/suggest.h"

#include <algorithm>
#include <cstddef>

#include "firn/base/text.h"

namespace firn {
namespace {

// Number of edits between `a` and `b` (optimal string alignment).
size_t CountEdits(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k)
    last[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, replaced});
      const bool is_swap = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (is_swap) row[k] = std::min(row[k], before_last[k - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> SuggestName(std::string_view text,
                                       const std::vector<std::string>& candidates) {
  constexpr size_t kLengthMax = 256;
  const std::string wanted = LowerAscii(text.substr(0, kLengthMax));
  std::optional<std::string> best;
  size_t best_edits = std::max<size_t>((wanted.size() + 1) / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    const size_t edits = CountEdits(wanted, LowerAscii(candidate.substr(0, kLengthMax)));
    if (edits < best_edits) {
      best_edits = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace firn
