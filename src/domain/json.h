// The JSON value type used in all layers, and nothing else of Boost.JSON's breadth.
#pragma once

#include <boost/json.hpp>

namespace awf {
namespace json = boost::json;
}  // namespace awf
