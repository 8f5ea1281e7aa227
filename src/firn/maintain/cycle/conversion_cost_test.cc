#include <memory>

#include <gmock/gmock.h>

#include "firn/catalog/metered_catalog.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/maintain/cycle/maintain_table.h"

// What a conversion of equality deletes is told to take, and what it takes.

namespace firn {
namespace {

class ConversionCostTest : public RowRewriteTest {
 protected:
  StepReport Maintain(bool is_dry_run) {
    const auto meter = std::make_shared<IoMeter>();
    const auto catalog =
        MakeMeteredCatalog({std::shared_ptr<Catalog>(), &table().catalog()}, meter);
    MaintainContext metered = context();
    metered.commit.catalog = catalog.get();
    MaintenanceBudget budget{.meter = meter};
    const auto policy = MakeMaintenancePolicy(
        {{"steps", "deletes"}, {"deletes.min-equality-files", "2"}, {"cost.dollars-per-gib", "1"}},
        {});
    EXPECT_THAT(policy, IsOk());
    std::vector<StepReport> reports;
    MaintainTable(metered, table().Load(), *policy, budget, is_dry_run,
                  [&](const StepReport& report) { reports.push_back(report); });
    EXPECT_THAT(reports, testing::SizeIs(1));
    return reports.front();
  }

  void ExpectNear(int64_t estimate, int64_t measured, const std::string& what) {
    constexpr double kMost = 1.5;
    EXPECT_GT(measured, 0) << what;
    EXPECT_LE(static_cast<double>(estimate), kMost * static_cast<double>(measured)) << what;
    EXPECT_GE(static_cast<double>(estimate) * kMost, static_cast<double>(measured)) << what;
  }

  void ExpectGoodEstimate() {
    const StepReport dry = Maintain(true);
    const StepReport real = Maintain(false);
    ASSERT_EQ(dry.outcome, StepOutcome::kPlanned) << dry.reason;
    ASSERT_EQ(real.outcome, StepOutcome::kDone) << real.reason;
    EXPECT_THAT(real.reason, testing::HasSubstr("equality delete files became"));
    for (const auto& estimate : {dry.estimate, real.estimate}) {
      ASSERT_TRUE(estimate.has_value());
      ExpectNear(estimate->bytes_read, real.measured.bytes_read, "bytes read");
      ExpectNear(estimate->bytes_written, real.measured.bytes_written, "bytes written");
      ExpectNear(estimate->requests, real.measured.requests, "requests");
      EXPECT_GT(estimate->dollars.value_or(0), 0);
    }
  }

  /// Rows whose texts, of `text_bytes` that do not compress, are most of a file.
  DataFile WriteRows(int64_t first, int64_t count, size_t text_bytes) {
    std::vector<StructValue> rows;
    for (int64_t id = first; id < first + count; ++id) {
      std::string text(text_bytes, ' ');
      for (char& c : text)
        c = static_cast<char>('!' + table().random().Below(90));
      rows.push_back(Row({id, std::move(text)}));
    }
    return Write(std::move(rows));
  }

  void AddRowsAndDeletes(int64_t file_count, int64_t rows, size_t text_bytes) {
    for (int64_t i = 0; i < file_count; ++i)
      table().Add({WriteRows(i * rows, rows, text_bytes)});
    for (int64_t i = 0; i < 4; ++i) {
      std::vector<int64_t> ids;
      for (int64_t id = i; id < file_count * rows; id += 50)
        ids.push_back(id);
      table().Add({EqualityDeletes(ids)});
    }
  }
};

TEST_F(ConversionCostTest, OfFilesOfWhichTheKeysAreLittle) {
  Open({});
  AddRowsAndDeletes(4, 2000, 1000);
  ExpectGoodEstimate();
}

TEST_F(ConversionCostTest, OfSmallFiles) {
  Open({});
  AddRowsAndDeletes(30, 50, 20);
  ExpectGoodEstimate();
}

TEST_F(ConversionCostTest, OfFilesWhoseDeletesBecomeVectors) {
  Open({.format_version = 3});
  AddRowsAndDeletes(6, 1000, 500);
  ExpectGoodEstimate();
}

}  // namespace
}  // namespace firn
