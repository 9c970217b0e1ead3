// ReadRegularFile: a small file of the user, read without ever waiting for it. Thread-safe.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>

namespace awf::agents {

inline constexpr std::size_t kLargestUserFile = std::size_t{1} << 20;

// The bytes of a regular file, or of one that a link leads to. Anything else (a pipe, a device, a folder) is refused
// without being read. The error is a phrase ("not a regular file", "larger than 1 MiB"); empty: there is no such file.
std::expected<std::string, std::string> ReadRegularFile(const std::filesystem::path& path,
                                                        std::size_t largest = kLargestUserFile);

}  // namespace awf::agents
