#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "firn/io/io.h"
#include "firn/scan/scan.h"

namespace firn {

/// `io`, and `on_bytes` is told how many bytes of the data files of `inputs` are read, each time;
/// bytes that are read twice count twice. Called from many threads.
std::shared_ptr<FileIO> MeterReads(std::shared_ptr<FileIO> io,
                                   const std::vector<FileScanTask>& inputs,
                                   std::function<void(int64_t bytes)> on_bytes);

}  // namespace firn
