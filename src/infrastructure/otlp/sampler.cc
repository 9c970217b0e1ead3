#include "infrastructure/otlp/sampler.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "domain/joined.h"
#include "domain/nearest_name.h"

namespace awf::otlp {
namespace {

constexpr const char* kVariable = "OTEL_TRACES_SAMPLER";
constexpr const char* kArgument = "OTEL_TRACES_SAMPLER_ARG";
constexpr std::string_view kParentBased = "parentbased_";
constexpr std::uint64_t kAll = std::uint64_t{1} << 63;

const std::array<std::string, 6>& Names() {
  static const std::array<std::string, 6> names = {"always_on",
                                                   "always_off",
                                                   "traceidratio",
                                                   "parentbased_always_on",
                                                   "parentbased_always_off",
                                                   "parentbased_traceidratio"};
  return names;
}

std::string Quoting(std::string_view before, std::string_view says, std::string_view quoted, std::string_view after) {
  std::string message;
  for (const std::string_view part : {before, says, quoted, after}) message.append(part);
  return message;
}

std::expected<std::uint64_t, Error> Bound(const GetVariable& get) {
  const auto text = get(kArgument);
  if (!text) return kAll;
  double ratio = -1;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, ratio);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(ratio >= 0 && ratio <= 1))
    return Fail("USER.INPUT.INVALID_FORMAT", Quoting(kArgument, ": '", *text, "' is no ratio"),
                "Give a number from 0 to 1, as 0.25 for a quarter of the traces.");
  return static_cast<std::uint64_t>(std::ldexp(ratio, 63));
}

}  // namespace

std::expected<Sampler, Error> Sampler::Resolve(const GetVariable& get) {
  Sampler sampler;
  const std::string name = get(kVariable).value_or(Names()[3]);
  std::string_view kind = name;
  sampler.parent_based_ = kind.starts_with(kParentBased);
  if (sampler.parent_based_) kind.remove_prefix(kParentBased.size());
  if (kind == "always_off") {
    sampler.below_ = 0;
  } else if (kind == "traceidratio") {
    const auto bound = Bound(get);
    if (!bound) return std::unexpected(bound.error());
    sampler.below_ = *bound;
  } else if (kind != "always_on") {
    const std::string nearest = DidYouMean(name, Names());
    return Fail("USER.INPUT.INVALID_FORMAT", Quoting(kVariable, ": there is no sampler '", name, "'"),
                nearest.empty() ? "Use one of " + Joined(Names(), ", ") + "." : nearest);
  }
  return sampler;
}

bool Sampler::Sampled(std::string_view trace_id, std::optional<bool> parent) const {
  if (parent_based_ && parent) return *parent;
  std::uint64_t low = 0;
  if (trace_id.size() > 16) trace_id.remove_prefix(trace_id.size() - 16);
  std::from_chars(trace_id.data(), trace_id.data() + trace_id.size(), low, 16);
  return (low >> 1) < below_;
}

}  // namespace awf::otlp
