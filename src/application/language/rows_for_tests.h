// For the tests of templates and expressions: tables of texts with what they give.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "application/language/template_fault.h"

namespace awf {

struct Row {
  std::string_view text;
  std::string_view result;  // or a fault, as Told tells it
};

// "KIND offset message"
inline std::string Told(const char* kind, const TemplateFault& fault) {
  return kind + (" " + std::to_string(fault.offset)) + " " + fault.message;
}

template <class Function>
void CheckRows(const std::vector<Row>& rows, Function result_of) {
  for (const Row& row : rows) EXPECT_EQ(result_of(row.text), row.result) << row.text;
}

}  // namespace awf
