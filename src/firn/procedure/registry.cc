#include <algorithm>

#include "firn/procedure/registry_internal.h"

namespace firn {

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> kProcedures = [] {
    std::vector<Procedure> procedures = {
#define FIRN_PROCEDURE(describe) describe(),
#include "firn/procedure/procedures.def"
#undef FIRN_PROCEDURE
    };
    std::sort(procedures.begin(), procedures.end(),
              [](const Procedure& a, const Procedure& b) { return a.command < b.command; });
    return procedures;
  }();
  return kProcedures;
}

}  // namespace firn
