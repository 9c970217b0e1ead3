// Error: what every fallible function of awf returns in std::expected<T, Error>.
//
// The code is one of the catalogue (error_catalogue.h); its first part decides the exit code of the process. An error
// that comes from a file says where (file:line:column, both 1-based). No exception crosses a module border.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <utility>

namespace awf {

// A place in a source file. line and column count from 1; 0 means unknown.
struct Position {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  bool known() const { return line != 0; }
  friend bool operator==(const Position&, const Position&) = default;
};

struct Error {
  std::string code;     // "EXECUTION.AGENT.FAILED"; always in the catalogue
  std::string message;  // one sentence or a few lines; secrets are masked by whoever prints it
  std::string hint;     // what the user can do; may be empty
  Position position;    // of the offending text, if it came from a file
  std::string step;     // name of the state, if the error belongs to one
  std::string field;    // dotted path of the key, if it belongs to one

  friend bool operator==(const Error&, const Error&) = default;
};

inline std::unexpected<Error> Fail(std::string code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{std::move(code), std::move(message), std::move(hint), {}, {}, {}});
}

}  // namespace awf
