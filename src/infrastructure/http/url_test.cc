#include "infrastructure/http/url.h"

#include <gtest/gtest.h>

#include <string>

namespace awf::http {
namespace {

TEST(UrlTest, PartsWithTheDefaultPort) {
  const auto url = ReadUrl("https://user:pass@Example.org/a?b=c#d");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "Example.org");
  EXPECT_EQ(url->port, "443");
  EXPECT_TRUE(url->has_credentials);
  EXPECT_FALSE(ReadUrl("http://h:8080/")->has_credentials);
  EXPECT_EQ(ReadUrl("http://h:8080/")->port, "8080");
}

TEST(UrlTest, OriginsAreSchemeHostAndPort) {
  const Url base = *ReadUrl("http://h/a");
  EXPECT_TRUE(base.SameOrigin(*ReadUrl("http://h:80/b")));
  for (const char* other : {"https://h/a", "http://g/a", "http://h:81/a"})
    EXPECT_FALSE(base.SameOrigin(*ReadUrl(other))) << other;
}

TEST(UrlTest, RelativeToABase) {
  const std::string base = "http://u:p@h/a/b?c=d";
  EXPECT_EQ(ReadUrl("e", base)->text, "http://u:p@h/a/e");
  EXPECT_EQ(ReadUrl("/e f", base)->text, "http://u:p@h/e%20f");
  EXPECT_EQ(ReadUrl("https://g/x", base)->text, "https://g/x");
  EXPECT_EQ(ReadUrl("//g/x", base)->text, "http://g/x");
}

TEST(UrlTest, OnlyHttp) {
  const std::string with_nul("http://h/\0x", 11);
  for (const std::string& text : {std::string("ftp://h/"), std::string("file:///etc/passwd"), std::string("h/x"),
                                  std::string(), std::string("http://"), std::string("http://a b/"), with_nul}) {
    const auto url = ReadUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().kind, HttpFailure::Kind::kBadUrl);
  }
  EXPECT_FALSE(ReadUrl("file:///etc/passwd", "http://h/"));
}

TEST(UrlTest, Loopback) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1"}) EXPECT_TRUE(IsLoopback(host));
  for (const char* host : {"127.example.org", "localhost.example.org", "128.0.0.1", ""}) EXPECT_FALSE(IsLoopback(host));
}

}  // namespace
}  // namespace awf::http
