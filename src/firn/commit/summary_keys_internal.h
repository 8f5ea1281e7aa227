#pragma once

#include <string_view>

/// Keys of snapshot summaries that decide about later commits.

namespace firn {

/// `SnapshotOptions::idempotency_key`.
inline constexpr std::string_view kIdempotencyKey = "firn.idempotency-key";
/// The name of a staged snapshot.
inline constexpr std::string_view kWapId = "wap.id";
/// The name of the staged snapshot that this one repeats.
inline constexpr std::string_view kPublishedWapId = "published-wap-id";
/// The id of the snapshot that this one repeats.
inline constexpr std::string_view kSourceSnapshotId = "source-snapshot-id";
/// Marks a dynamic overwrite.
inline constexpr std::string_view kReplacePartitions = "replace-partitions";

}  // namespace firn
