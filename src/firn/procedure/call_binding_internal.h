#pragma once

#include <string>
#include <vector>

#include "firn/procedure/procedure.h"

/// From the words of a call, in SQL or JSON, to the procedure and the arguments that they mean.

namespace firn {

/// A value before it is known which argument it is for.
struct CallValue {
  enum class Shape { kNull, kScalar, kArray, kMap };
  Shape shape = Shape::kNull;
  std::vector<std::string> texts;  ///< Of a map: key, value, key, value.
  std::string place;               ///< For errors: "position 14".
};

struct CallArgument {
  std::string name;  ///< Empty: positional.
  std::string place;
  CallValue value;
};

/// Of [[catalog.]system.]procedure; `catalog` is changed if it is named. Errors: kInvalidInput,
/// listing the known ones.
Result<const Procedure*> FindProcedure(std::vector<std::string> parts, std::string& catalog);

/// Errors: kInvalidInput, with the place.
Result<Arguments> BindArguments(const Procedure& procedure, const std::vector<CallArgument>& given,
                                Timestamp now);

/// {"procedure": "count", "catalog": "lake", "arguments": {"table": "db.t"}}: values as in JSON,
/// objects for maps and arrays for lists. Errors: kInvalidInput, with the path.
Result<CallStatement> ParseCallJson(std::string_view text, Timestamp now);

}  // namespace firn
