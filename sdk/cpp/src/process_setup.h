// What a plugin's process needs beside its RPCs: signals, the end of the host, where its socket lies.
#pragma once

#include <expected>
#include <string>

namespace awf::sdk {

// Why this process was not started by a host of awf's plugins; empty: it was.
std::string RefusalOfStart();

// SIGINT and SIGPIPE do nothing from here on, for this process and not for programs that it starts. SIGTERM comes when
// the host ends.
void SetUpSignals();

// A path that nobody uses, for the plugin's socket. The error is a clause.
std::expected<std::string, std::string> ChooseSocketPath();

// Removes the socket also when SIGTERM ends the process. `path` is one of ChooseSocketPath.
void RemoveSocketOnSigterm(const std::string& path);

}  // namespace awf::sdk
