#pragma once

#include <memory>
#include <optional>
#include <string>

#include "firn/base/clock.h"
#include "firn/io/io.h"

namespace firn {

/// Says that somebody makes a table over a folder: a file in its metadata folder, from before the
/// first file of the table is written until the table is there. Whoever finds it knows that another
/// run is at work, or was killed.
struct AdoptionClaim {
  std::string claimant;  ///< The table, with its catalog.
  std::string time;      ///< When it was taken.
};

/// Where the claim on the folder of a table lies.
std::string AdoptionClaimLocation(const std::string& folder);

/// The claim on `folder`, if there is one. Errors: kCorrupt; those of reading.
Result<std::optional<AdoptionClaim>> FindAdoptionClaim(FileIO& io, const std::string& folder);

/// Take it, or have it already. Errors: kAlreadyExists: somebody else has it.
Status TakeAdoptionClaim(FileIO& io, const std::string& folder, const std::string& claimant,
                         Timestamp now);

/// Give it up; best effort.
void DropAdoptionClaim(FileIO& io, const std::string& folder);

/// Errors: kAlreadyExists unless `claim` is that of `claimant`.
Status CheckClaimant(const AdoptionClaim& claim, const std::string& folder,
                     const std::string& claimant);

}  // namespace firn
