#include "firn/base/retry.h"

#include <algorithm>
#include <cmath>

namespace firn {

std::chrono::milliseconds RetryWait(const RetryPolicy& policy, int retry, Random& random) {
  const auto wait_max = static_cast<double>(policy.wait_max.count());
  const double wait = std::min(
      static_cast<double>(policy.wait_min.count()) * std::pow(policy.factor, retry - 1), wait_max);
  const double share = static_cast<double>(random.Next() >> 11) * 0x1p-53;  // In [0, 1).
  const double jittered = std::min(wait * (1 + policy.jitter * share), wait_max);
  return std::chrono::milliseconds(static_cast<int64_t>(jittered));
}

Status Retry(const RetryPolicy& policy, Clock& clock, Random& random, const CancelToken& cancel,
             const std::function<Status()>& attempt,
             const std::function<bool(const Error&)>& is_retryable) {
  const std::chrono::nanoseconds start = clock.Elapsed();
  Status status = attempt();
  for (int retry = 1; retry <= policy.retry_count_max; ++retry) {
    if (status.ok() || !is_retryable(status.error())) return status;
    const std::chrono::milliseconds wait = RetryWait(policy, retry, random);
    if (clock.Elapsed() - start + wait > policy.total_max) return status;
    FIRN_RETURN_IF_ERROR(clock.Sleep(wait, cancel), "waiting to retry after '{}'",
                         status.error().message());
    status = attempt();
  }
  return status;
}

}  // namespace firn
