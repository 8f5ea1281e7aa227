#include <string>
#include <utility>

#include "firn/session/settings_internal.h"

namespace firn {
namespace {

constexpr std::string_view kSpark = "spark.";
constexpr std::string_view kCatalog = "spark.sql.catalog.";
constexpr std::string_view kDefaultCatalog = "spark.sql.defaultCatalog";

// Our key for one of Spark's; empty if it means nothing to firn. The class of a catalog is mostly
// Spark's plug-in, which tells nothing of what it opens.
std::string TranslateKey(std::string_view key) {
  if (key == kDefaultCatalog) return "default-catalog";
  if (!key.starts_with(kCatalog)) return "";
  key.remove_prefix(kCatalog.size());
  const bool is_class = key.find('.') == std::string_view::npos;
  return "catalog." + std::string(key) + (is_class ? ".spark-class" : "");
}

// Settings that would change what a write does: to ignore them would put rows where nobody wants
// them.
Status CheckMeansNothing(std::string_view key, const Setting& setting) {
  constexpr std::pair<std::string_view, std::string_view> kArguments[] = {
      {"spark.wap.id", "--wap-id"}, {"spark.wap.branch", "--branch"}};
  for (const auto& [name, argument] : kArguments) {
    if (key != name) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "{}: '{}' is no setting of firn; give the command that writes {} {} instead",
                     setting.origin, key, argument, setting.value);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> TranslateSparkSettings(Settings& settings) {
  std::vector<std::string> ignored;
  Settings translated;
  for (auto& [key, setting] : settings) {
    if (!key.starts_with(kSpark)) {
      translated[key] = std::move(setting);
      continue;
    }
    std::string own = TranslateKey(key);
    if (own.empty()) {
      FIRN_RETURN_IF_ERROR(CheckMeansNothing(key, setting));
      ignored.push_back(key);
    } else {
      translated.try_emplace(std::move(own), std::move(setting));
    }
  }
  settings = std::move(translated);
  return ignored;
}

}  // namespace firn
