#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "firn/catalog/catalog.h"
#include "firn/testing/fake_clock.h"

/// What every catalog must keep, as a test suite. A catalog's test instantiates `CatalogContract`
/// with a `CatalogContractCase`; the tests are in catalog_contract_test.cc.

namespace firn {

/// An empty catalog for one test.
struct CatalogUnderTest {
  std::shared_ptr<void> owner;  ///< Keeps alive what the catalog stands on.
  /// Another catalog over the same storage, as a second process would open it.
  std::function<std::shared_ptr<Catalog>()> open;
  std::shared_ptr<FileIO> io;
  std::shared_ptr<FakeClock> clock;
  bool has_properties = true;  ///< Of namespaces.
  bool has_pointers = true;    ///< Tables can be registered, renamed and forgotten.
};

struct CatalogContractCase {
  std::string name;
  std::function<CatalogUnderTest()> make;  ///< A null `open` skips the test.
};

inline void PrintTo(const CatalogContractCase& value, std::ostream* out) { *out << value.name; }

class CatalogContract : public testing::TestWithParam<CatalogContractCase> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    if (!under_test_.open) GTEST_SKIP() << "what the catalog stands on is not installed";
    catalog_ = under_test_.open();
  }

  Catalog& catalog() { return *catalog_; }
  std::shared_ptr<Catalog> OpenAnother() { return under_test_.open(); }
  FileIO& io() { return *under_test_.io; }
  FakeClock& clock() { return *under_test_.clock; }
  bool has_properties() const { return under_test_.has_properties; }
  bool has_pointers() const { return under_test_.has_pointers; }

  /// A table of one column in a namespace that is made if need be.
  Table MakeTable(const TableName& name, const Properties& properties = {});

  /// Names of the metadata files of a table, sorted.
  std::vector<std::string> ListMetadata(const Table& table);

 private:
  CatalogUnderTest under_test_;
  std::shared_ptr<Catalog> catalog_;
};

}  // namespace firn
