// Makes a JSON Schema, from whatever source, into one that all clients and models take alike (plugins page, 6).
//
// What the sent form loses is told in descriptions, and is still checked: against the schema before. Kept are type,
// description, enum of strings, properties, required, items, minimum, maximum, and anyOf where no object is meant. A
// pure function; a normalised schema stays as it is.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "domain/json.h"

namespace awf {

struct NormalisedSchema {
  json::object schema;                // plain root object: type, properties, required; a description where rules went
  std::vector<std::string> warnings;  // what was dropped, with its path, as "'filter.since': 'format' was dropped"
};

// The error names the path at fault: an unknown type, a required name that no property has, a reference into the
// network or deeper than 16, more than can be sent.
std::expected<NormalisedSchema, std::string> NormaliseSchema(const json::object& schema);

}  // namespace awf
