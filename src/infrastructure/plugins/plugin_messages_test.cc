#include "infrastructure/plugins/plugin_messages.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "goplugin/go_plugin.pb.h"
#include "goplugin/health.pb.h"
#include "plugin/v1/plugin.pb.h"

namespace awf::plugins {
namespace {

const std::unexpected<std::string> kUnreadable("the message cannot be read");

// A field of bytes as it stands on the wire, its text shorter than 128 bytes: for what the generated code refuses.
std::string Field(int number, const std::string& text) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(text.size())} + text;
}

TEST(JsonTextTest, IntegersAreExact) {
  EXPECT_EQ(JsonText(std::int64_t{std::numeric_limits<std::int64_t>::min()}), "-9223372036854775808");
  EXPECT_EQ(JsonText(std::int64_t{9'007'199'254'740'993}), "9007199254740993");
  EXPECT_EQ(JsonText(std::uint64_t{std::numeric_limits<std::uint64_t>::max()}), "18446744073709551615");
  EXPECT_EQ(JsonText(0), "0");
}

TEST(JsonTextTest, DoublesAreTheShortestTextThatReadsBackTheSame) {
  EXPECT_EQ(JsonText(1.5), "1.5");
  EXPECT_EQ(JsonText(0.1), "0.1");
  EXPECT_EQ(JsonText(5.0), "5");
  EXPECT_EQ(JsonText(1e21), "1e+21");
  EXPECT_EQ(JsonText(5e-324), "5e-324");
  EXPECT_EQ(JsonText(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(JsonText(0.30000000000000004), "0.30000000000000004");
  EXPECT_EQ(JsonText(0.0), "0");
  EXPECT_EQ(JsonText(-0.0), "-0.0");
}

TEST(JsonTextTest, EveryDoubleReadsBackTheSame) {
  std::mt19937_64 random(20260101);  // the same ones each time
  for (int i = 0; i < 100'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const std::string text = JsonText(number);
    ASSERT_LE(text.size(), 24U) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(number))
        << text;
  }
}

TEST(JsonTextTest, WhatJsonHasNoWordForStaysJson) {
  EXPECT_EQ(JsonText(std::numeric_limits<double>::infinity()), "1e999");
  EXPECT_EQ(JsonText(-std::numeric_limits<double>::infinity()), "-1e999");
  EXPECT_EQ(JsonText(std::nan("")), "null");
}

TEST(JsonTextTest, NumbersInsideOthersAreWrittenTheSame) {
  const json::value value = {{"z", {1.5, 2.0, -3, {{"deep", {0.25}}}}},
                             {"a \"b\"", "t\n\xc3\xa9"},
                             {"n", nullptr},
                             {"yes", true},
                             {"none", json::object()},
                             {"empty", json::array()}};
  EXPECT_EQ(JsonText(value), R"({"z":[1.5,2,-3,{"deep":[0.25]}],"a \"b\"":"t\n)"
                             "\xc3\xa9"
                             R"(","n":null,"yes":true,"none":{},"empty":[]})");
}

TEST(PluginRequestTest, ExecuteCarriesTheNameAndEachInputAsJson) {
  plugin::v1::ExecuteRequest request;
  ASSERT_TRUE(request.ParseFromString(ExecuteRequestOf(
      "scale", {{"text", "a\"b"}, {"count", 18446744073709551615ULL}, {"by", 2.5}, {"list", {1, "x"}}})));
  EXPECT_EQ(request.operation(), "scale");
  ASSERT_EQ(request.inputs_size(), 4);
  EXPECT_EQ(request.inputs().at("text"), R"("a\"b")");
  EXPECT_EQ(request.inputs().at("count"), "18446744073709551615");
  EXPECT_EQ(request.inputs().at("by"), "2.5");
  EXPECT_EQ(request.inputs().at("list"), R"([1,"x"])");
  ASSERT_TRUE(request.ParseFromString(ExecuteRequestOf("none", {})));
  EXPECT_EQ(request.inputs_size(), 0);
}

TEST(PluginRequestTest, InitCarriesTheConfigurationAsJson) {
  plugin::v1::InitRequest request;
  ASSERT_TRUE(request.ParseFromString(InitRequestOf({{"path", "~/x"}, {"retries", 3}, {"debug", false}})));
  ASSERT_EQ(request.config_size(), 3);
  EXPECT_EQ(request.config().at("path"), R"("~/x")");
  EXPECT_EQ(request.config().at("retries"), "3");
  EXPECT_EQ(request.config().at("debug"), "false");
  EXPECT_EQ(InitRequestOf({}), "");
}

TEST(PluginRequestTest, HealthNamesTheService) { EXPECT_EQ(HealthRequestOf("plugin"), Field(1, "plugin")); }

TEST(PluginReplyTest, InfoIsRead) {
  plugin::v1::GetInfoResponse reply;
  reply.set_name("demo");
  reply.set_version("1.2.3");
  reply.set_description("what it does");
  reply.add_capabilities("operations");
  reply.add_capabilities("events");
  EXPECT_EQ(ReadInfoReply(reply.SerializeAsString()),
            (PluginInfo{"demo", "1.2.3", "what it does", {"operations", "events"}}));
  EXPECT_EQ(ReadInfoReply(""), PluginInfo{});
  EXPECT_EQ(ReadInfoReply(Field(1, "d\xff") + Field(4, "\xc3")),
            (PluginInfo{"d\xef\xbf\xbd", "", "", {"\xef\xbf\xbd"}}));
}

TEST(PluginReplyTest, OperationsAreReadWithTheirInputsAndOutputs) {
  plugin::v1::ListOperationsResponse reply;
  plugin::v1::OperationSchema* add = reply.add_operations();
  add->set_name("add");
  add->set_description("adds");
  plugin::v1::InputSchema* input = add->add_inputs();
  input->set_name("a");
  input->set_type("integer");
  input->set_required(true);
  input->set_default_("5");
  input->set_description("first");
  input->set_validation("url");
  plugin::v1::OutputSchema* output = add->add_outputs();
  output->set_name("sum");
  output->set_type("integer");
  output->set_description("both");
  reply.add_operations()->set_name("bare");
  const std::vector<Operation> expected = {
      {"add", "adds", {{"a", "integer", true, "5", "first", "url"}}, {{"sum", "integer", "both"}}},
      {"bare", "", {}, {}}};
  EXPECT_EQ(ReadOperationsReply(reply.SerializeAsString()), expected);
  EXPECT_EQ(ReadOperationsReply(""), std::vector<Operation>{});
}

TEST(PluginReplyTest, TextsOfOperationsAreRepaired) {
  const std::string operation =
      Field(1, "n\xff") + Field(2, "\xc3") + Field(3, Field(1, "\x80") + Field(4, "\xfe")) + Field(4, Field(3, "\xff"));
  const std::string bad = "\xef\xbf\xbd";
  const std::vector<Operation> expected = {{"n" + bad, bad, {{bad, "", false, bad, "", ""}}, {{"", "", bad}}}};
  EXPECT_EQ(ReadOperationsReply(Field(1, operation)), expected);
}

TEST(PluginReplyTest, AResultsDataAreJsonOrStrings) {
  plugin::v1::ExecuteResponse reply;
  reply.set_success(true);
  reply.set_output("done\n");
  reply.set_error("but");
  auto& data = *reply.mutable_data();
  data["z"] = R"( {"deep": [1, 18446744073709551615, 0.5]} )";
  data["n"] = "-9223372036854775808";
  data["a"] = "plain text";
  data["m"] = "null";
  data["empty"] = "";
  data["bytes"] = "\xff\x01";
  data["half"] = R"({"a":)";
  data["quoted"] = R"("text")";
  const auto result = ReadExecuteReply(reply.SerializeAsString());
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->ending, OperationResult::Ending::kAnswered);
  EXPECT_TRUE(result->success);
  EXPECT_EQ(result->output, "done\n");
  EXPECT_EQ(result->error, "but");
  EXPECT_FALSE(result->rpc);
  EXPECT_EQ(json::serialize(result->data),
            R"({"a":"plain text","bytes":")"
            "\xef\xbf\xbd"
            R"(\u0001","empty":"","half":"{\"a\":","m":null,"n":-9223372036854775808,"quoted":"text",)"
            R"("z":{"deep":[1,18446744073709551615,5E-1]}})");
}

TEST(PluginReplyTest, AnEmptyResultIsAFailureWithoutText) {
  const auto result = ReadExecuteReply("");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->success);
  EXPECT_EQ(result->output + result->error, "");
  EXPECT_TRUE(result->data.empty());
}

TEST(PluginReplyTest, TextsOfAResultAreRepairedAndTheLastOfAKeyCounts) {
  const std::string bad = "\xef\xbf\xbd";
  const auto result = ReadExecuteReply(Field(2, "o\xff") + Field(4, "\xc3(") + Field(3, Field(1, "k") + Field(2, "1")) +
                                       Field(3, Field(1, "k") + Field(2, "2")) + Field(3, Field(1, "\xff")));
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->output, "o" + bad);
  EXPECT_EQ(result->error, bad + "(");
  EXPECT_EQ(json::serialize(result->data), R"({"k":2,")" + bad + R"(":""})");
}

TEST(PluginReplyTest, JsonThatNestsTooDeepStaysText) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  plugin::v1::ExecuteResponse reply;
  (*reply.mutable_data())["deep"] = deep;
  const auto result = ReadExecuteReply(reply.SerializeAsString());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->data.at("deep"), json::value(deep));
}

TEST(PluginReplyTest, PrintsAreReadByChannel) {
  plugin::StdioData data;
  data.set_channel(plugin::StdioData::STDERR);
  data.set_data("\xff\n");
  EXPECT_EQ(ReadStdioMessage(data.SerializeAsString()), (StdioMessage{true, "\xff\n"}));
  data.set_channel(plugin::StdioData::STDOUT);
  EXPECT_EQ(ReadStdioMessage(data.SerializeAsString()), (StdioMessage{false, "\xff\n"}));
}

TEST(PluginReplyTest, HealthIsNamed) {
  grpc::health::v1::HealthCheckResponse reply;
  reply.set_status(grpc::health::v1::HealthCheckResponse::SERVING);
  EXPECT_EQ(ReadHealthReply(reply.SerializeAsString()), std::string(kServing));
  reply.set_status(grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(ReadHealthReply(reply.SerializeAsString()), "NOT_SERVING");
  reply.set_status(grpc::health::v1::HealthCheckResponse::SERVICE_UNKNOWN);
  EXPECT_EQ(ReadHealthReply(reply.SerializeAsString()), "SERVICE_UNKNOWN");
  EXPECT_EQ(ReadHealthReply(""), "UNKNOWN");
  EXPECT_EQ(ReadHealthReply("\x08\x07"), "status 7");
}

TEST(PluginReplyTest, BytesThatAreNoMessageAreAnError) {
  for (const std::string& bytes : {std::string("\xff"), std::string("\x0a\x05hi"), std::string("hello"),
                                   std::string("\x1a\xff\xff\xff\xff\x0f"), std::string("\0", 1)}) {
    EXPECT_EQ(ReadInfoReply(bytes), kUnreadable);
    EXPECT_EQ(ReadOperationsReply(bytes), kUnreadable);
    EXPECT_FALSE(ReadExecuteReply(bytes));
    EXPECT_EQ(ReadStdioMessage(bytes), kUnreadable);
    EXPECT_EQ(ReadHealthReply(bytes), kUnreadable);
  }
  EXPECT_EQ(ReadExecuteReply("\xff").error(), kUnreadable.error());
}

}  // namespace
}  // namespace awf::plugins
