#include "infrastructure/otlp/export_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/test_folder.h"
#include "infrastructure/otlp/test_variables.h"

namespace awf::otlp {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using Map = std::map<std::string, std::string>;

constexpr const char* kGrpc = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

ExportSettings Resolved(const std::string& exporter, Map variables) {
  auto settings = ResolveExport(exporter, "--otel-exporter", Variables(std::move(variables)));
  EXPECT_TRUE(settings) << exporter << ": " << settings.error().message;
  return settings.value_or(ExportSettings{});
}

TEST(ResolveExport, FindsProtocolAndUrl) {
  struct Case {
    const char* exporter;
    Map variables;
    Protocol protocol;
    std::string url;
  };
  const std::string grpc = kGrpc;
  const Protocol g = Protocol::kGrpc, h = Protocol::kHttpProtobuf;
  const std::string endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT", traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const std::string protocol = "OTEL_EXPORTER_OTLP_PROTOCOL", insecure = "OTEL_EXPORTER_OTLP_INSECURE";
  for (const Case& c : std::vector<Case>{
           {"otlp", {}, g, "http://localhost:4317" + grpc},
           {"otlp-http", {}, h, "http://localhost:4318/v1/traces"},
           {"otlp", {{protocol, "http/protobuf"}}, h, "http://localhost:4318/v1/traces"},
           {"otlp-http", {{protocol, "grpc"}}, h, "http://localhost:4318/v1/traces"},
           {"otlp",
            {{protocol, "grpc"}, {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}},
            h,
            "http://localhost:4318/v1/traces"},
           // Endpoints of the environment.
           {"otlp", {{endpoint, "https://api.example.com"}}, g, "https://api.example.com" + grpc},
           {"otlp", {{endpoint, "HTTP://collector:4317/"}}, g, "http://collector:4317" + grpc},
           {"otlp", {{endpoint, "collector:4317"}}, g, "http://collector:4317" + grpc},
           {"otlp", {{endpoint, "http://a:1"}, {traces, "http://b:2"}}, g, "http://b:2" + grpc},
           {"otlp", {{endpoint, "http://c:4318"}}, h, "http://c:4318/v1/traces"},
           {"otlp", {{endpoint, "http://c:4318"}, {protocol, "grpc"}}, g, "http://c:4318" + grpc},
           {"otlp", {{endpoint, "https://gate.example.com/otlp"}}, h, "https://gate.example.com/otlp/v1/traces"},
           {"otlp-http", {{endpoint, "https://x/otlp/"}}, h, "https://x/otlp/v1/traces"},
           {"otlp-http", {{endpoint, "https://x?k=v"}}, h, "https://x/v1/traces?k=v"},
           {"otlp-http", {{traces, "https://x/own"}}, h, "https://x/own"},
           {"otlp-http", {{traces, "https://x"}}, h, "https://x/"},
           {"otlp-http", {{endpoint, "c:4318"}}, h, "http://c:4318/v1/traces"},
           // Addresses in place of a name.
           {"localhost:4317", {}, g, "http://localhost:4317" + grpc},
           {"localhost:4317", {{endpoint, "http://elsewhere:1"}}, g, "http://localhost:4317" + grpc},
           {"localhost:4318", {}, h, "http://localhost:4318/v1/traces"},
           {"[::1]:4317", {}, g, "http://[::1]:4317" + grpc},
           {"http://c:4318", {}, h, "http://c:4318/v1/traces"},
           {"http://c:4318/", {{protocol, "grpc"}}, h, "http://c:4318/v1/traces"},
           {"http://c:9/v1/traces", {}, h, "http://c:9/v1/traces"},
           {"https://c/own?k=v#f", {}, h, "https://c/own?k=v"},
           {"https://c", {}, g, "https://c" + grpc},
           {"https://c", {{protocol, "http/protobuf"}}, h, "https://c/v1/traces"},
           {"http://me:pass@c:9", {}, g, "http://me:pass@c:9" + grpc},
           // Without a scheme.
           {"c:1", {{insecure, "false"}}, g, "https://c:1" + grpc},
           {"c:1", {{insecure, "True"}, {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/dev/null"}}, g, "http://c:1" + grpc},
           {"c:1", {{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/dev/null"}}, g, "https://c:1" + grpc},
           {"http://c:1", {{insecure, "false"}}, g, "http://c:1" + grpc}}) {
    const ExportSettings settings = Resolved(c.exporter, c.variables);
    EXPECT_EQ(settings.url, c.url) << c.exporter;
    EXPECT_EQ(settings.protocol, c.protocol) << c.exporter << " " << c.url;
  }
}

TEST(ResolveExport, TheDefaultsAreThoseOfThePage) {
  const ExportSettings settings = Resolved("otlp", {});
  EXPECT_TRUE(settings.headers.empty());
  EXPECT_FALSE(settings.gzip);
  EXPECT_EQ(settings.ca_file + settings.client_certificate + settings.client_key, "");
  EXPECT_EQ(settings.batch.batch, 512U);
  EXPECT_EQ(settings.batch.queue, 2048U);
  EXPECT_EQ(settings.batch.delay, 1000ms);
  EXPECT_EQ(settings.batch.timeout, 10'000ms);
}

TEST(ResolveExport, ReadsEveryVariable) {
  const TestFolder folder;
  const std::string pem = folder.Put("x.pem", "").string();
  const std::string otlp = "OTEL_EXPORTER_OTLP_";
  const ExportSettings settings =
      Resolved("otlp", {{otlp + "HEADERS", "generic=1"},
                        {otlp + "TRACES_HEADERS", " X-Key = a%2Cb%20c ,, authorization=Bearer abc=="},
                        {otlp + "TIMEOUT", "1"},
                        {otlp + "TRACES_TIMEOUT", "2500"},
                        {otlp + "CERTIFICATE", "/nowhere"},
                        {otlp + "TRACES_CERTIFICATE", pem},
                        {otlp + "CLIENT_CERTIFICATE", pem},
                        {otlp + "CLIENT_KEY", pem},
                        {otlp + "COMPRESSION", "gzip"},
                        {"OTEL_BSP_SCHEDULE_DELAY", "0"},
                        {"OTEL_BSP_MAX_QUEUE_SIZE", "100"},
                        {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "50"},
                        {"OTEL_BSP_EXPORT_TIMEOUT", "30000"}});
  EXPECT_THAT(settings.headers, testing::ElementsAre(http::HttpHeader{"x-key", "a,b c"},
                                                     http::HttpHeader{"authorization", "Bearer abc=="}));
  EXPECT_EQ(settings.batch.timeout, 2500ms);
  EXPECT_EQ(settings.ca_file, pem);
  EXPECT_EQ(settings.client_certificate, pem);
  EXPECT_EQ(settings.client_key, pem);
  EXPECT_TRUE(settings.gzip);
  EXPECT_EQ(settings.batch.delay, 0ms);
  EXPECT_EQ(settings.batch.queue, 100U);
  EXPECT_EQ(settings.batch.batch, 50U);
  EXPECT_EQ(Resolved("otlp", {{"OTEL_BSP_MAX_QUEUE_SIZE", "100"}}).batch.batch, 100U);  // no more than wait
  EXPECT_EQ(Resolved("otlp", {{"OTEL_BSP_EXPORT_TIMEOUT", "700"}}).batch.timeout, 700ms);
  EXPECT_FALSE(Resolved("otlp", {{otlp + "COMPRESSION", "gzip"}, {otlp + "TRACES_COMPRESSION", "none"}}).gzip);
}

TEST(ResolveExport, NamesWhatItCannotUnderstand) {
  struct Case {
    const char* exporter;
    Map variables;
    const char *message, *hint;
  };
  const std::string otlp = "OTEL_EXPORTER_OTLP_";
  const char* address = "Give HOST:PORT, http://HOST:PORT or https://HOST:PORT.";
  const char* pairs = "Give name=value,name=value; write a comma in a value as %2C.";
  for (const Case& c : std::vector<Case>{
           {"otpl", {}, "--otel-exporter: there is no exporter 'otpl'", "did you mean 'otlp'?"},
           {"zipkin",
            {},
            "--otel-exporter: there is no exporter 'zipkin'",
            "Use none, otlp, otlp-http, console, file, file:PATH, HOST:PORT or a URL."},
           {"ftp://x", {}, "--otel-exporter: 'ftp://x' is no address of a collector", address},
           {"host:0", {}, "--otel-exporter: 'host:0' is no address of a collector", address},
           {"host:65536", {}, "--otel-exporter: 'host:65536' is no address of a collector", address},
           {"host:4317/x", {}, "--otel-exporter: 'host:4317/x' is no address of a collector", address},
           {":4317", {}, "--otel-exporter: ':4317' is no address of a collector", address},
           {"http://", {}, "--otel-exporter: 'http://' is no address of a collector", address},
           {"http://a b", {}, "--otel-exporter: 'http://a b' is no address of a collector", address},
           {"me:pass@host", {}, "--otel-exporter: the value is no address of a collector", address},
           {"otlp",
            {{otlp + "ENDPOINT", "collector"}},
            "OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' is no address of a collector",
            address},
           {"otlp",
            {{otlp + "TRACES_ENDPOINT", "unix:///x"}},
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'unix:///x' is no address of a collector",
            address},
           {"otlp",
            {{otlp + "PROTOCOL", "http/json"}},
            "OTEL_EXPORTER_OTLP_PROTOCOL: http/json is not supported",
            "Use http/protobuf, which every collector takes too."},
           {"otlp",
            {{otlp + "PROTOCOL", "gprc"}},
            "OTEL_EXPORTER_OTLP_PROTOCOL: there is no protocol 'gprc'",
            "did you mean 'grpc'?"},
           {"otlp",
            {{otlp + "PROTOCOL", "udp"}},
            "OTEL_EXPORTER_OTLP_PROTOCOL: there is no protocol 'udp'",
            "Use grpc or http/protobuf."},
           {"otlp",
            {{otlp + "INSECURE", "yes"}},
            "OTEL_EXPORTER_OTLP_INSECURE: 'yes' is neither true nor false",
            "Use true or false."},
           {"otlp", {{otlp + "HEADERS", "a=1,canary"}}, "OTEL_EXPORTER_OTLP_HEADERS: pair 2 has no '='", pairs},
           {"otlp",
            {{otlp + "HEADERS", "=canary"}},
            "OTEL_EXPORTER_OTLP_HEADERS: pair 1 has no valid name of a header",
            pairs},
           {"otlp",
            {{otlp + "HEADERS", "x y=canary"}},
            "OTEL_EXPORTER_OTLP_HEADERS: pair 1 has no valid name of a header",
            pairs},
           {"otlp",
            {{otlp + "TRACES_HEADERS", "Key=canary%0d%0aX: y"}},
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS: the value of 'key' holds a control character",
            pairs},
           {"otlp",
            {{otlp + "HEADERS", "Content-Type=canary"}},
            "OTEL_EXPORTER_OTLP_HEADERS: the header 'content-type' is set by awf itself",
            "Leave it out."},
           {"otlp",
            {{otlp + "CERTIFICATE", "/nowhere/x.pem"}},
            "OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/x.pem' cannot be read",
            "Give the path of a PEM file."},
           {"otlp",
            {{otlp + "CLIENT_KEY", "/dev/null"}},
            "OTEL_EXPORTER_OTLP_CLIENT_KEY: a key without a certificate",
            "Set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE too."},
           {"otlp",
            {{otlp + "COMPRESSION", "zstd"}},
            "OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' is not supported",
            "Use gzip or none."},
           {"otlp",
            {{otlp + "TIMEOUT", "10s"}},
            "OTEL_EXPORTER_OTLP_TIMEOUT: '10s' is no number from 1 to 3600000",
            "Give milliseconds."},
           {"otlp",
            {{otlp + "TRACES_TIMEOUT", "0"}},
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '0' is no number from 1 to 3600000",
            "Give milliseconds."},
           {"otlp",
            {{"OTEL_BSP_MAX_QUEUE_SIZE", "-1"}},
            "OTEL_BSP_MAX_QUEUE_SIZE: '-1' is no number from 1 to 1000000",
            "Give a number of spans."},
           {"otlp",
            {{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "99999999999999999999"}},
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '99999999999999999999' is no number from 1 to 1000000",
            "Give a number of spans."},
           {"otlp",
            {{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "101"}, {"OTEL_BSP_MAX_QUEUE_SIZE", "100"}},
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE: a batch of 101 spans does not fit a queue of 100 "
            "(OTEL_BSP_MAX_QUEUE_SIZE)",
            "Make the batch smaller or the queue larger."},
           {"otlp",
            {{otlp + "HEADERS", "Key=canary%zz"}},
            "OTEL_EXPORTER_OTLP_HEADERS: the value of 'key' holds a '%' that begins no %XX",
            "Write a percent sign as %25."},
           {"otlp",
            {{"OTEL_BSP_SCHEDULE_DELAY", "soon"}},
            "OTEL_BSP_SCHEDULE_DELAY: 'soon' is no number from 0 to 3600000",
            "Give milliseconds."}}) {
    const auto settings = ResolveExport(c.exporter, "--otel-exporter", Variables(c.variables));
    ASSERT_FALSE(settings) << c.message;
    EXPECT_EQ(settings.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(settings.error().message, c.message);
    EXPECT_EQ(settings.error().hint, c.hint);
    EXPECT_THAT(settings.error().message, testing::Not(HasSubstr("canary")));
  }
}

TEST(ExportSecrets, AreValuesTokensAndPasswords) {
  const std::string otlp = "OTEL_EXPORTER_OTLP_";
  EXPECT_THAT(ExportSecrets("http://me:pass:word@c:9",
                            Variables({{otlp + "HEADERS", "authorization=Bearer%20abc,x-key=k1,broken,empty="},
                                       {otlp + "TRACES_HEADERS", "y=k2"},
                                       {otlp + "ENDPOINT", "https://token@c"},
                                       {otlp + "TRACES_ENDPOINT", "nonsense@"}})),
              testing::ElementsAre("abc", "Bearer abc", "k1", "k2", "pass:word", "token"));
  EXPECT_TRUE(ExportSecrets("otlp", Variables({})).empty());
}

}  // namespace
}  // namespace awf::otlp
