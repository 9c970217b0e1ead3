#include "application/validation/file_checker.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "application/language/template.h"

namespace awf {
namespace {

// Of all prompt files together, each counted for every state that uses it. Beyond it faults show when a state starts.
constexpr std::size_t kMaxCheckedBytes = 8U << 20;

// Only the folders of awf are named, and those are known before the run.
bool NamesFoldersOnly(const Template& path) {
  return std::ranges::all_of(path.nodes(), [](const TemplateNode& node) {
    if (std::holds_alternative<TextNode>(node.form)) return true;
    const auto* action = std::get_if<ActionNode>(&node.form);
    if (action == nullptr) return false;
    const auto* reference = std::get_if<ReferenceExpression>(&action->expression.form);
    return reference != nullptr && reference->path.size() == 2 && reference->path[0] == "awf" &&
           reference->path[1] != "run_dir";
  });
}

// With a mark at the begin of each line, so that every byte has its position.
TemplateText TextOfFile(std::string text, const std::string& file) {
  TemplateText result{std::move(text), {file, 1, 1}, {{0, 1, 1}}};
  for (std::size_t i = 0; i < result.text.size(); ++i) {
    if (result.text[i] == '\n') result.marks.push_back({i + 1, result.marks.back().line + 1, 1});
  }
  return result;
}

}  // namespace

FileChecker::FileChecker(const Workflow& workflow, const ValidationContext& context, TemplateChecker& templates,
                         std::vector<Finding>& findings)
    : context_(context),
      templates_(templates),
      findings_(findings),
      workflow_folder_(std::filesystem::path(workflow.file).parent_path()),
      bytes_left_(kMaxCheckedBytes) {}

void FileChecker::Check(const State& state) {
  if (context_.files == nullptr) return;
  if (const auto* command = std::get_if<CommandState>(&state.body)) {
    Text(state, command->script_file, "script_file");
  } else if (const auto* agent = std::get_if<AgentState>(&state.body)) {
    const TemplateText* prompt = Text(state, agent->prompt_file, "prompt_file");
    if (prompt == nullptr || !HasTemplate(prompt->text) || prompt->text.size() > bytes_left_) return;
    bytes_left_ -= prompt->text.size();
    templates_.Check(*prompt, {state, "prompt_file"});
  }
}

std::optional<FileChecker::Named> FileChecker::Resolve(const TemplateText& written) const {
  if (written.empty()) return std::nullopt;
  std::string path = written.text;
  if (HasTemplate(path)) {
    const auto parsed = Template::Parse(path);
    if (!parsed || !NamesFoldersOnly(*parsed)) return std::nullopt;
    Scope scope;
    scope.Set("awf", context_.folders.Namespace({}));
    auto rendered = parsed->Render(scope);
    if (!rendered || context_.folders.config.empty()) return std::nullopt;
    path = std::move(*rendered);
  }
  std::error_code ignored;
  const std::filesystem::path folder =
      std::filesystem::absolute(workflow_folder_.empty() ? "." : workflow_folder_, ignored);
  Named named{context_.folders.Resolve(path, folder, context_.environment, *context_.files), {}};
  const bool from_workflow = !path.starts_with('/') && !path.starts_with("~/");
  named.shown = from_workflow ? (workflow_folder_ / path).lexically_normal().string() : named.path.string();
  return named;
}

const TemplateText* FileChecker::Text(const State& state, const TemplateText& written, const std::string& field) {
  const auto named = Resolve(written);
  if (!named) return nullptr;
  const auto& text = Load(*named);
  if (text) return &*text;
  Error error = text.error();
  error.position = written.position;
  error.step = state.name;
  error.field = field;
  if (error.hint.empty()) error.hint = "relative paths start at the folder of the workflow file";
  findings_.push_back({Severity::kError, std::move(error)});
  return nullptr;
}

const std::expected<TemplateText, Error>& FileChecker::Load(const Named& file) {
  const auto found = files_.find(file.path);
  if (found != files_.end()) return found->second;
  auto text = context_.files->Read(file.path);
  if (!text) return files_.emplace(file.path, std::unexpected(text.error())).first->second;
  return files_.emplace(file.path, TextOfFile(std::move(*text), file.shown)).first->second;
}

}  // namespace awf
