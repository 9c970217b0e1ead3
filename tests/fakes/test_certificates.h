// TestCertificates: an authority and what it signed, made anew for a test: valid from yesterday for ten days.
#pragma once

#include <filesystem>
#include <string>

namespace awf::fakes {

// Paths of PEM files in the folder, which outlives their use. A failure ends the test program.
struct TestCertificates {
  explicit TestCertificates(const std::filesystem::path& folder);

  std::string ca, other_ca;
  std::string server, server_key;  // for 127.0.0.1 and localhost
  std::string client, client_key;
};

}  // namespace awf::fakes
