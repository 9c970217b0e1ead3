// Short forms for the declarations of the built-in operations.
#pragma once

#include <string>
#include <utility>

#include "domain/operation.h"

namespace awf::operations {

inline OperationInput Required(std::string name, std::string type, std::string description,
                               std::string validation = {}) {
  return {std::move(name), std::move(type), true, {}, std::move(description), std::move(validation)};
}

inline OperationInput Optional(std::string name, std::string type, std::string description,
                               std::string default_value = {}, std::string validation = {}) {
  return {std::move(name),          std::move(type),        false,
          std::move(default_value), std::move(description), std::move(validation)};
}

}  // namespace awf::operations
