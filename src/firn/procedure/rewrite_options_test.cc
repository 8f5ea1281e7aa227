#include <set>
#include <string>

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"
#include "firn/procedure/rewrite_options_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

const std::map<std::string, std::string> kUnknown = {{"nonsense", "1"}};

std::set<std::string> Documented(std::string_view call_name) {
  std::set<std::string> names;
  for (const RewriteOption& option : RewriteOptionsOf(call_name))
    names.emplace(option.name);
  return names;
}

// The names that the error about an unknown option lists.
template <typename Parsed>
std::set<std::string> Known(const Result<Parsed>& parsed) {
  EXPECT_FALSE(parsed.ok());
  if (parsed.ok()) return {};
  const std::string& message = parsed.error().message();
  const std::string_view start = "expected one of ";
  const size_t at = message.find(start);
  EXPECT_NE(at, std::string::npos) << message;
  std::set<std::string> names;
  for (const std::string_view name :
       SplitText(std::string_view(message).substr(at + start.size()), ','))
    names.emplace(TrimText(name));
  return names;
}

TEST(RewriteOptionsTest, EveryOptionIsDocumented) {
  const TableMetadata metadata;
  RewriteOrder order;
  order.strategy = RewriteOrder::Strategy::kZOrder;
  EXPECT_EQ(Documented("rewrite_data_files"),
            Known(ParseRewriteDataFilesOptions(metadata, kUnknown, order)));
  EXPECT_EQ(Documented("rewrite_position_delete_files"),
            Known(ParseRewritePositionDeletesOptions(metadata, kUnknown)));
  EXPECT_EQ(Documented("convert_equality_deletes"),
            Known(ParseConvertEqualityDeletesOptions(kUnknown)));
}

}  // namespace
}  // namespace firn
