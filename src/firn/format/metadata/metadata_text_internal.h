#pragma once

#include <span>
#include <string_view>

#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/io/io.h"

/// The bytes of metadata files of tables and views: JSON, plain or gzip.

namespace firn {

/// Gzip is recognised by its magic bytes. Errors: kCorrupt.
Result<PaddedText> UnpackMetadataText(std::span<const std::byte> bytes);

/// Errors: those of `io`; kCorrupt; kResourceExhausted for 4 GiB or more.
Result<PaddedText> ReadMetadataText(FileIO& io, std::string_view uri);

/// Look at "format-version" before the rest, which can be understood only in known versions.
/// Errors: kUnsupported above `version_max`; kCorrupt if it is missing, no number or below 1.
Status CheckMetadataVersion(JsonDocument& document, int version_max);

/// Gzip if `uri` ends ".gz.metadata.json" or, as older writers have it, ".metadata.json.gz".
/// Errors: those of `io`; kInvalidInput if `json` was made of text that is not UTF-8.
Status WriteMetadataText(FileIO& io, std::string_view uri, const JsonWriter& json,
                         const CreateOptions& options);

}  // namespace firn
