#pragma once

#include <memory>

#include "firn/catalog/catalog.h"

namespace firn {

/// A catalog in which an operation can be tried: tables are those of `inner`, as they are when they
/// are first asked for, and what is made of them by commits is seen by whoever asks this catalog
/// only. Neither `inner` nor any file is changed: the tables' files are those of MakeDryRunFileIO,
/// which keeps the metadata folder. Of changes to namespaces there is only their creation; the rest
/// is kUnsupported. `clock` and `random` outlive it.
std::unique_ptr<Catalog> MakeDryRunCatalog(std::shared_ptr<Catalog> inner,
                                           std::shared_ptr<FileIO> io, Clock& clock,
                                           Random& random);

}  // namespace firn
