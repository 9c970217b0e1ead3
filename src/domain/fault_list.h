// FaultList: what is wrong with the arguments of a call, put together as one sentence for the model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf::schema {

class FaultList {
 public:
  void Add(std::string fault);
  bool empty() const { return faults_.empty(); }
  // True when further faults are only counted.
  bool full() const;
  // "invalid arguments: A; B; C". Long lists end with the number of those left out.
  std::string Sentence() const;

 private:
  std::vector<std::string> faults_;
  std::size_t left_out_ = 0;
};

// A name of the caller's, bounded and without control characters, in single quotes.
std::string Quoted(std::string_view name);

// A value as a fault shows it: scalars as JSON (cut), else "an object" or "an array".
std::string Shown(const json::value& value);

// "a, b or c"
std::string Alternatives(const json::array& texts);

}  // namespace awf::schema
