#include "firn/catalog/catalog_contract.h"

namespace firn {
namespace {

CatalogUnderTest MakeMemoryCatalog() {
  CatalogUnderTest under_test;
  under_test.clock = std::make_shared<FakeClock>();
  under_test.io = MakeMemoryFileIO(*under_test.clock);
  CatalogConfig config;
  config.name = "memory";
  config.type = "memory";
  config.properties = {{"warehouse", "memory:/wh"}};
  config.io = under_test.io;
  config.clock = under_test.clock.get();
  config.random = &SystemRandom();
  std::shared_ptr<Catalog> catalog = OpenCatalog(config).value();
  under_test.open = [catalog] { return catalog; };  // Its names live in the instance.
  return under_test;
}

INSTANTIATE_TEST_SUITE_P(Memory, CatalogContract,
                         testing::Values(CatalogContractCase{"Memory", MakeMemoryCatalog}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace firn
