#include "infrastructure/otlp/sampler.h"

#include <gtest/gtest.h>

#include <map>

#include "infrastructure/otlp/test_variables.h"

namespace awf::otlp {
namespace {

constexpr const char* kLow = "ffffffffffffffff0000000000000000";
constexpr const char* kMiddle = "00000000000000008000000000000000";
constexpr const char* kHigh = "0000000000000000ffffffffffffffff";

bool Sampled(const std::string& name, const std::string& argument, const char* trace, std::optional<bool> parent) {
  std::map<std::string, std::string> variables;
  if (!name.empty()) variables["OTEL_TRACES_SAMPLER"] = name;
  if (!argument.empty()) variables["OTEL_TRACES_SAMPLER_ARG"] = argument;
  const auto sampler = Sampler::Resolve(Variables(variables));
  EXPECT_TRUE(sampler) << name << " " << argument;
  return sampler && sampler->Sampled(trace, parent);
}

TEST(Sampler, DecidesByNameTraceAndParent) {
  struct Case {
    const char *name, *argument, *trace;
    std::optional<bool> parent;
    bool sampled;
  };
  const std::optional<bool> none;
  for (const Case& c : {Case{"", "", kHigh, none, true},
                        {"", "", kHigh, false, false},
                        {"always_on", "", kHigh, false, true},
                        {"always_off", "", kLow, true, false},
                        {"parentbased_always_on", "", kLow, none, true},
                        {"parentbased_always_on", "", kLow, false, false},
                        {"parentbased_always_off", "", kLow, none, false},
                        {"parentbased_always_off", "", kLow, true, true},
                        {"traceidratio", "", kHigh, none, true},
                        {"traceidratio", "1", kHigh, none, true},
                        {"traceidratio", "0", kLow, none, false},
                        {"traceidratio", "0.5", kLow, none, true},
                        {"traceidratio", "0.5", kMiddle, none, false},
                        {"traceidratio", "0.5", kHigh, true, false},
                        {"traceidratio", "0.51", kMiddle, none, true},
                        {"parentbased_traceidratio", "0.5", kHigh, none, false},
                        {"parentbased_traceidratio", "0.5", kHigh, true, true},
                        {"parentbased_traceidratio", "0.5", kLow, false, false},
                        // An argument that the sampler does not use.
                        {"always_on", "x", kHigh, none, true}})
    EXPECT_EQ(Sampled(c.name, c.argument, c.trace, c.parent), c.sampled) << c.name << " " << c.argument << c.trace;
}

TEST(Sampler, RefusesWhatItDoesNotKnow) {
  struct Case {
    const char *name, *argument, *message, *hint;
  };
  const std::string all =
      "Use one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, "
      "parentbased_traceidratio.";
  const char* ratio = "Give a number from 0 to 1, as 0.25 for a quarter of the traces.";
  for (const Case& c :
       {Case{"jaeger_remote", "", "OTEL_TRACES_SAMPLER: there is no sampler 'jaeger_remote'", all.c_str()},
        {"parentbased_", "", "OTEL_TRACES_SAMPLER: there is no sampler 'parentbased_'", all.c_str()},
        {"Always_On", "", "OTEL_TRACES_SAMPLER: there is no sampler 'Always_On'", "did you mean 'always_on'?"},
        {"traceidratio", "1.5", "OTEL_TRACES_SAMPLER_ARG: '1.5' is no ratio", ratio},
        {"traceidratio", "-0.1", "OTEL_TRACES_SAMPLER_ARG: '-0.1' is no ratio", ratio},
        {"traceidratio", "nan", "OTEL_TRACES_SAMPLER_ARG: 'nan' is no ratio", ratio},
        {"parentbased_traceidratio", "half", "OTEL_TRACES_SAMPLER_ARG: 'half' is no ratio", ratio}}) {
    const auto sampler =
        Sampler::Resolve(Variables({{"OTEL_TRACES_SAMPLER", c.name}, {"OTEL_TRACES_SAMPLER_ARG", c.argument}}));
    ASSERT_FALSE(sampler) << c.name;
    EXPECT_EQ(sampler.error().code, "USER.INPUT.INVALID_FORMAT");
    EXPECT_EQ(sampler.error().message, c.message);
    EXPECT_EQ(sampler.error().hint, c.hint);
  }
}

}  // namespace
}  // namespace awf::otlp
