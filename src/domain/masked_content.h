// Masking of what tools are given and what they yield, which was cut before it came to be masked. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "domain/json.h"
#include "domain/masker.h"
#include "domain/tool_observer.h"

namespace awf {

// Arguments of a call, by value and by key. In front of a kCutMark at its end a string may be cut inside of a secret.
json::value MaskArguments(const Masker& masker, const json::value& arguments);

// What is captured of a call as text, at most `limit` bytes; empty where nothing is.
std::string MaskedArguments(const Masker& masker, const CallRecord& call, std::size_t limit);
std::string MaskedResult(const Masker& masker, const CallEnd& end, std::size_t limit);

}  // namespace awf
