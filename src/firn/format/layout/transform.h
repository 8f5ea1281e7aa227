#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firn/format/types/type.h"

namespace firn {

enum class TransformKind {
  kIdentity,
  kBucket,
  kTruncate,
  kYear,
  kMonth,
  kDay,
  kHour,
  kVoid,
  kUnknown,  ///< A name that firn does not know: carried, never computed.
};

/// A partition or sort transform.
struct Transform {
  TransformKind kind = TransformKind::kIdentity;
  int32_t width = 0;  ///< Buckets of kBucket, width of kTruncate.
  std::string text;   ///< The text of kUnknown as it was read.

  bool operator==(const Transform&) const = default;

  bool is_time() const {
    return kind == TransformKind::kYear || kind == TransformKind::kMonth ||
           kind == TransformKind::kDay || kind == TransformKind::kHour;
  }
  /// a <= b implies transform(a) <= transform(b).
  bool preserves_order() const {
    return kind == TransformKind::kIdentity || kind == TransformKind::kTruncate || is_time();
  }
};

/// Case-insensitive; unknown names become kUnknown. Errors: kCorrupt for a width that is not > 0.
Result<Transform> ParseTransform(std::string_view text);

/// "bucket[16]".
std::string FormatTransform(const Transform& transform);

/// True if the spec allows this transform on `source`.
bool CanTransform(const Transform& transform, const Type& source);

/// Type of the result; string for kUnknown, as in Java.
TypePtr TransformResultType(const Transform& transform, const TypePtr& source);

/// Transform one value; null stays null. Errors: kUnsupported for kUnknown.
Result<Value> ApplyTransform(const Transform& transform, const Type& source, const Value& value);

/// Murmur3 hash of the bucket transform before the modulus. `value` is not null.
int32_t BucketHash(const Value& value, const Type& source);

/// A transformed value as Java prints it in partition paths: "2026-01", "2026-01-31-10", "null".
/// `result_type` is the type of the partition field.
std::string FormatTransformed(const Transform& transform, const Type& result_type,
                              const Value& value);

}  // namespace firn
