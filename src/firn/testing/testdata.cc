#include "firn/testing/testdata.h"

#include "firn/io/uri.h"

namespace firn {

std::string TestDataPath(std::string_view name) { return JoinUri(FIRN_TESTDATA, name); }

}  // namespace firn
