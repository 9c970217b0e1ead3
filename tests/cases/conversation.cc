#include "conversation.h"

#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

namespace awf::cases {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto kAnswerBound = 60s;

std::string CallLine(const json::value& id, const std::string& tool, const std::optional<std::string>& arguments) {
  std::string line = R"({"jsonrpc":"2.0","id":)" + json::serialize(id) + R"(,"method":"tools/call","params":{"name":)" +
                     json::serialize(json::string(tool));
  if (arguments) line += R"(,"arguments":)" + *arguments;
  return line + "}}";
}

milliseconds Since(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration_cast<milliseconds>(end - start);
}

// Calls of one tool, in one of the four forms.
class Calls {
 public:
  Calls(const Case& test, const Folders& folders, Session& session, Conversation& result)
      : test_(test), folders_(folders), session_(session), result_(result) {}

  void Run() {
    const json::value& call = test_.fields.at("call");
    const json::object* form = call.if_object();
    if (form != nullptr && form->contains("sequence")) {
      for (const json::value& arguments : form->at("sequence").as_array()) One(arguments, true);
      const json::value* each = test_.check().if_contains("each");
      if ((each == nullptr || !each->as_bool()) && !result_.judged.empty()) {
        result_.judged.erase(result_.judged.begin(), result_.judged.end() - 1);
      }
    } else if (form != nullptr && form->contains("parallel")) {
      Parallel(form->at("parallel").as_array());
    } else if (form != nullptr && form->contains("repeat") && form->contains("args")) {
      const auto times = form->at("repeat").to_number<int>();
      for (int i = 0; i < times && result_.problems.empty(); ++i) One(form->at("args"), true);
    } else {
      One(call, true);
    }
  }

 private:
  std::optional<std::string> ArgumentText(const json::value& arguments) const {
    if (test_.Flag("omit_arguments", false)) return std::nullopt;
    if (test_.fields.contains("raw_json")) return ExpandedText(test_.fields.at("raw_json"), folders_);
    return json::serialize(Expanded(arguments, folders_));
  }

  Clock::time_point SendOne(const json::value& arguments) {
    const std::string line = CallLine(++last_, test_.tool, ArgumentText(arguments));
    const auto start = Clock::now();
    if (!session_.Send(line)) result_.problems.emplace_back("the call could not be sent");
    return start;
  }

  void One(const json::value& arguments, bool judged) {
    const auto start = SendOne(arguments);
    const json::value id(last_);
    if (!session_.WaitUntil([&] { return session_.Find(id) != nullptr; }, kAnswerBound)) {
      result_.problems.emplace_back("no answer to the call");
      return;
    }
    const Answer& answer = *session_.Find(id);
    result_.time = std::max(result_.time, Since(start, answer.time));
    if (judged) result_.judged.push_back(answer);
  }

  void Parallel(const json::array& all) {
    const auto start = Clock::now();
    for (const json::value& arguments : all) SendOne(arguments);
    const auto complete = [&] {
      for (int id = 1; id <= last_; ++id) {
        if (session_.Find(json::value(id)) == nullptr) return false;
      }
      return true;
    };
    if (!session_.WaitUntil(complete, kAnswerBound)) result_.problems.emplace_back("not all calls were answered");
    for (int id = 1; id <= last_; ++id) {
      const Answer* answer = session_.Find(json::value(id));
      if (answer == nullptr) continue;
      result_.time = std::max(result_.time, Since(start, answer->time));
      result_.judged.push_back(*answer);
    }
    result_.together = true;
  }

  const Case& test_;
  const Folders& folders_;
  Session& session_;
  Conversation& result_;
  int last_ = 0;
};

json::value WithCounter(const json::value& value, std::int64_t counter) {
  if (value.is_string() && value.get_string() == "$i") return counter;
  if (const json::array* array = value.if_array()) {
    json::array replaced;
    for (const json::value& item : *array) replaced.push_back(WithCounter(item, counter));
    return replaced;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  json::object replaced;
  for (const auto& member : *object) replaced[member.key()] = WithCounter(member.value(), counter);
  return replaced;
}

int SignalNumber(const std::string& name) {
  static const std::map<std::string, int> numbers = {{"TERM", SIGTERM}, {"INT", SIGINT},   {"HUP", SIGHUP},
                                                     {"KILL", SIGKILL}, {"STOP", SIGSTOP}, {"CONT", SIGCONT}};
  const auto number = numbers.find(name);
  return number == numbers.end() ? 0 : number->second;
}

// A scripted session.
class Steps {
 public:
  Steps(const Case& test, const Folders& folders, Session& session, Conversation& result)
      : test_(test), folders_(folders), session_(session), result_(result) {}

  void Run() {
    const auto start = Clock::now();
    for (const json::value& step : test_.fields.at("call").at("steps").as_array()) Do(step.as_object());
    WaitForTheRest();
    result_.time = Since(start, session_.answers().empty() ? Clock::now() : session_.answers().back().time);
    Judge();
  }

 private:
  void Do(const json::object& step) {
    if (const json::value* wait = step.if_contains("after_ms")) {
      session_.Sleep(milliseconds(wait->to_number<int>()));
    }
    if (step.contains("repeat")) return Repeat(step);
    if (step.contains("call")) return Call(step);
    if (step.contains("method")) return Method(step);
    if (const json::value* text = step.if_contains("send")) return Send(ExpandedText(*text, folders_));
    if (const json::value* ids = step.if_contains("wait")) return Wait(ids->as_array());
    if (const json::value* count = step.if_contains("wait_count")) {
      const auto wanted = count->to_number<std::size_t>() + handshakes_;
      return Expect([&] { return session_.answers().size() >= wanted; }, "too few answers");
    }
    if (const json::value* time = step.if_contains("sleep_ms")) {
      return session_.Sleep(milliseconds(time->to_number<int>()));
    }
    if (const json::value* end = step.if_contains("close")) {
      return end->as_string() == "stdin" ? session_.CloseStdin() : session_.CloseStdout();
    }
    if (const json::value* signal = step.if_contains("kill")) {
      ended_ = true;
      return session_.Kill(SignalNumber(ToText(signal->as_string())), step.contains("target"));
    }
    if (const json::value* reading = step.if_contains("reading")) return session_.set_reading(reading->as_bool());
    if (const json::value* script = step.if_contains("sh")) {
      std::string output;
      if (RunShell(ToText(script->as_string()), folders_, output) != 0) {
        result_.problems.push_back("a step's shell failed: " + output);
      }
      return;
    }
    result_.problems.push_back("step not understood: " + json::serialize(step));
  }

  void Repeat(const json::object& step) {
    const auto first = step.contains("first") ? step.at("first").to_number<std::int64_t>() : 1;
    const auto times = step.at("repeat").to_number<std::int64_t>();
    for (std::int64_t i = first; i < first + times; ++i) {
      for (const json::value& inner : step.at("steps").as_array()) Do(WithCounter(inner, i).as_object());
    }
  }

  void Call(const json::object& step) {
    std::optional<std::string> arguments;
    if (const json::value* raw = step.if_contains("raw_arguments")) {
      arguments = ExpandedText(*raw, folders_);
    } else if (const json::value* value = step.if_contains("arguments")) {
      arguments = json::serialize(Expanded(*value, folders_));
    }
    calls_.push_back(step.at("id"));
    sent_.push_back(step.at("id"));
    Send(CallLine(step.at("id"), ToText(step.at("call").as_string()), arguments));
  }

  void Method(const json::object& step) {
    json::object request{{"jsonrpc", "2.0"}};
    if (const json::value* id = step.if_contains("id")) {
      request["id"] = *id;
      sent_.push_back(*id);
    }
    request["method"] = step.at("method");
    if (const json::value* params = step.if_contains("params")) request["params"] = Expanded(*params, folders_);
    Send(json::serialize(request));
  }

  void Send(const std::string& line) {
    if (!session_.Send(line) && session_.ending_since() == start_ending_) {
      result_.problems.emplace_back("a line could not be sent");
    }
  }

  void Wait(const json::array& ids) {
    for (const json::value& id : ids) {
      Expect([&] { return session_.Find(id) != nullptr; }, "no answer to id " + json::serialize(id));
    }
  }

  void Expect(const std::function<bool()>& done, const std::string& problem) {
    if (!session_.WaitUntil(done, kAnswerBound)) result_.problems.push_back(problem);
  }

  // Answers that the case wants to see, or that are on their way; those that must not come cannot be waited for.
  void WaitForTheRest() {
    std::vector<json::value> wanted;
    const json::value* responses = test_.check().if_contains("responses");
    if (responses != nullptr) {
      wanted.assign(responses->as_array().begin(), responses->as_array().end());
    } else if (!ended_ && session_.ending_since() == start_ending_) {
      const json::value* none = test_.check().if_contains("no_response");
      for (const json::value& id : sent_) {
        if (none == nullptr || std::ranges::find(none->as_array(), id) == none->as_array().end()) wanted.push_back(id);
      }
    }
    session_.WaitUntil(
        [&] {
          return std::ranges::all_of(wanted, [&](const json::value& id) {
            return std::ranges::count(session_.answers(), id, &Answer::id) >= std::ranges::count(wanted, id);
          });
        },
        30s);
  }

  // The last tools/call that was answered, else the last answer.
  void Judge() {
    const Answer* last = nullptr;
    for (const Answer& answer : session_.answers()) {
      if (std::ranges::find(calls_, answer.id) != calls_.end()) last = &answer;
    }
    if (last == nullptr && session_.answers().size() > handshakes_) last = &session_.answers().back();
    if (last != nullptr) result_.judged.push_back(*last);
  }

  const Case& test_;
  const Folders& folders_;
  Session& session_;
  Conversation& result_;
  const std::size_t handshakes_ = session_.answers().size();
  const Clock::time_point start_ending_ = session_.ending_since();
  std::vector<json::value> sent_, calls_;
  bool ended_ = false;
};

}  // namespace

const Answer* Ask(Session& session, const std::string& id, const std::string& method, const std::string& params) {
  const json::value key(id);
  session.Send(R"({"jsonrpc":"2.0","id":)" + json::serialize(key) + R"(,"method":")" + method + R"(","params":)" +
               params + "}");
  session.WaitUntil([&] { return session.Find(key) != nullptr; }, kAnswerBound);
  return session.Find(key);
}

bool Handshake(Session& session) {
  const Answer* answer = Ask(session, "case-runner-initialize", "initialize",
                             R"({"protocolVersion":"2025-06-18","capabilities":{},)"
                             R"("clientInfo":{"name":"case-runner","version":"1"}})");
  return answer != nullptr && answer->Result() != nullptr &&
         session.Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

Conversation Converse(const Case& test, const Folders& folders, Session& session) {
  Conversation result;
  const json::value& call = test.fields.at("call");
  if (call.is_object() && call.get_object().contains("steps")) {
    Steps(test, folders, session, result).Run();
  } else {
    Calls(test, folders, session, result).Run();
  }
  return result;
}

}  // namespace awf::cases
