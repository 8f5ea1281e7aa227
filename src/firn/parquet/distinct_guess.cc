#include <algorithm>
#include <cmath>

#include "firn/parquet/distinct_guess_internal.h"

namespace firn {
namespace {

// Chance may make new values come so much more often than drawing evenly would.
constexpr double kRateFactor = 2;
constexpr double kRateSlack = 0.02;

// How many values there are to draw from.
double GuessDomain(double distinct, double seen) {
  // distinct = domain * (1 - exp(-seen / domain)); solved for x = seen / domain.
  double low = 0;
  double high = 64;
  for (int i = 0; i < 50; ++i) {
    const double x = (low + high) / 2;
    const double share = x == 0 ? 1 : -std::expm1(-x) / x;
    (share > distinct / seen ? low : high) = x;
  }
  return seen / high;
}

}  // namespace

double GuessDistinct(double distinct, double seen, double total) {
  if (distinct >= seen) return total;
  const double domain = GuessDomain(distinct, seen);
  return -domain * std::expm1(-total / domain);
}

double GuessGrowingDistinct(double distinct_before, double seen_before, double distinct,
                            double seen, double total) {
  const double even = GuessDistinct(distinct, seen, total);
  if (distinct >= seen || seen <= seen_before) return even;
  const double rate = (distinct - distinct_before) / (seen - seen_before);
  const double even_rate =
      (distinct - GuessDistinct(distinct, seen, seen_before)) / (seen - seen_before);
  if (rate <= kRateFactor * even_rate + kRateSlack) return even;
  return std::max(even, distinct + rate * (total - seen));
}

}  // namespace firn
