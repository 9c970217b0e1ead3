// Takes a secret that an operation itself used out of what it gives back: a server may repeat it. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "domain/operation.h"

namespace awf::operations {

// "***" in its place, in all texts of the result. An empty secret is none.
void HideSecret(OperationResult& result, std::string_view secret);
// The same of one text.
std::string WithoutSecret(std::string text, std::string_view secret);

}  // namespace awf::operations
