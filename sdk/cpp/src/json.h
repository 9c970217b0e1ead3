// Reading JSON values that came in. The one place that knows the JSON library is json.cc.
#pragma once

#include <string>
#include <string_view>

namespace awf::sdk {

// Whether the JSON text is a value of the type as operations declare it. Types that are not known hold for every value,
// but text that is no JSON has none.
bool HasType(std::string_view json, std::string_view type);

// "a string", "an integer of 64 bits"; for a type that HasType knows.
std::string_view TypeInWords(std::string_view type);

// Whether it is JSON's null.
bool IsNull(std::string_view json);

}  // namespace awf::sdk
