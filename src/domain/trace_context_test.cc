#include "domain/trace_context.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kSpan[] = "00f067aa0ba902b7";

TEST(TraceContext, ReadsAndWrites) {
  const std::string text = FormatTraceParent(kTrace, kSpan);
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

}  // namespace
}  // namespace awf
