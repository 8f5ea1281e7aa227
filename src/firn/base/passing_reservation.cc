#include "firn/base/passing_reservation.h"

namespace firn {
namespace {

constexpr int64_t kPassingShare = 64;

}  // namespace

Result<MemoryReservation> ReserveOrPass(MemoryBudget& budget, int64_t bytes) {
  Result<MemoryReservation> memory = budget.TryReserve(bytes);
  if (!memory.ok() && bytes <= budget.total_bytes() / kPassingShare) return MemoryReservation();
  return memory;
}

}  // namespace firn
