// UTF-8: protobuf and JSON carry nothing else as text, but programs print anything.
#pragma once

#include <string>
#include <string_view>

namespace awf::sdk {

// `text` with every byte that is not part of a well-formed sequence replaced by U+FFFD.
std::string RepairedUtf8(std::string_view text);

}  // namespace awf::sdk
