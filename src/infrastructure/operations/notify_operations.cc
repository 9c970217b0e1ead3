#include "infrastructure/operations/notify_operations.h"

#include <array>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "domain/utf8.h"
#include "infrastructure/http/http_client.h"
#include "infrastructure/http/url.h"
#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/declaration.h"
#include "infrastructure/operations/hidden_secret.h"
#include "infrastructure/operations/notify_result.h"
#include "infrastructure/operations/operation_failure.h"
#include "infrastructure/operations/program_run.h"
#include "infrastructure/operations/send_email.h"
#include "infrastructure/operations/variable_text.h"

namespace awf::operations {
namespace {

constexpr std::size_t kMostResponse = std::size_t{64} << 10;
constexpr std::array<std::string_view, 2> kBackends = {"desktop", "webhook"};
constexpr std::array<std::string_view, 3> kPriorities = {"low", "default", "high"};

Operation Declare(std::string name, std::string description, std::vector<OperationInput> own, bool has_url,
                  const std::string& priority) {
  std::vector<OperationInput> inputs = {Required("message", "string", "the text")};
  for (OperationInput& input : own) inputs.push_back(std::move(input));
  inputs.push_back(Optional("title", "string", "a line above it"));
  inputs.push_back(Optional("priority", "string", "low, default, high" + priority, "default"));
  if (has_url) inputs.push_back(Required("webhook_url", "string", "where to send it", "url"));
  return {std::move(name), std::move(description), std::move(inputs), NotifyOutputs()};
}

std::vector<Operation> Declared(const NotifySettings& settings) {
  const std::string otherwise =
      settings.default_backend.empty() ? "desktop or webhook" : "desktop or webhook; default: as configured";
  std::vector<OperationInput> of_send = {settings.default_backend.empty()
                                             ? Required("backend", "string", otherwise)
                                             : Optional("backend", "string", otherwise, settings.default_backend)};
  if (settings.webhook_url.empty()) {
    of_send.push_back(Optional("webhook_url", "string", "required by the backend webhook", {}, "url"));
  }
  return {Declare("send", "Notifies on the desktop (notify-send) or through a webhook.", std::move(of_send), false, ""),
          Declare("send_webhook", "Posts JSON with workflow, status, message, title and priority to a webhook.", {},
                  settings.webhook_url.empty(), ""),
          Declare("send_slack", "Posts a text to a Slack webhook, the title in bold above it.", {},
                  settings.slack_webhook_url.empty(), "; Slack shows no difference"),
          DeclareSendEmail(settings)};
}

struct Notice {
  std::string message, title, priority;
};

class NotifyOperations final : public OperationProvider {
 public:
  explicit NotifyOperations(const BuiltinOperationSettings& settings)
      : settings_(settings), operations_(Declared(settings.notify)) {}

  std::string_view Name() const override { return "notify"; }
  const std::vector<Operation>& Operations() const override { return operations_; }

  OperationResult Execute(const OperationCall& call) override {
    if (call.operation == "send_email") return SendEmail(settings_, call);
    const NotifySettings& configured = settings_.notify;
    CallInputs inputs(call.inputs);
    std::string backend;
    if (call.operation == "send") {
      backend = inputs.Word("backend", kBackends, configured.default_backend);
      if (backend.empty()) inputs.Fault("backend", "is required, as the configuration has no notify.default_backend");
    } else if (call.operation == "send_webhook" || call.operation == "send_slack") {
      backend = call.operation == "send_slack" ? "slack" : "webhook";
    } else {
      return UnknownOperation(Name(), call.operation);
    }
    const Notice notice = Read(inputs);
    const std::string& url = backend == "slack" ? configured.slack_webhook_url : configured.webhook_url;
    const std::string given =
        inputs.Text("webhook_url", backend != "desktop" && url.empty() ? CallInputs::kRequired : CallInputs::kOptional);
    if (backend != "desktop" && !url.empty() && !given.empty())
      inputs.Fault("webhook_url", "is given by the configuration");
    if (!inputs.fault().empty()) return Refused(kInvalidField, inputs.fault());
    if (backend == "desktop") return SendToDesktop(notice, call);
    return Post(backend, url.empty() ? given : url, !url.empty(), notice, call);
  }

 private:
  static Notice Read(CallInputs& inputs) {
    return {inputs.Text("message", CallInputs::kRequired), inputs.Text("title"),
            inputs.Word("priority", kPriorities, "default")};
  }

  OperationResult SendToDesktop(const Notice& notice, const OperationCall& call) const {
    if ((notice.message + notice.title).find('\0') != std::string::npos)
      return Refused(kInvalidField, "message and title must not hold a NUL character");
    const std::string urgency = notice.priority == "high" ? "critical" : (notice.priority == "low" ? "low" : "normal");
    // The program wants a title.
    const std::string title =
        !notice.title.empty() ? notice.title : (settings_.workflow.empty() ? "awf" : settings_.workflow);
    const ProgramEnd end =
        RunProgram({{"notify-send", "--app-name=awf", "--urgency=" + urgency, "--", title, notice.message},
                    ProgramEnvironment(settings_.environment,
                                       {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}),
                    "/",
                    kNotifyPatience,
                    call.deadline,
                    call.cancelled});
    const auto failed = [&](const std::string& text) {
      return NotSent(Refused("desktop", text), "desktop", end.errors);
    };
    switch (end.kind) {
      case ProgramEnd::Kind::kExited:
        if (end.exit_code == 0) return Sent("desktop", end.output);
        return failed("notify-send ended with exit code " + std::to_string(end.exit_code));
      case ProgramEnd::Kind::kMissing:
        return failed("notify-send was not found on the PATH; install it (package libnotify-bin)");
      case ProgramEnd::Kind::kNotStarted:
        return failed("notify-send could not be started: " + end.errors);
      case ProgramEnd::Kind::kTooSlow:
        return failed("notify-send did not end within " + std::string(kNotifyPatienceText));
      case ProgramEnd::Kind::kOutOfTime:
        return OutOfTime();
      case ProgramEnd::Kind::kCancelled:
        return Cancelled();
    }
    return Cancelled();
  }

  OperationResult Post(const std::string& backend, const std::string& written, bool of_config, const Notice& notice,
                       const OperationCall& call) const {
    const std::string place =
        !of_config ? "webhook_url" : (backend == "slack" ? "notify.slack_webhook_url" : "notify.webhook_url");
    const auto refused = [&](const std::string& text) {
      return NotSent(Refused(kInvalidField, place + ": " + text), backend);
    };
    // A call's own URL is taken as it is: a model has no business with variables of the user.
    const auto url =
        of_config ? WithVariables(written, settings_.environment) : std::expected<std::string, std::string>(written);
    if (!url) return refused(url.error());
    http::HttpRequest request;
    request.url = *url;
    request.body = Body(backend, notice);
    request.accept = "*/*";
    request.follow_redirects = false;
    request.cancelled = call.cancelled;
    request.deadline = Earlier(call.deadline, SteadyClock::now() + kNotifyPatience);
    const auto response = http::HttpClient({.answer = kMostResponse, .cut_answer = true}).Post(request);
    if (!response && response.error().kind == http::HttpFailure::Kind::kBadUrl) {
      return refused("must be an http or https URL");
    }
    OperationResult result =
        response ? ResultOf(*response, backend)
                 : NotSent(FailureOf(response.error(), call, std::string(kNotifyPatienceText)), backend);
    HideSecret(result, *url);
    return result;
  }

  std::string Body(const std::string& backend, const Notice& notice) const {
    const std::string message = RepairUtf8(notice.message), title = RepairUtf8(notice.title);
    if (backend == "slack") {
      return json::serialize(json::object{{"text", title.empty() ? message : "*" + title + "*\n" + message}});
    }
    return json::serialize(json::object{{"workflow", settings_.workflow},
                                        {"status", "running"},
                                        {"message", message},
                                        {"title", title},
                                        {"priority", notice.priority}});
  }

  static OperationResult ResultOf(const http::HttpResponse& response, const std::string& backend) {
    std::string_view bytes = response.body;
    if (response.cut) bytes.remove_suffix(UnfinishedUtf8(bytes));
    const std::string text = RepairUtf8(bytes);
    constexpr long kOk = 200, kRedirect = 300;
    if (response.status >= kOk && response.status < kRedirect) return Sent(backend, text);
    OperationResult failure =
        Refused("status", "the server of the webhook answered with status " + std::to_string(response.status));
    return NotSent(std::move(failure), backend, text);
  }

  const BuiltinOperationSettings settings_;
  const std::vector<Operation> operations_;
};

}  // namespace

std::shared_ptr<OperationProvider> MakeNotifyOperations(const BuiltinOperationSettings& settings) {
  return std::make_shared<NotifyOperations>(settings);
}

}  // namespace awf::operations
