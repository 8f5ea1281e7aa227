#pragma once

#include "firn/base/result.h"
#include "firn/format/types/type.h"

namespace firn {

/// The entry of a manifest as a struct, with the columns of the format version in the order of
/// Java. The encoder in manifest_writer.cc writes exactly these.
TypePtr ManifestEntryType(int format_version, TypePtr partition_type);

/// The entry of a manifest list, likewise; the encoder is in manifest_list_writer.cc.
TypePtr ManifestFileType(int format_version);

/// Errors: kInvalidInput unless 1 to 3.
Status CheckFormatVersion(int format_version);

}  // namespace firn
