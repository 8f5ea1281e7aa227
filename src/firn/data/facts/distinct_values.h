#pragma once

#include <cstdint>
#include <vector>

#include "firn/data/read/reader.h"
#include "firn/format/puffin/theta_sketch.h"

namespace firn {

/// The distinct values of columns in the live rows of `tasks`: a sketch for each of `field_ids`,
/// which are primitive fields of `schema` in no list or map. Nulls are not counted. Reads these
/// columns only. Takes up to 128 KiB of the budget for each column besides what reading takes.
/// Errors: those of ReadTasks.
Result<std::vector<ThetaSketch>> SketchColumns(const ReadContext& context,
                                               std::vector<FileScanTask> tasks,
                                               const Schema& schema,
                                               const std::vector<int32_t>& field_ids);

}  // namespace firn
