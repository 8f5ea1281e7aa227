#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firn/format/manifest/manifest.h"
#include "firn/io/metered_file_io.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

namespace firn {

/// What work costs, by what it reads and writes.
struct CostRates {
  double bytes_per_second = 100e6;  ///< Read and written together.
  std::optional<double> dollars_per_gib;
  std::optional<double> dollars_per_thousand_requests;
  std::optional<double> dollars_per_hour;
};

/// What a step of maintenance takes, in advance or in the end. Metadata files, which the catalog
/// reads and writes, are not in it.
struct StepCost {
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  int64_t requests = 0;
  double seconds = 0;
  std::optional<double> dollars;  ///< Empty: no price is given.
};

/// The cost of so many bytes and requests that took `seconds`, or (empty) take what the rates say.
StepCost MakeStepCost(const IoTotals& totals, std::optional<double> seconds,
                      const CostRates& rates);

/// What compaction of `groups` reads and writes: data files and their deletes, in pieces; output as
/// large as the rows that are left; all manifests several times, to plan and to commit; and what a
/// commit writes.
IoTotals EstimateCompaction(const std::vector<const FileGroup*>& groups,
                            const std::vector<ManifestFile>& manifests);

/// What reading all of `manifests` and writing `rewritten` of their bytes takes.
IoTotals EstimateManifests(const std::vector<ManifestFile>& manifests, int64_t rewritten_bytes,
                           int passes);

/// The bytes of putting the live entries of `manifests` together: entries as large as they are,
/// less what each of the files has besides.
int64_t EstimateRewrittenManifests(const std::vector<ManifestFile>& manifests);

}  // namespace firn
