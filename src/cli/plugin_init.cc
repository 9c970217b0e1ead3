// awf plugin init NAME [--lang LANGUAGE]: a new plugin to begin with: manifest, source, build file, test, workflow. The
// files are those of scaffolds/LANGUAGE, embedded in the program.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "cli/run_setup.h"
#include "cli/scaffold_files.h"
#include "domain/joined.h"
#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "@NAME@";

std::string WithName(std::string_view text, const std::string& name) {
  std::string filled(text);
  for (std::size_t at = 0; (at = filled.find(kPlaceholder, at)) != std::string::npos; at += name.size())
    filled.replace(at, kPlaceholder.size(), name);
  return filled;
}

std::vector<std::string> Languages() {
  std::vector<std::string> languages;
  for (const EmbeddedFile& file : kScaffoldFiles) {
    std::string language(file.path.substr(0, file.path.find('/')));
    if (std::ranges::find(languages, language) == languages.end()) languages.push_back(std::move(language));
  }
  return languages;
}

// As manifests have it, so that the new one is right.
bool IsPluginName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto other = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, other);
}

std::expected<void, Error> Check(const PluginInitOptions& options) {
  if (!IsPluginName(options.name)) {
    return Fail("USER.INPUT.INVALID_FORMAT", "'" + options.name + "' cannot be the name of a plugin",
                "A letter, then letters, digits, _ and -.");
  }
  const std::vector<std::string> languages = Languages();
  if (std::ranges::find(languages, options.language) != languages.end()) return {};
  const std::string hint = DidYouMean(options.language, languages);
  return Fail("USER.INPUT.INVALID_FORMAT",
              "--lang must be one of " + Joined(languages, ", ") + ", not '" + options.language + "'", hint);
}

std::unexpected<Error> CannotWrite(const fs::path& path, const std::string& cause) {
  return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write " + path.string() + ": " + cause);
}

std::expected<void, Error> WriteFile(const fs::path& target, const std::string& contents) {
  std::error_code cause;
  fs::create_directories(target.parent_path(), cause);
  if (cause) return CannotWrite(target, cause.message());
  errno = 0;
  std::ofstream out(target, std::ios::binary);
  out << contents;
  out.close();
  if (!out) return CannotWrite(target, std::strerror(errno));
  if (contents.starts_with("#!"))
    fs::permissions(target, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, cause);
  return {};
}

// The paths that were written, relative to `folder`.
std::expected<std::vector<std::string>, Error> WriteAll(const PluginInitOptions& options, const fs::path& folder) {
  std::error_code cause;
  if (!fs::create_directory(folder, cause) && !cause) {
    return Fail("USER.INPUT.INVALID_FORMAT", folder.filename().string() + " exists already",
                "Choose another name, or another folder.");
  }
  if (cause) return CannotWrite(folder, cause.message());
  std::vector<std::string> written;
  const std::string prefix = options.language + "/";
  for (const EmbeddedFile& file : kScaffoldFiles) {
    if (!file.path.starts_with(prefix)) continue;
    std::string path = WithName(file.path.substr(prefix.size()), options.name);
    if (auto done = WriteFile(folder / path, WithName(file.contents, options.name)); !done)
      return std::unexpected(done.error());
    written.push_back(std::move(path));
  }
  return written;
}

}  // namespace

int PluginInitCommand(const PluginInitOptions& options, const GlobalOptions& global) {
  if (auto checked = Check(options); !checked) return ReportErrors({checked.error()}, global);
  const auto working_dir = WorkingDirectory();
  if (!working_dir) return ReportErrors({working_dir.error()}, global);
  // Executables are looked for under the name of their folder.
  const std::string name = "awf-plugin-" + options.name;
  const auto written = WriteAll(options, *working_dir / name);
  if (!written) return ReportErrors({written.error()}, global);
  if (global.format == OutputFormat::kJson) {
    json::array files;
    for (const std::string& path : *written) files.emplace_back(JsonText(path));
    return PrintResult(JsonLine(json::object{{"folder", name}, {"files", std::move(files)}}), global);
  }
  std::string text;
  for (const std::string& path : *written) text.append(name).append("/").append(path).append("\n");
  if (!global.quiet) text += "Next: " + name + "/README.md tells how to build and try it.\n";
  return PrintResult(text, global);
}

}  // namespace awf::cli
