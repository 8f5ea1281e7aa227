#include "firn/procedure/table_argument_internal.h"

namespace firn {

Argument TableOrLocationArgument() {
  return {.name = "table",
          .type = ArgumentType::kTable,
          .is_required = true,
          .is_positional = true,
          .help = "A table name or a location."};
}

}  // namespace firn
