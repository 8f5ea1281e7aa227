#include "firn/base/memory_budget.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace firn {
namespace {

// How long a cancelled waiter waits on; see kCancelLatency in clock.cc.
constexpr std::chrono::milliseconds kCancelLatency{20};

}  // namespace

MemoryReservation::MemoryReservation(MemoryReservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept {
  if (this != &other) {
    ShrinkTo(0);
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

MemoryReservation::~MemoryReservation() { ShrinkTo(0); }

void MemoryReservation::ShrinkTo(int64_t bytes) {
  FIRN_CHECK(bytes >= 0);
  if (bytes >= bytes_) return;
  budget_->Release(bytes_ - bytes);
  bytes_ = bytes;
}

struct MemoryBudget::State {
  explicit State(int64_t total) : total_bytes(total) {}

  bool HasRoomFor(int64_t bytes) const {
    return used_bytes == 0 || bytes <= total_bytes - used_bytes;
  }

  void Take(int64_t bytes) {
    used_bytes += bytes;
    peak_bytes = std::max(peak_bytes, used_bytes);
  }

  const int64_t total_bytes;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<uint64_t> waiters;  // Tickets, first come first served: the large are not starved.
  uint64_t next_ticket = 0;
  int64_t used_bytes = 0;
  int64_t peak_bytes = 0;
};

MemoryBudget::MemoryBudget(int64_t total_bytes) : state_(std::make_unique<State>(total_bytes)) {
  FIRN_CHECK(total_bytes > 0);
}

MemoryBudget::~MemoryBudget() = default;

int64_t MemoryBudget::total_bytes() const { return state_->total_bytes; }

int64_t MemoryBudget::used_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->used_bytes;
}

int64_t MemoryBudget::peak_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->peak_bytes;
}

Result<MemoryReservation> MemoryBudget::Reserve(int64_t bytes, const CancelToken& cancel) {
  FIRN_CHECK(bytes >= 0);
  if (bytes == 0) return MemoryReservation(this, 0);
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const uint64_t ticket = state.next_ticket++;
  state.waiters.push_back(ticket);
  while (state.waiters.front() != ticket || !state.HasRoomFor(bytes)) {
    if (cancel.is_cancelled()) break;
    state.changed.wait_for(lock, kCancelLatency);
  }
  const bool is_granted = state.waiters.front() == ticket && state.HasRoomFor(bytes);
  if (is_granted) state.Take(bytes);
  std::erase(state.waiters, ticket);
  lock.unlock();
  state.changed.notify_all();  // The next in line may fit, too.
  if (!is_granted) {
    return MakeError(ErrorCode::kCancelled,
                     "stopped on request while waiting for {} bytes of memory", bytes);
  }
  return MemoryReservation(this, bytes);
}

Result<MemoryReservation> MemoryBudget::TryReserve(int64_t bytes) {
  FIRN_CHECK(bytes >= 0);
  if (bytes == 0) return MemoryReservation(this, 0);
  const std::lock_guard lock(state_->mutex);
  const int64_t free_bytes = std::max<int64_t>(0, state_->total_bytes - state_->used_bytes);
  if (bytes > free_bytes || !state_->waiters.empty()) {
    return MakeError(ErrorCode::kResourceExhausted,
                     "memory: {} bytes wanted, {} of {} bytes free, {} others waiting; allow more "
                     "memory or run fewer tasks at once",
                     bytes, free_bytes, state_->total_bytes, state_->waiters.size());
  }
  state_->Take(bytes);
  return MemoryReservation(this, bytes);
}

void MemoryBudget::Release(int64_t bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->used_bytes -= bytes;
  }
  state_->changed.notify_all();
}

}  // namespace firn
