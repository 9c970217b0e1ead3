// Deletes a folder with all in it, whatever modes its folders have and however deep it is.
#pragma once

#include <filesystem>

namespace awf::process {

// True when nothing is left (also when nothing was there). Never follows links. Takes folders without write permission,
// as caches of package managers have them.
bool RemoveTree(const std::filesystem::path& folder);

}  // namespace awf::process
