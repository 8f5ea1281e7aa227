#pragma once

#include <string>
#include <string_view>

#include "firn/base/result.h"
#include "firn/format/types/value.h"

/// Single values as JSON, as the spec writes defaults: decimals, times, UUIDs and bytes as text, a
/// struct as an object of field ids, a map as {"keys":[..],"values":[..]}. (How firn prints rows is
/// in value_render.h.)

namespace firn {

class JsonValue;
class Type;

/// A struct may lack fields, which are null then; {} is a struct value without any field.
/// Errors: kCorrupt, with path, what was found and what was expected.
Result<Value> ParseValueJson(std::string_view json, const Type& type);

/// The same inside of a document that is being read.
Result<Value> ReadValueJson(JsonValue& json, const Type& type);

/// Compact JSON, as Java writes it; null fields of structs are left out.
std::string FormatValueJson(const Value& value, const Type& type);

}  // namespace firn
