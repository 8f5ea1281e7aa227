#pragma once

#include <string>
#include <vector>

#include "firn/catalog/catalog.h"
#include "firn/session/session.h"
#include "firn/session/settings_internal.h"

namespace firn {

/// The name of the catalog that is there without configuration.
inline constexpr const char* kLocalCatalog = "local";

/// All settings of a session, later sources above earlier ones, Spark's keys translated.
/// Errors: kInvalidInput, naming file, line and key.
Result<Settings> LoadSettings(const SessionOptions& options);

/// Make the relative paths of settings of a file absolute: they are meant in its `folder`, wherever
/// firn is called. Errors: kInvalidInput.
Status AnchorPaths(Settings& settings, const std::string& folder);

/// The configured catalogs by name, with what they share, and `local` unless configured; without
/// file IO, clock and randomness. Errors: kInvalidInput.
Result<std::vector<CatalogConfig>> MakeCatalogConfigs(const Settings& settings,
                                                      const std::string& working_folder);

/// `--catalog`, `default-catalog`, the only configured one, `local`. Errors: kInvalidInput, listing
/// the configured ones.
Result<std::string> ChooseDefaultCatalog(const Settings& settings, const SessionOptions& options,
                                         const std::vector<CatalogConfig>& catalogs);

/// "'a', 'b'": for messages.
std::string FormatCatalogNames(const std::vector<CatalogConfig>& catalogs);

/// An absolute `file://` URI for a relative local path, "." and ".." resolved; other text stays.
std::string MakeAbsolute(const std::string& location, const std::string& working_folder);

}  // namespace firn
