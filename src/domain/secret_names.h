// Names that speak of a secret: of inputs, environment variables, options, keys of records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace awf {

// True when a name, split at _ - . and case changes, contains secret, token, password, passwd, passphrase,
// credential(s), apikey or api+key, private+key, access+key, authorization, cookie. A part also counts in the plural
// and with something glued before it (PGPASSWORD, authtoken).
bool IsSecretName(std::string_view name);

// The built-in words and more of the user's (masking.keys). Thread-safe once filled.
class SecretNames {
 public:
  // `word` is split like a name. A name matches when it has the parts of the word side by side, in any case; the first
  // may have something glued before it and the last be a plural, as with the built-in words: "pin" finds pin, PIN,
  // userPin, USERPIN and pins, "license_key" finds LICENSE_KEY and mylicenseKeys but neither license nor key. False for
  // a word without letters or digits, which would match everything.
  bool Add(std::string_view word);
  bool Covers(std::string_view name) const;

 private:
  std::vector<std::vector<std::string>> words_;  // in parts, lower case
};

}  // namespace awf
