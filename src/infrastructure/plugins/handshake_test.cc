#include "infrastructure/plugins/handshake.h"

#include <gtest/gtest.h>

#include <string>

namespace awf::plugins {
namespace {

std::string Refusal(std::string_view line) {
  const auto parsed = ParseHandshake(line, "demo");
  return parsed ? "accepted: " + parsed->target : parsed.error();
}

TEST(Handshake, TakesTheLineOfAGoPlugin) {
  const std::string certificate(51, 'M');
  const auto parsed = ParseHandshake("1|1|unix|/run/x/plugin123|grpc|" + certificate, "demo");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->target, "unix:/run/x/plugin123");
  EXPECT_EQ(parsed->certificate, certificate);
}

TEST(Handshake, FieldsAreTrimmedAndOptional) {
  const auto trimmed = ParseHandshake(" 1 |1\t| tcp | 127.0.0.1:10000 | grpc | \r", "demo");
  ASSERT_TRUE(trimmed) << trimmed.error();
  EXPECT_EQ(trimmed->target, "ipv4:127.0.0.1:10000");
  EXPECT_EQ(trimmed->certificate, "");
  const auto plain = ParseHandshake("1|1|tcp|localhost:25000|grpc", "demo");
  ASSERT_TRUE(plain) << plain.error();
  EXPECT_EQ(plain->target, "ipv4:127.0.0.1:25000");
  EXPECT_TRUE(ParseHandshake("1|1|unix|/s|grpc||false", "demo"));
  EXPECT_TRUE(ParseHandshake("1|1|unix|/s|grpc||false|more", "demo"));
}

TEST(Handshake, ACertificateOfFiftyCharactersIsNone) {
  const auto parsed = ParseHandshake("1|1|unix|/s|grpc|" + std::string(50, 'M'), "demo");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->certificate, "");
}

TEST(Handshake, PathsBecomeUris) {
  const auto parsed = ParseHandshake("1|1|unix|/a b/%c#d?e|grpc", "demo");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->target, "unix:/a%20b/%25c%23d%3Fe");
}

TEST(Handshake, OtherTextIsNone) {
  EXPECT_EQ(Refusal("Listening on :8080"), "first stdout line is not a plugin handshake: \"Listening on :8080\"");
  EXPECT_EQ(Refusal(""), "first stdout line is not a plugin handshake: \"\"");
  EXPECT_EQ(Refusal("1|1|unix"), "first stdout line is not a plugin handshake: \"1|1|unix\"");
  EXPECT_EQ(Refusal("1|1|unix|"), "first stdout line is not a plugin handshake: \"1|1|unix|\"");
  EXPECT_EQ(Refusal("a|b|c|d|e"), "first stdout line is not a plugin handshake: \"a|b|c|d|e\"");
  EXPECT_EQ(Refusal("1x|1|unix|/s"), "first stdout line is not a plugin handshake: \"1x|1|unix|/s\"");
  EXPECT_EQ(Refusal("\x1b[31mhi\x1b[0m \xff"), "first stdout line is not a plugin handshake: \"hi \uFFFD\"");
  EXPECT_EQ(Refusal(std::string(201, 'a')),
            "first stdout line is not a plugin handshake: \"" + std::string(200, 'a') + "…\"");
}

TEST(Handshake, OtherProtocolsAreNamed) {
  EXPECT_EQ(Refusal("2|1|unix|/s|grpc"), "demo speaks go-plugin core protocol 2, awf speaks 1");
  EXPECT_EQ(Refusal("1|7|unix|/s|grpc"), "demo speaks plugin protocol 7, awf accepts 1");
  EXPECT_EQ(Refusal("1|1|udp|/s|grpc"), "unknown network \"udp\"");
  EXPECT_EQ(Refusal("1|1|unix|/s|netrpc"), "demo speaks \"netrpc\", only grpc is supported");
  EXPECT_EQ(Refusal("1|1|unix|/s"), "demo speaks \"netrpc\", only grpc is supported");
  EXPECT_EQ(Refusal("1|1|unix|/s|"), "demo speaks \"netrpc\", only grpc is supported");
  EXPECT_EQ(Refusal("1|1|unix|/s|grpc||true"), "demo multiplexes its gRPC connections, which awf does not support");
}

TEST(Handshake, AddressesThatCannotBeDialledAreRefused) {
  EXPECT_EQ(Refusal("1|1|unix|plugin.sock|grpc"), "address \"plugin.sock\" is no absolute path");
  for (const std::string address : {"127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "host:1", ":1"}) {
    EXPECT_EQ(Refusal("1|1|tcp|" + address + "|grpc"), "address \"" + address + "\" is no IPv4 address with a port");
  }
}

}  // namespace
}  // namespace awf::plugins
