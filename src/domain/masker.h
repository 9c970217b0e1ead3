// Masking of secrets, applied by every sink before it writes: log, audit, spans, console, run.json.
//
// By key: a value under a name that speaks of a secret. By value: exact values known to be secret, anywhere in a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf {

inline constexpr std::string_view kMask = "***";

// True when a key, split at _ - . and case changes, contains secret, token, password, passwd, passphrase,
// credential(s), apikey or api+key, private+key, access+key, authorization, cookie.
bool IsSecretName(std::string_view name);

// Constant after the last Add; Mask* are thread-safe then.
class Masker {
 public:
  // Values shorter than 8 characters are not searched inside text. Multi-line values also count line by line (lines of
  // at least 16 characters).
  void AddSecret(std::string_view value);
  // The values of environment variables with a secret name.
  void AddEnvironment(char** environment);

  std::string MaskText(std::string_view text) const;
  // Strings anywhere inside are masked by value, strings under a secret key altogether.
  json::value MaskJson(const json::value& value) const;
  // The value of a named thing: masked altogether when the name is secret, else by value.
  std::string MaskNamed(std::string_view name, std::string_view value) const;

 private:
  std::vector<std::string> secrets_;  // longest first
};

}  // namespace awf
