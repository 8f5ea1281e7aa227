#include "firn/base/version.h"

namespace firn {

// The build passes the number that CMakeLists.txt names.
std::string_view Version() { return FIRN_VERSION; }

}  // namespace firn
