#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "firn/base/check.h"
#include "firn/format/layout/layout_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace firn {
namespace {

const Schema& FuzzSchema() {
  static const Schema kSchema(0, {{.id = 1, .name = "id", .type = Type::Primitive(TypeId::kLong)},
                                  {.id = 2, .name = "ts", .type = Type::Primitive(TypeId::kDate)}});
  return kSchema;
}

}  // namespace
}  // namespace firn

// Terms that are read can be written and read again, and make a spec or are refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto terms = firn::ParsePartitionText(text); terms.ok()) {
    for (const firn::PartitionTerm& term : *terms) {
      const auto again = firn::ParsePartitionFieldText(firn::FormatPartitionTerm(term));
      FIRN_CHECK(again.ok() && *again == term);
    }
    (void)firn::MakePartitionSpec(*terms, firn::FuzzSchema());
  }
  if (const auto terms = firn::ParseSortOrderText(text); terms.ok()) {
    for (const firn::SortTerm& term : *terms) {
      const auto again = firn::ParseSortOrderText(firn::FormatSortTerm(term));
      FIRN_CHECK(again.ok() && again->size() == 1 && again->front() == term);
    }
    (void)firn::MakeSortOrder(*terms, firn::FuzzSchema());
  }
  return 0;
}
