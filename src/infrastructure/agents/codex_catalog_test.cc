#include "infrastructure/agents/codex_catalog.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

constexpr const char* kBundled = R"({"models":[
    {"slug":"gpt-5.5","apply_patch_tool_type":"freeform","supports_search_tool":true,"context_window":5,
     "experimental_supported_tools":[],"tool_mode":null},
    {"slug":"gpt-6","tool_mode":"code_mode_only","multi_agent_version":"v2",
     "experimental_supported_tools":["clock"],"base_instructions":"é"}]})";
constexpr const char* kGpt55 = R"({"slug":"gpt-5.5","apply_patch_tool_type":null,"supports_search_tool":false,)"
                               R"("context_window":5,"experimental_supported_tools":[]})";
constexpr const char* kGpt6 = R"({"slug":"gpt-6","experimental_supported_tools":[],"base_instructions":"é",)"
                              R"("apply_patch_tool_type":null,"supports_search_tool":false})";

std::string Catalog(const std::string& entries) { return R"({"models":[)" + entries + "]}"; }

TEST(CodexCatalogTest, OneModel) {
  EXPECT_EQ(PatchedCodexCatalog(kBundled, "gpt-5.5"), Catalog(kGpt55));
  EXPECT_EQ(PatchedCodexCatalog(kBundled, "gpt-6"), Catalog(kGpt6));
}

// Codex takes the entry of a name that another one begins with, and its server may know more names.
TEST(CodexCatalogTest, AllModelsForOtherNames) {
  const std::string all = Catalog(std::string(kGpt55) + "," + kGpt6);
  for (const char* model : {"", "gpt-5.5-mini", "openai/gpt-5.5", "unknown"}) {
    EXPECT_EQ(PatchedCodexCatalog(kBundled, model), all) << model;
  }
}

TEST(CodexCatalogTest, NothingFromWhatIsNoCatalog) {
  for (const char* text : {"", "no JSON", "[]", "{}", R"({"models":[]})", R"({"models":["gpt-6"]})"}) {
    EXPECT_EQ(PatchedCodexCatalog(text, "gpt-6"), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace awf::agents
