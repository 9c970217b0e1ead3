// What a fake shall do: a JSON object, mostly from a file that an environment variable names.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace awf::fakes {

// The base of fakes. Keys that are absent or of another type read as null, "" or false.
class Scenario {
 protected:
  explicit Scenario(boost::json::object scenario) : scenario_(std::move(scenario)) {}

  boost::json::value Get(std::string_view key) const {
    const boost::json::value* value = scenario_.if_contains(key);
    return value != nullptr ? *value : boost::json::value();
  }
  std::string Text(std::string_view key) const {
    const boost::json::value value = Get(key);
    return value.is_string() ? std::string(value.as_string()) : std::string();
  }
  bool Flag(std::string_view key) const { return Get(key) == boost::json::value(true); }
  int ExitCode() const { return scenario_.contains("exit") ? static_cast<int>(scenario_.at("exit").as_int64()) : 0; }

  boost::json::object scenario_;
};

}  // namespace awf::fakes
