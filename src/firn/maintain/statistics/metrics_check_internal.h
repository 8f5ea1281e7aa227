#pragma once

#include <vector>

#include "firn/data/facts/file_facts.h"
#include "firn/maintain/statistics/repair_metrics.h"

namespace firn {

/// Compare what `file` tells with the facts, and correct it. Returns what was wrong, by column.
std::vector<MetricsDifference> CorrectMetrics(const Schema& schema, const FileFacts& facts,
                                              DataFile& file);

}  // namespace firn
