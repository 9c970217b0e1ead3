#include "cli/span_sinks.h"

#include <gtest/gtest.h>

#include "domain/masker.h"
#include "domain/test_folder.h"
#include "infrastructure/otlp/otlp_json_file.h"

namespace awf::cli {
namespace {

TEST(SpanSinks, NameTheOneThatFailed) {
  const TestFolder folder;
  const Masker masker;
  SpanSinks sinks;
  for (const std::filesystem::path& path : {folder / "fine.json", std::filesystem::path("/dev/full")}) {
    auto file = otlp::OtlpJsonFile::Open(path, {}, masker);
    ASSERT_TRUE(file);
    sinks.Add(std::move(*file));
  }
  EXPECT_EQ(sinks.Failure(), "");
  EXPECT_FALSE(sinks.Write({}));
  EXPECT_EQ(sinks.Name(), "/dev/full");
  EXPECT_EQ(sinks.Failure(), "No space left on device");
}

}  // namespace
}  // namespace awf::cli
