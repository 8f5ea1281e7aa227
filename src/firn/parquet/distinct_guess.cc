#include <algorithm>
#include <cmath>

#include "firn/parquet/distinct_guess_internal.h"

namespace firn {
namespace {

// How many values there are to draw from.
double GuessDomain(double distinct, double seen) {
  // distinct = domain * (1 - exp(-seen / domain)); solved for x = seen / domain, which is less than
  // seen / distinct.
  double low = 0;
  double high = seen / distinct;
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
  if (distinct <= 0) return 0;
  const double domain = GuessDomain(distinct, seen);
  return -domain * std::expm1(-total / domain);
}

double GuessGrowingDistinct(double distinct_before, double seen_before, double distinct,
                            double seen, double total) {
  const double even = GuessDistinct(distinct, seen, total);
  if (distinct >= seen || seen <= seen_before) return even;
  if (seen_before <= 0 || distinct_before <= 0) return even;
  // The number of values that come again varies by chance.
  const double even_before = GuessDistinct(distinct, seen, seen_before);
  const double chance = 4 * std::sqrt(std::max(seen_before - even_before, 1.0)) + 4;
  if (distinct_before >= even_before - chance) return even;
  const double growth = std::log(distinct / distinct_before) / std::log(seen / seen_before);
  if (growth < 1) return std::max(even, distinct * std::pow(total / seen, growth));
  return distinct + (distinct - distinct_before) / (seen - seen_before) * (total - seen);
}

}  // namespace firn
