#include "checks.h"

#include <regex.h>

#include <algorithm>
#include <sstream>

#include "schema_rules.h"

namespace awf::cases {
namespace {

std::string Shown(std::string text) {
  constexpr std::size_t kMost = 600;
  if (text.size() > kMost) text = text.substr(0, kMost) + "… (" + std::to_string(text.size()) + " bytes)";
  return text;
}

void Fail(Failures& failures, const std::string& key, const std::string& wanted, const std::string& got) {
  failures.push_back(key + ": expected " + Shown(wanted) + ", got " + Shown(got));
}

const json::value* Get(const json::object& check, std::string_view key) { return check.if_contains(key); }

std::size_t Occurrences(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++count;
  return count;
}

std::size_t Characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Every member of `wanted` is in `value`, objects inside likewise.
bool Contains(const json::value& value, const json::value& wanted) {
  const json::object* members = wanted.if_object();
  if (members == nullptr) return value == wanted;
  const json::object* object = value.if_object();
  return object != nullptr && std::ranges::all_of(*members, [&](const auto& member) {
           const json::value* found = object->if_contains(member.key());
           return found != nullptr && Contains(*found, member.value());
         });
}

void CheckText(const json::object& check, const std::string& text, Failures& failures) {
  if (const json::value* wanted = Get(check, "text_has")) {
    for (const std::string& piece : TextsOf(*wanted)) {
      if (text.find(piece) == std::string::npos) Fail(failures, "text_has", piece, text);
    }
  }
  if (const json::value* unwanted = Get(check, "text_not")) {
    for (const std::string& piece : TextsOf(*unwanted)) {
      if (text.find(piece) != std::string::npos) Fail(failures, "text_not", "no " + piece, text);
    }
  }
  if (const json::value* any = Get(check, "text_any")) {
    const auto pieces = TextsOf(*any);
    if (std::ranges::none_of(pieces, [&](const auto& piece) { return text.find(piece) != std::string::npos; })) {
      Fail(failures, "text_any", json::serialize(*any), text);
    }
  }
  if (const json::value* counts = Get(check, "count")) {
    for (const auto& [piece, times] : counts->as_object()) {
      const std::size_t found = Occurrences(text, std::string(piece));
      if (found != times.to_number<std::size_t>()) {
        Fail(failures, "count", std::string(piece) + " " + json::serialize(times) + " times", text);
      }
    }
  }
  if (const json::value* order = Get(check, "order")) {
    std::size_t last = 0;
    for (const std::string& piece : TextsOf(*order)) {
      const std::size_t at = text.find(piece);
      if (at == std::string::npos || at < last) Fail(failures, "order", json::serialize(*order), text);
      last = at == std::string::npos ? last : at;
    }
  }
}

void CheckLength(const json::object& check, const std::string& text, Failures& failures) {
  const std::size_t characters = Characters(text);
  const json::value* limit = Get(check, "max_chars");
  if (limit != nullptr && characters > limit->to_number<std::size_t>()) {
    Fail(failures, "max_chars", json::serialize(*limit), std::to_string(characters));
  }
  limit = Get(check, "min_chars");
  if (limit != nullptr && characters < limit->to_number<std::size_t>()) {
    Fail(failures, "min_chars", json::serialize(*limit), text);
  }
  limit = Get(check, "max_bytes");
  if (limit != nullptr && text.size() > limit->to_number<std::size_t>()) {
    Fail(failures, "max_bytes", json::serialize(*limit), std::to_string(text.size()));
  }
}

void CheckContent(const json::value& wanted, const Answer& answer, Failures& failures) {
  const json::object* result = answer.Result();
  const json::value* content = result == nullptr ? nullptr : result->if_contains("content");
  std::size_t matched = 0;
  if (content != nullptr && content->is_array()) {
    for (const json::value& block : content->get_array()) {
      if (matched < wanted.as_array().size() && Contains(block, wanted.at(matched))) ++matched;
    }
  }
  if (matched < wanted.as_array().size()) Fail(failures, "content_has", json::serialize(wanted), answer.line);
}

void CheckOne(const json::object& check, const Answer& answer, Failures& failures) {
  if (const json::value* wanted = Get(check, "is_error")) {
    if (answer.Result() == nullptr || answer.IsErrorResult() != wanted->as_bool()) {
      Fail(failures, "is_error", json::serialize(*wanted), answer.line);
    }
  }
  if (const json::value* code = Get(check, "rpc_error")) {
    if (answer.ErrorCode() != code->to_number<std::int64_t>()) {
      Fail(failures, "rpc_error", json::serialize(*code), answer.line);
    }
  }
  if (const json::value* pieces = Get(check, "error_has")) {
    for (const std::string& piece : TextsOf(*pieces)) {
      if (!answer.ErrorCode() || answer.Text().find(piece) == std::string::npos) {
        Fail(failures, "error_has", piece, answer.line);
      }
    }
  }
  if (const json::value* blocks = Get(check, "content_has")) CheckContent(*blocks, answer, failures);
}

bool IsId(const Answer& answer, const json::value& id) {
  return !answer.id.is_null() && answer.id.kind() == id.kind() && answer.id == id;
}

}  // namespace

void CheckJudged(const json::object& check, const Conversation& conversation, Failures& failures) {
  std::string all;
  for (const Answer& answer : conversation.judged) {
    CheckOne(check, answer, failures);
    const std::string text = answer.Text();
    CheckLength(check, text, failures);
    if (conversation.together) {
      all += text + "\n";
    } else {
      CheckText(check, text, failures);
    }
    if (!failures.empty()) break;  // one of thousands is enough
  }
  if (conversation.together) CheckText(check, all, failures);
  const bool about_answers = std::ranges::any_of(
      check, [](const auto& member) { return member.key() == "is_error" || member.key().starts_with("text_"); });
  if (conversation.judged.empty() && about_answers) failures.emplace_back("there is no answer to judge");
  if (const json::value* limit = Get(check, "max_ms")) {
    if (conversation.time.count() > limit->to_number<std::int64_t>()) {
      Fail(failures, "max_ms", json::serialize(*limit), std::to_string(conversation.time.count()));
    }
  }
}

void CheckAnswers(const json::object& check, const Session& session, std::size_t first, Failures& failures) {
  const std::vector<Answer> answers(session.answers().begin() + static_cast<std::ptrdiff_t>(first),
                                    session.answers().end());
  const auto answered = [&](const json::value& id) {
    return std::ranges::count_if(answers, [&](const Answer& answer) { return IsId(answer, id); });
  };
  std::string ids;
  for (const Answer& answer : answers) ids += json::serialize(answer.id) + " ";
  if (const json::value* wanted = Get(check, "responses")) {
    for (const json::value& id : wanted->as_array()) {
      if (answered(id) != std::ranges::count(wanted->as_array(), id)) {
        Fail(failures, "responses", json::serialize(*wanted), ids);
        break;
      }
    }
  }
  if (const json::value* unwanted = Get(check, "no_response")) {
    for (const json::value& id : unwanted->as_array()) {
      if (answered(id) != 0) Fail(failures, "no_response", json::serialize(id), ids);
    }
  }
  if (const json::value* count = Get(check, "response_count")) {
    if (answers.size() != count->to_number<std::size_t>()) {
      Fail(failures, "response_count", json::serialize(*count), std::to_string(answers.size()));
    }
  }
  if (const json::value* order = Get(check, "answer_order")) {
    json::array got;
    for (const Answer& answer : answers) {
      const auto& wanted = order->as_array();
      if (std::ranges::find(wanted, answer.id) != wanted.end()) got.push_back(answer.id);
    }
    if (got != order->as_array()) Fail(failures, "answer_order", json::serialize(*order), ids);
  }
  if (Get(check, "answers_sorted") != nullptr) {
    const auto number = [](const Answer& answer) { return answer.id.is_int64() ? answer.id.get_int64() : -1; };
    if (!std::ranges::is_sorted(answers, {}, number)) Fail(failures, "answers_sorted", "ascending ids", ids);
  }
  if (const json::value* pieces = Get(check, "answers_has")) {
    for (const std::string& piece : TextsOf(*pieces)) {
      if (std::ranges::none_of(answers, [&](const Answer& a) { return a.line.find(piece) != std::string::npos; })) {
        Fail(failures, "answers_has", piece, ids);
      }
    }
  }
  if (const json::value* same = Get(check, "same_result")) {
    const Answer* one = nullptr;
    for (const json::value& id : same->as_array()) {
      const Answer* answer = session.Find(id);
      if (answer == nullptr || answer->Result() == nullptr || (one != nullptr && *one->Result() != *answer->Result())) {
        Fail(failures, "same_result", json::serialize(*same), answer == nullptr ? "no answer" : answer->line);
        break;
      }
      one = answer;
    }
  }
  if (const json::value* codes = Get(check, "rpc_errors")) {
    for (const auto& [id, code] : codes->as_object()) {
      const Answer* answer = session.Find(json::parse(std::string(id)));
      if (answer == nullptr || answer->ErrorCode() != code.to_number<std::int64_t>()) {
        Fail(failures, "rpc_errors", std::string(id) + " → " + json::serialize(code),
             answer == nullptr ? "no answer" : answer->line);
      }
    }
  }
  if (const json::value* code = Get(check, "rpc_error_any")) {
    if (std::ranges::none_of(answers,
                             [&](const Answer& a) { return a.ErrorCode() == code->to_number<std::int64_t>(); })) {
      Fail(failures, "rpc_error_any", json::serialize(*code), ids);
    }
  }
  const json::object* last = nullptr;
  for (const Answer& answer : answers) last = answer.Result() == nullptr ? last : answer.Result();
  if (const json::value* members = Get(check, "result_has")) {
    if (last == nullptr || !Contains(*last, *members)) {
      Fail(failures, "result_has", json::serialize(*members), last == nullptr ? "no result" : json::serialize(*last));
    }
  }
  if (const json::value* keys = Get(check, "result_keys_not")) {
    for (const std::string& key : TextsOf(*keys)) {
      if (last == nullptr || last->contains(key)) Fail(failures, "result_keys_not", key, "it");
    }
  }
}

bool WantsTools(const json::object& check) {
  return std::ranges::any_of(check, [](const auto& member) {
    return member.key() == "tools" || member.key() == "tools_not" || member.key() == "names_match" ||
           member.key() == "schema" || member.key() == "schema_rule";
  });
}

void CheckTools(const json::object& check, const json::array& tools, Failures& failures) {
  std::vector<std::string> names;
  for (const json::value& tool : tools) names.push_back(ToText(tool.at("name").as_string()));
  std::ranges::sort(names);
  const std::string got = json::serialize(json::array(names.begin(), names.end()));
  if (const json::value* wanted = Get(check, "tools")) {
    auto expected = TextsOf(*wanted);
    std::ranges::sort(expected);
    if (names != expected) Fail(failures, "tools", json::serialize(*wanted), got);
  }
  if (const json::value* unwanted = Get(check, "tools_not")) {
    for (const std::string& name : TextsOf(*unwanted)) {
      if (std::ranges::binary_search(names, name)) Fail(failures, "tools_not", name, got);
    }
  }
  if (const json::value* pattern = Get(check, "names_match")) {
    regex_t compiled{};
    if (::regcomp(&compiled, pattern->as_string().c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
      failures.emplace_back("names_match: bad pattern");
      return;
    }
    for (const std::string& name : names) {
      if (::regexec(&compiled, name.c_str(), 0, nullptr, 0) != 0) {
        Fail(failures, "names_match", json::serialize(*pattern), name);
      }
    }
    ::regfree(&compiled);
  }
  if (const json::value* properties = Get(check, "schema")) {
    for (const auto& [name, members] : properties->as_object()) {
      const bool found =
          std::ranges::any_of(tools, [&, key = std::string(name), &wanted = members](const json::value& t) {
            const json::value* declared = t.at("inputSchema").as_object().if_contains("properties");
            const json::value* property = declared == nullptr ? nullptr : declared->as_object().if_contains(key);
            return property != nullptr && Contains(*property, wanted);
          });
      if (!found) Fail(failures, "schema", std::string(name) + " " + json::serialize(members), json::serialize(tools));
    }
  }
  if (const json::value* rules = Get(check, "schema_rule")) {
    for (const std::string& rule : TextsOf(*rules)) {
      for (const json::value& tool : tools) {
        if (const auto broken = BrokenRule(rule, tool.as_object())) {
          failures.push_back("schema_rule " + rule + ": " + ToText(tool.at("name").as_string()) + ": " + *broken);
        }
      }
    }
  }
}

void CheckUsage(const json::object& check, const std::optional<Usage>& usage, Failures& failures) {
  const auto limit = [&](const char* key, double used) {
    const json::value* most = Get(check, key);
    if (most == nullptr) return;
    if (!usage) return failures.push_back(std::string(key) + ": the server is gone, nothing can be measured");
    if (used > most->to_number<double>()) Fail(failures, key, json::serialize(*most), std::to_string(used));
  };
  const Usage measured = usage.value_or(Usage{});
  limit("max_rss_mb", measured.peak_mb);
  limit("max_cpu_ms", measured.cpu_ms);
  limit("max_children", static_cast<double>(measured.children));
}

void CheckEnd(const json::object& check, const std::optional<ServerEnd>& end, Clock::time_point since,
              Failures& failures) {
  if (!end) return failures.push_back("the server did not end");
  if (const json::value* limit = Get(check, "exit_ms")) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(end->time - since).count();
    if (took > limit->to_number<std::int64_t>()) {
      Fail(failures, "exit_ms", json::serialize(*limit), std::to_string(took));
    }
  }
  if (const json::value* codes = Get(check, "exit_code")) {
    const json::array one{*codes};
    const json::array& allowed = codes->is_array() ? codes->get_array() : one;
    if (std::ranges::none_of(allowed, [&](const json::value& c) { return c.to_number<int>() == end->exit_code; })) {
      Fail(failures, "exit_code", json::serialize(*codes), std::to_string(end->exit_code));
    }
  }
  if (Get(check, "not_signalled") != nullptr && end->signalled) {
    Fail(failures, "not_signalled", "an exit", std::to_string(end->exit_code));
  }
}

void CheckLog(const json::object& check, const std::string& text, Failures& failures) {
  if (const json::value* unwanted = Get(check, "log_not")) {
    for (const std::string& piece : TextsOf(*unwanted)) {
      if (text.find(piece) != std::string::npos) Fail(failures, "log_not", "no " + piece, text);
    }
  }
  const json::value* wanted = Get(check, "log");
  if (wanted == nullptr) return;
  std::vector<json::object> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    boost::system::error_code fault;
    const json::value value = json::parse(line, fault);
    if (fault || !value.is_object() || !Contains(value, json::object{{"message", "tool call"}})) continue;
    lines.push_back(value.get_object());
  }
  // Calls may end in any order; each wanted line takes one that was written.
  const auto fits = [](const json::object& line, const json::object& members) {
    if (!line.contains("duration_ms") || !line.contains("timestamp")) return false;
    return std::ranges::all_of(members, [&](const auto& member) {
      const json::value* found = line.if_contains(member.key());
      if (found == nullptr) return false;
      if (member.key() == "error") return found->as_string().starts_with(member.value().as_string());
      return *found == member.value();
    });
  };
  std::vector<json::object> left = lines;
  for (const json::value& members : wanted->as_array()) {
    const auto line = std::ranges::find_if(left, [&](const json::object& l) { return fits(l, members.as_object()); });
    if (line == left.end()) return Fail(failures, "log", json::serialize(members), text);
    left.erase(line);
  }
  if (!left.empty()) Fail(failures, "log", "no further line", json::serialize(left.front()));
}

}  // namespace awf::cases
