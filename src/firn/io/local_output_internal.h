#pragma once

#include <memory>
#include <string_view>

#include "firn/base/random.h"
#include "firn/io/io.h"

namespace firn::internal {

/// FileIO::Create for local disk.
Result<std::unique_ptr<OutputFile>> CreateLocalFile(std::string_view uri,
                                                    const CreateOptions& options, Random& random);

}  // namespace firn::internal
