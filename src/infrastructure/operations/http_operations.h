// http.request: one HTTP request and its answer, as an operation.
//
// Redirects are followed here and not by libcurl, so that no header with a secret goes to another host and nothing
// goes from https to http. TLS is always verified. Texts of errors name the host alone: URLs hold secrets.
#pragma once

#include <memory>

#include "domain/operation.h"

namespace awf::operations {

std::shared_ptr<OperationProvider> MakeHttpOperations();

}  // namespace awf::operations
