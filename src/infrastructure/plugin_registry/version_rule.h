// Versions of plugins, and the rules that manifests set for them (`awf_version`). Pure, thread-safe.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace awf::plugin_registry {

// Ordered as Semantic Versioning 2.0.0 says (11): 1.0.0-a < 1.0.0-a.1 < 1.0.0.
struct Version {
  std::array<std::uint32_t, 3> numbers{};
  std::string pre;  // without its dash

  friend bool operator==(const Version&, const Version&) = default;
};
std::strong_ordering operator<=>(const Version& a, const Version& b);

// X.Y.Z or X.Y.Z-PRE: numbers without leading zeros, PRE of letters, digits, '-' and '.', no part of it empty.
std::optional<Version> ParseVersion(std::string_view text);

// All of its parts hold, or it does not.
class VersionRule {
 public:
  // One or more of "op X.Y.Z", blanks or commas between them; op is >=, >, <=, <, = or ==, != ; ~ (from X.Y.Z on, same
  // X.Y); ^ (from X.Y.Z on, same X, or same 0.Y); absent: =. The error is a phrase: "'>>' is no rule for a version".
  static std::expected<VersionRule, std::string> Parse(std::string_view text);

  bool Allows(const Version& version) const;

 private:
  enum class Op { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kTilde, kCaret };
  struct Part {
    Op op;
    Version version;
  };
  static bool Holds(const Part& part, const Version& version);

  std::vector<Part> parts_;
};

}  // namespace awf::plugin_registry
