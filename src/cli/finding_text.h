// Errors and findings as awf prints them everywhere: a block of labelled lines, or JSON.
#pragma once

#include <string>
#include <string_view>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf::cli {

// "Error: CODE", "Step: …", "Details: … (file:line:col)", "Hint: …"; lines without content are left out. Safe for a
// terminal whatever the texts hold. Ends with a line feed.
std::string ErrorBlock(const Error& error, Severity severity, bool hints);

// {code, step, field, message, file, line, column, hint}
json::object FindingJson(const Error& error);

// {code, message, step, details {field?, file?, line?, column?}, hints []}: as the error that ends a command.
json::object ErrorJson(const Error& error, bool hints);

// One line of JSON output, with the shortest numbers: 1.5, not 1.5E0.
std::string JsonLine(const json::value& value);

// A string for JSON output: valid UTF-8.
json::string JsonText(std::string_view text);

}  // namespace awf::cli
