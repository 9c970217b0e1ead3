#include "domain/trace_context.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kSpan[] = "00f067aa0ba902b7";

TEST(TraceContext, ReadsAndWrites) {
  const std::string text = FormatTraceParent(kTrace, kSpan, true);
  EXPECT_EQ(text, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  EXPECT_EQ(ParseTraceParent(text), (TraceParent{kTrace, kSpan, true}));
  EXPECT_EQ(ParseTraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"),
            (TraceParent{kTrace, kSpan, false}));
  EXPECT_TRUE(ParseTraceParent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"));
}

TEST(TraceContext, RefusesWhatIsNotValid) {
  for (const char* text : {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                           "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
                           "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
    EXPECT_FALSE(ParseTraceParent(text)) << text;
}

TEST(TraceContext, AnUnsampledTraceSaysSo) {
  EXPECT_EQ(FormatTraceParent(kTrace, kSpan, false), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
}

TEST(TraceContext, KnowsAWellFormedTraceState) {
  const std::string key(256, 'k'), value(256, 'v');
  std::string most, more;
  for (int i = 0; i < 33; ++i) {
    if (i < 32) most += "k" + std::to_string(i) + "=v,";
    more += "k" + std::to_string(i) + "=v,";
  }
  for (const std::string& text : {std::string("a=1"), std::string("vendor=t61rcWkgMzE, rojo=00f067aa0ba902b7 ,"),
                                  std::string("0tenant@sys-1=a b,x_-*/=!~"), key + "=v", "k=" + value, most}) {
    EXPECT_TRUE(IsTraceState(text)) << text;
  }
  for (const std::string& text :
       {std::string(""), std::string(" , "), std::string("a"), std::string("=1"), std::string("a="), std::string("A=1"),
        std::string("1a=1"), std::string("a=1=2"), std::string("a=\x01"), std::string("a=\xC3\xA9"),
        std::string("a=1,a=2"), std::string("a =1"), std::string("t@1sys=1"), std::string("t@s@u=1"),
        std::string("a@=1"), key + "k=v", "k=" + value + "v", more, "a=" + value + ",b=" + value}) {
    EXPECT_FALSE(IsTraceState(text)) << text;
  }
}

TEST(TraceContext, AStateIsNothingWithoutItsParent) {
  const std::string parent = FormatTraceParent(kTrace, kSpan, true);
  EXPECT_EQ(AcceptedTraceState(parent, "a=1"), "a=1");
  EXPECT_EQ(AcceptedTraceState(parent, "a"), "");
  EXPECT_EQ(AcceptedTraceState("", "a=1"), "");
}

}  // namespace
}  // namespace awf
