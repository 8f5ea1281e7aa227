#pragma once

#include <chrono>
#include <functional>

#include "firn/base/cancel.h"
#include "firn/base/clock.h"
#include "firn/base/random.h"
#include "firn/base/result.h"

namespace firn {

/// Exponential backoff with jitter.
struct RetryPolicy {
  int retry_count_max = 4;                           ///< Attempts after the first.
  std::chrono::milliseconds wait_min{100};           ///< Before the first retry.
  std::chrono::milliseconds wait_max{60'000};        ///< Cap of one wait.
  std::chrono::milliseconds total_max{30 * 60'000};  ///< No retry starts after this.
  double factor = 2.0;
  double jitter = 0.1;  ///< Adds up to this share of the wait, at random.
};

/// Time to wait before retry number `retry` (1 is the first).
std::chrono::milliseconds RetryWait(const RetryPolicy& policy, int retry, Random& random);

/// Call `attempt` until it succeeds, `is_retryable` denies its error, or the policy is exhausted;
/// return its last result. Errors: also kCancelled while waiting.
Status Retry(const RetryPolicy& policy, Clock& clock, Random& random, const CancelToken& cancel,
             const std::function<Status()>& attempt,
             const std::function<bool(const Error&)>& is_retryable);

}  // namespace firn
