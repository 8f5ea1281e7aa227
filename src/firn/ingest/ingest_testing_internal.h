#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/ingest/ingest.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {

/// Tests only: ingests files of memory into the table db.t of a catalog in memory.
class IngestTest : public testing::Test {
 protected:
  IngestTest()
      : random_(MakeSeededRandom(7)),
        executor_(MakeThreadPool(2)),
        budget_(int64_t{256} << 20),
        io_(MakeMemoryFileIO(clock_)) {
    auto catalog = OpenCatalog({.name = "test",
                                .type = "memory",
                                .properties = {{"warehouse", "memory:/warehouse"}},
                                .io = io_,
                                .clock = &clock_,
                                .random = random_.get()});
    EXPECT_THAT(catalog, IsOk());
    catalog_ = std::move(*catalog);
    EXPECT_THAT(catalog_->CreateNamespace({"db"}, {}), IsOk());
    request_.table = {{"db"}, "t"};
  }

  std::string Put(const std::string& name, std::string_view text) {
    const std::string uri = "memory:/in/" + name;
    EXPECT_THAT(WriteFile(*io_, uri, AsBytes(text)), IsOk());
    return uri;
  }

  Result<IngestResult> Run(const std::vector<std::string>& sources) {
    request_.sources = sources;
    IngestContext context;
    context.change.commit = {.catalog = use_catalog_ != nullptr ? use_catalog_ : catalog_.get(),
                             .executor = executor_.get(),
                             .clock = &clock_,
                             .random = random_.get()};
    context.change.budget = &budget_;
    context.io = io_;
    context.notice = [this](std::string_view text) { notices_ += std::string(text) + "\n"; };
    return Ingest(context, request_);
  }

  // All rows as JSON lines, sorted.
  std::vector<std::string> Rows() {
    const Result<Table> table = catalog_->Load(request_.table);
    EXPECT_THAT(table, IsOk());
    ScanOptions scan;
    scan.schema = table->metadata->current_schema();
    auto tasks = PlanAllFiles(*io_, *table->metadata, scan, *executor_, {});
    EXPECT_THAT(tasks, IsOk());
    ReadOptions options;
    options.projection = table->metadata->current_schema();
    auto rows = ReadTasks(
        {.io = io_, .metadata = table->metadata, .executor = executor_.get(), .budget = &budget_},
        std::move(*tasks), options);
    EXPECT_THAT(rows, IsOk());
    std::string text;
    RenderOptions render;
    render.type = options.projection->as_struct();
    EXPECT_THAT(RenderRows(std::move(*rows), render,
                           [&](std::span<const std::byte> bytes) -> Status {
                             text += AsText(bytes);
                             return {};
                           }),
                IsOk());
    std::vector<std::string> lines;
    for (const std::string_view line : SplitText(text, '\n')) {
      if (!line.empty()) lines.emplace_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::vector<std::string> FilesBelow(const std::string& folder) {
    std::vector<std::string> uris;
    EXPECT_THAT(io_->List(folder,
                          [&](const FileInfo& info) -> Status {
                            uris.push_back(info.uri);
                            return {};
                          }),
                IsOk());
    return uris;
  }

  FakeClock clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<Executor> executor_;
  MemoryBudget budget_;
  std::shared_ptr<FileIO> io_;
  std::unique_ptr<Catalog> catalog_;
  Catalog* use_catalog_ = nullptr;
  IngestRequest request_;
  std::string notices_;
};

}  // namespace firn
