#include "application/running/run_state.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "application/running/session_record.h"

namespace awf {
namespace {

using Applied = std::expected<void, std::string>;

std::unexpected<std::string> Refused(std::string why) { return std::unexpected(std::move(why)); }

// A path taken apart: "outer:3/fix" is the state fix in pass 3 of the loop outer, "par/lint" a branch of par.
struct PathParts {
  std::string_view name;
  std::string_view within;  // "outer:3/", "par/"; empty at top level
  std::string_view holder;  // path of the loop or parallel state; empty at top level
  std::optional<std::size_t> pass;

  bool top() const { return within.empty(); }
};

PathParts PartsOf(std::string_view path) {
  PathParts place;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    place.name = path;
    return place;
  }
  place.name = path.substr(slash + 1);
  place.within = path.substr(0, slash + 1);
  place.holder = path.substr(0, slash);
  const std::size_t begin = place.holder.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t colon = place.holder.find(':', begin);
  if (colon == std::string_view::npos) return place;
  const std::string_view digits = place.holder.substr(colon + 1);
  std::size_t pass = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pass);
  place.pass = pass;
  place.holder = place.holder.substr(0, colon);
  return place;
}

// `path` itself or what lies beneath it.
bool IsWithin(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) return false;
  return path.size() == root.size() || path[root.size()] == ':' || path[root.size()] == '/';
}

bool IsWithinAny(const std::map<std::string, bool>& open, std::string_view prefix) {
  const auto found = open.lower_bound(std::string(prefix));
  return found != open.end() && found->first.starts_with(prefix);
}

std::string Named(std::string_view path) { return "state '" + std::string(path) + "'"; }

// What a record says, with the type that it must have.
class Reader {
 public:
  explicit Reader(const json::object& record) : record_(record) {}

  bool Has(std::string_view key) const { return record_.contains(key); }
  std::string_view Text(std::string_view key) {
    const json::value* value = record_.if_contains(key);
    if (value != nullptr && value->is_string()) return value->get_string();
    return Missing(key), std::string_view();
  }
  const json::object& Object(std::string_view key) {
    static const json::object none;
    const json::value* value = record_.if_contains(key);
    if (value != nullptr && value->is_object()) return value->get_object();
    return Missing(key), none;
  }
  json::array Array(std::string_view key) {
    const json::value* value = record_.if_contains(key);
    if (value != nullptr && value->is_array()) return value->get_array();
    return Missing(key), json::array();
  }
  std::size_t Count(std::string_view key) {
    const json::value* value = record_.if_contains(key);
    json::error_code fault;
    const std::size_t count = value == nullptr ? 0 : value->to_number<std::size_t>(fault);
    if (value == nullptr || fault) Missing(key);
    return count;
  }
  bool Flag(std::string_view key) {
    const json::value* value = record_.if_contains(key);
    if (value != nullptr && value->is_bool()) return value->get_bool();
    return Missing(key), false;
  }
  const json::value& Value(std::string_view key) {
    static const json::value none;
    const json::value* value = record_.if_contains(key);
    if (value == nullptr) Missing(key);
    return value == nullptr ? none : *value;
  }
  const std::string& problem() const { return problem_; }

 private:
  void Missing(std::string_view key) {
    if (problem_.empty()) problem_ = "it lacks a proper '" + std::string(key) + "'";
  }
  const json::object& record_;
  std::string problem_;
};

Applied Begun(RunState& run, Reader& record) {
  const json::object& inputs = record.Object("inputs");
  if (!record.problem().empty()) return Refused(record.problem());
  if (run.begun) return Refused("the run had begun before");
  run.begun = true;
  run.inputs = inputs;
  return {};
}

Applied Resumed(RunState& run, Reader& record) {
  const json::object& inputs = record.Object("inputs");
  const std::string_view cursor = record.Text("cursor");
  const bool continued = record.Flag("continued");
  const std::size_t trail = record.Count("trail");
  if (!record.problem().empty()) return Refused(record.problem());
  if (trail > run.trail.size()) return Refused("the run has not entered " + std::to_string(trail) + " states");
  run.begun = true;  // a run that ended before its first record is taken up from nothing
  run.inputs = inputs;
  run.cursor = cursor;
  run.trail.resize(trail);
  run.open.clear();
  run.entered = 0;
  if (!continued) {
    run.loops.clear();
    run.parallels.clear();
  }
  return {};
}

// What was kept of states that stood in the same flow as `path` and are passed now.
void ForgetPassed(RunState& run, const std::string& path, const PathParts& place) {
  const auto passed = [&](const auto& entry) {
    return entry.first.starts_with(place.within) && !IsWithin(entry.first, path);
  };
  std::erase_if(run.loops, passed);
  std::erase_if(run.parallels, passed);
}

Applied MayEnter(RunState& run, const std::string& path, const PathParts& place) {
  if (run.open.contains(path)) return Refused(Named(path) + " runs already");
  if (place.top()) {
    if (!run.open.empty()) return Refused(Named(run.open.begin()->first) + " has not ended");
    if (!run.cursor.empty() && run.cursor != path)
      return Refused(Named(run.cursor) + " comes next, not '" + path + "'");
    return {};
  }
  if (!run.open.contains(std::string(place.holder))) return Refused(Named(place.holder) + " does not run");
  if (!place.pass) {
    if (run.parallels.contains(std::string(place.holder))) return {};
    return Refused("parallel " + Named(place.holder) + " has not begun");
  }
  const auto loop = run.loops.find(std::string(place.holder));
  if (loop == run.loops.end() || loop->second.over || loop->second.pass != *place.pass) {
    return Refused("loop '" + std::string(place.holder) + "' is not in pass " + std::to_string(*place.pass));
  }
  const std::string& cursor = loop->second.cursor;
  if (!cursor.empty() && cursor != place.name) return Refused(Named(cursor) + " comes next, not '" + path + "'");
  if (IsWithinAny(run.open, place.within)) return Refused("another state of that pass has not ended");
  return {};
}

Applied Entered(RunState& run, Reader& record) {
  const std::string path(record.Text("path"));
  const std::string_view state = record.Text("state");
  const bool works = record.Flag("works");
  if (!record.problem().empty()) return Refused(record.problem());
  const PathParts place = PartsOf(path);
  if (place.name != state) return Refused("'" + path + "' is no path of " + Named(state));
  if (auto may = MayEnter(run, path, place); !may) return may;
  const bool branch = !place.top() && !place.pass;
  if (works && !branch) ForgetPassed(run, path, place);
  run.open[path] = works;
  if (place.pass) run.loops[std::string(place.holder)].cursor = place.name;
  if (!place.top()) return {};
  ++run.entered;
  run.cursor = path;
  if (works) run.trail.push_back(path);
  return {};
}

Applied LoopBegun(RunState& run, Reader& record) {
  const std::string path(record.Text("path"));
  json::array items = record.Array("items");
  if (!record.problem().empty()) return Refused(record.problem());
  if (!run.open.contains(path)) return Refused(Named(path) + " does not run");
  run.ForgetProgress(path);
  run.loops[path].items = std::move(items);
  return {};
}

Applied ParallelBegun(RunState& run, Reader& record) {
  const std::string path(record.Text("path"));
  if (!record.problem().empty()) return Refused(record.problem());
  if (!run.open.contains(path)) return Refused(Named(path) + " does not run");
  run.ForgetProgress(path);
  run.parallels[path];
  return {};
}

Applied PassEnded(RunState& run, Reader& record) {
  const std::string path(record.Text("path"));
  const std::size_t pass = record.Count("pass");
  const json::value& result = record.Value("result");
  const bool last = record.Flag("last");
  if (!record.problem().empty()) return Refused(record.problem());
  const auto loop = run.loops.find(path);
  if (loop == run.loops.end() || !run.open.contains(path) || loop->second.over || loop->second.pass != pass) {
    return Refused("loop '" + path + "' is not in pass " + std::to_string(pass));
  }
  const std::string within = path + ":";
  if (IsWithinAny(run.open, within)) return Refused("a state of that pass has not ended");
  const auto beneath = [&](const auto& entry) { return entry.first.starts_with(within); };
  std::erase_if(run.loops, beneath);
  std::erase_if(run.parallels, beneath);
  LoopProgress& progress = loop->second;
  progress.results.push_back(result);
  ++progress.pass;
  progress.cursor.clear();
  progress.last.clear();
  progress.over = last;
  return {};
}

// Where the flow of a state that has ended stands now.
void Advance(RunState& run, const PathParts& place, const std::string& next, bool works, bool succeeded) {
  const std::string name(place.name);
  if (place.top()) {
    if (!next.empty()) {
      run.cursor = next;
    } else if (!works && !succeeded) {
      run.cursor = run.trail.empty() ? std::string() : run.trail.back();
    }
  } else if (place.pass) {
    LoopProgress& loop = run.loops[std::string(place.holder)];
    if (!next.empty()) loop.cursor = next;
    loop.last = name;
  } else if (succeeded) {
    run.parallels[std::string(place.holder)].succeeded.push_back(name);
  }
}

// Of an "ended" record; null when it has none.
std::expected<std::shared_ptr<const AgentSession>, std::string> SessionIn(Reader& record) {
  if (!record.Has("session")) return nullptr;
  auto session = AgentSessionOf(record.Object("session"));
  if (!session) return Refused("it lacks a proper 'session'");
  return std::make_shared<const AgentSession>(std::move(*session));
}

Applied Ended(RunState& run, Reader& record) {
  const std::string path(record.Text("path")), next(record.Text("next")), state(record.Text("state"));
  const json::object& fields = record.Object("fields");
  const json::object& captures = record.Object("captures");
  if (!record.problem().empty()) return Refused(record.problem());
  const PathParts place = PartsOf(path);
  if (place.name != state) return Refused("'" + path + "' is no path of " + Named(state));
  auto session = SessionIn(record);
  if (!session) return Refused(session.error());
  const json::value* status = fields.if_contains("Status");
  const bool branch = !place.top() && !place.pass;
  const auto entry = run.open.find(path);
  const bool skipped = entry == run.open.end() && branch && status != nullptr && *status == "cancelled" &&
                       run.parallels.contains(std::string(place.holder));
  if (entry == run.open.end() && !skipped) return Refused(Named(path) + " does not run");
  if (IsWithinAny(run.open, path + ":") || IsWithinAny(run.open, path + "/")) {
    return Refused("a state within " + Named(path) + " has not ended");
  }
  const bool works = skipped || entry->second;
  const bool succeeded = status != nullptr && *status == "success";
  if (!skipped) run.open.erase(entry);
  if (succeeded || next == state) run.ForgetProgress(path);
  if (works) {
    if (std::ranges::find(run.order, state) == run.order.end()) run.order.push_back(state);
    run.results[state] = std::make_shared<const json::object>(fields);
    run.sessions.erase(state);
    if (*session != nullptr) run.sessions[state] = std::move(*session);
  }
  for (const auto& [name, value] : captures) run.captures[name] = value;
  Advance(run, place, next, works, succeeded);
  return {};
}

}  // namespace

Applied RunState::Apply(const json::object& record) {
  Reader reader(record);
  const std::string_view type = reader.Text("type");
  if (type == "begun") return Begun(*this, reader);
  if (type == "resumed") return Resumed(*this, reader);
  if (!begun) return Refused("the run has not begun");
  if (type == "entered") return Entered(*this, reader);
  if (type == "loop_begun") return LoopBegun(*this, reader);
  if (type == "parallel_begun") return ParallelBegun(*this, reader);
  if (type == "pass_ended") return PassEnded(*this, reader);
  if (type == "ended") return Ended(*this, reader);
  return Refused("there is no record of type '" + std::string(type) + "'");
}

void RunState::ForgetProgress(std::string_view path) {
  const auto within = [&](const auto& entry) { return IsWithin(entry.first, path); };
  std::erase_if(loops, within);
  std::erase_if(parallels, within);
}

json::object BegunRecord(const json::object& inputs) { return {{"type", "begun"}, {"inputs", inputs}}; }

json::object ResumedRecord(const RunState& prepared) {
  return {{"type", "resumed"},
          {"inputs", prepared.inputs},
          {"cursor", prepared.cursor},
          {"continued", !prepared.loops.empty() || !prepared.parallels.empty()},
          {"trail", prepared.trail.size()}};
}

json::object EnteredRecord(const std::string& path, const std::string& state, bool works) {
  return {{"type", "entered"}, {"path", path}, {"state", state}, {"works", works}};
}

json::object LoopBegunRecord(const std::string& path, const json::array& items) {
  return {{"type", "loop_begun"}, {"path", path}, {"items", items}};
}

json::object ParallelBegunRecord(const std::string& path) { return {{"type", "parallel_begun"}, {"path", path}}; }

json::object PassEndedRecord(const std::string& path, std::size_t pass, const json::value& result, bool last) {
  return {{"type", "pass_ended"}, {"path", path}, {"pass", pass}, {"result", result}, {"last", last}};
}

json::object EndedRecord(const std::string& path, const std::string& state, const json::object& fields,
                         const json::object& captures, const std::string& next, const AgentSession* session) {
  json::object record{{"type", "ended"},  {"path", path},         {"state", state},
                      {"fields", fields}, {"captures", captures}, {"next", next}};
  if (session != nullptr) record["session"] = ToJson(*session);
  return record;
}

}  // namespace awf
