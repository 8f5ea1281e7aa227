#pragma once

#include <cstdint>
#include <memory>

#include "firn/base/cancel.h"
#include "firn/base/result.h"

/// One budget that every buffer of size draws from. Work waits for budget rather than failing.

namespace firn {

class MemoryBudget;

/// A share of a budget, given back when it is destroyed. Movable; the budget must outlive it.
class [[nodiscard]] MemoryReservation {
 public:
  MemoryReservation() = default;
  MemoryReservation(MemoryReservation&& other) noexcept;
  MemoryReservation& operator=(MemoryReservation&& other) noexcept;
  ~MemoryReservation();

  int64_t bytes() const { return bytes_; }

  /// Give back all but `bytes`.
  void ShrinkTo(int64_t bytes);

 private:
  friend class MemoryBudget;
  MemoryReservation(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}
  MemoryBudget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

/// Thread-safe. Who holds a reservation must not wait for a second one of the same budget: two that
/// do can wait for each other. Reserve once for all that a task needs, or use TryReserve for more.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t total_bytes);
  ~MemoryBudget();

  int64_t total_bytes() const;
  int64_t used_bytes() const;
  int64_t peak_bytes() const;

  /// Wait until `bytes` (>= 0) are free and take them, first come first served. A request above the
  /// whole budget waits until nothing else is reserved and is then granted, so that one oversized
  /// item can still pass.
  /// Errors  kCancelled.
  Result<MemoryReservation> Reserve(int64_t bytes, const CancelToken& cancel = {});

  /// Take `bytes` if they are free now and nobody waits.
  /// Errors  kResourceExhausted, with the figures.
  Result<MemoryReservation> TryReserve(int64_t bytes);

 private:
  friend class MemoryReservation;
  void Release(int64_t bytes);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firn
