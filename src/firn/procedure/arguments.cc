#include <utility>

#include "firn/procedure/procedure.h"

namespace firn {
namespace {

using Values = std::map<std::string, Arguments::ArgumentValue, std::less<>>;

// Null if it is missing. The registry's argument types decide what is stored, so that another type
// is a bug.
template <typename T>
const T* Find(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  FIRN_CHECK(value != nullptr);
  return value;
}

template <typename T>
T FindOr(const Values& values, std::string_view name, T fallback) {
  const T* value = Find<T>(values, name);
  return value != nullptr ? *value : std::move(fallback);
}

template <typename T>
std::optional<T> FindOptional(const Values& values, std::string_view name) {
  const T* value = Find<T>(values, name);
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

}  // namespace

std::string Arguments::Text(std::string_view name, std::string fallback) const {
  return FindOr(values_, name, std::move(fallback));
}
std::optional<std::string> Arguments::OptionalText(std::string_view name) const {
  return FindOptional<std::string>(values_, name);
}
std::optional<int64_t> Arguments::Integer(std::string_view name) const {
  return FindOptional<int64_t>(values_, name);
}
std::optional<double> Arguments::Number(std::string_view name) const {
  return FindOptional<double>(values_, name);
}
bool Arguments::Boolean(std::string_view name, bool fallback) const {
  return FindOr(values_, name, fallback);
}
std::optional<Timestamp> Arguments::Time(std::string_view name) const {
  return FindOptional<Timestamp>(values_, name);
}
std::vector<std::string> Arguments::TextList(std::string_view name) const {
  return FindOr(values_, name, std::vector<std::string>());
}
std::vector<int64_t> Arguments::IntegerList(std::string_view name) const {
  return FindOr(values_, name, std::vector<int64_t>());
}
std::map<std::string, std::string> Arguments::TextMap(std::string_view name) const {
  return FindOr(values_, name, std::map<std::string, std::string>());
}

}  // namespace firn
