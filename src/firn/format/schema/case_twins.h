#pragma once

#include "firn/base/result.h"
#include "firn/format/schema/schema.h"

namespace firn {

/// Refuse a schema of which two columns, or two fields of a struct, differ in the case of ASCII
/// letters alone: Spark, Hive and Glue take both for one. Errors: kInvalidInput, naming both.
Status RefuseCaseTwins(const Schema& schema);

}  // namespace firn
