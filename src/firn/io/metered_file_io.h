#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "firn/io/io.h"

namespace firn {

/// What passed through a file system.
struct IoTotals {
  int64_t requests = 0;  ///< As an object store would count them.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
};

/// Adds up. Thread-safe.
class IoMeter {
 public:
  void AddRequests(int64_t count = 1) { requests_ += count; }
  void AddRead(int64_t bytes) { bytes_read_ += bytes; }
  void AddWritten(int64_t bytes) { bytes_written_ += bytes; }
  IoTotals totals() const { return {requests_, bytes_read_, bytes_written_}; }

 private:
  std::atomic<int64_t> requests_{0};
  std::atomic<int64_t> bytes_read_{0};
  std::atomic<int64_t> bytes_written_{0};
};

/// `base`, with `meter` counting: a request for each read, published file, stat and single
/// deletion, and for each thousand files that are listed or deleted together.
std::shared_ptr<FileIO> MakeMeteredFileIO(std::shared_ptr<FileIO> base,
                                          std::shared_ptr<IoMeter> meter);

}  // namespace firn
