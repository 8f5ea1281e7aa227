#pragma once

namespace firn {

/// How many distinct values `total` values will have, if the first `seen` had `distinct`: as if
/// each was drawn from equally many, evenly. Where few values are frequent, there will be fewer.
double GuessDistinct(double distinct, double seen, double total);

/// The same from two looks at the first values: where new ones keep coming as they do not when they
/// are drawn evenly (keys that ascend, values of which few are frequent), it goes on like that: the
/// number of distinct values grows with a power of the number of values (Heaps' law), or as fast as
/// it did last.
double GuessGrowingDistinct(double distinct_before, double seen_before, double distinct,
                            double seen, double total);

}  // namespace firn
