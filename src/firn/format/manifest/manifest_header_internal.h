#pragma once

#include "firn/base/result.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"

namespace firn {

/// What the header metadata of a manifest tells; the schema stays null. Errors: kCorrupt for a
/// number that is none.
Result<ManifestHeader> ParseManifestIdentity(const AvroReader& reader);

}  // namespace firn
