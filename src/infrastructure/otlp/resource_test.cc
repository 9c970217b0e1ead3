#include "infrastructure/otlp/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/test_folder.h"
#include "infrastructure/otlp/otlp_json_file.h"
#include "infrastructure/otlp/span_encoder.h"

namespace awf::otlp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAttributes = "team=core,api_token=resSecretValue1,note=about%20resSecretValue1";

TEST(ResourceAttributes, ASecretKeyHidesItsValueInEveryFormat) {
  const TestFolder folder;
  const Masker masker;
  const TraceResource resource{"svc", "1", "box", 42, "team=core,api_token=resSecretValue1"};
  const SpanRecord span{};
  const std::string encoded = SpanEncoder(resource, masker).Encode({&span, 1});
  EXPECT_THAT(encoded, HasSubstr("api_token"));
  EXPECT_THAT(encoded, HasSubstr("***"));
  EXPECT_THAT(encoded, HasSubstr("core"));
  EXPECT_THAT(encoded, Not(HasSubstr("resSecretValue1")));
  auto file = OtlpJsonFile::Open(folder / "trace.json", resource, masker);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Write(span));
  EXPECT_THAT(FileText(folder / "trace.json"), HasSubstr(R"({"key":"api_token","value":{"stringValue":"***"}})"));
}

TEST(ResourceAttributes, TheirSecretsAreKnown) {
  EXPECT_THAT(ResourceSecrets(kAttributes, {}), testing::ElementsAre("resSecretValue1"));
  SecretNames names;
  names.Add("team");
  EXPECT_THAT(ResourceSecrets("team=a%2Cb,x=y,api_token=", names), testing::ElementsAre("a,b"));
}

TEST(ResourceAttributes, WhatCannotBeUnderstoodIsNamedWithoutItsValue) {
  EXPECT_TRUE(CheckResourceAttributes(""));
  EXPECT_TRUE(CheckResourceAttributes("a=b%20c,, d= ,"));
  for (const auto& [text, told] : {std::pair("foo", "pair 1 has no '='"),
                                   {"a=1,=canary", "pair 2 has no key"},
                                   {"a=1,b=canary%zz", "pair 2 holds a '%' that begins no %XX"},
                                   {"a=%4", "pair 1 holds a '%' that begins no %XX"}}) {
    const auto checked = CheckResourceAttributes(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(checked.error().message, std::string("OTEL_RESOURCE_ATTRIBUTES: ") + told);
  }
}

}  // namespace
}  // namespace awf::otlp
