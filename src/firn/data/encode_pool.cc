#include <utility>

#include "firn/data/encode_pool_internal.h"

namespace firn {

arrow::Status EncodePool::SpawnReal(arrow::internal::TaskHints,
                                    arrow::internal::FnOnce<void()> task, arrow::StopToken,
                                    StopCallback&&) {
  // std::function wants to be copied, which the task cannot be.
  auto shared = std::make_shared<arrow::internal::FnOnce<void()>>(std::move(task));
  threads_->Submit([shared] { std::move (*shared)(); });
  return arrow::Status::OK();
}

}  // namespace firn
