#include "infrastructure/operations/send_email.h"

#include <algorithm>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "domain/base64.h"
#include "domain/random_id.h"
#include "domain/utf8.h"
#include "infrastructure/http/smtp_client.h"
#include "infrastructure/http/smtp_url.h"
#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/declaration.h"
#include "infrastructure/operations/hidden_secret.h"
#include "infrastructure/operations/mail_message.h"
#include "infrastructure/operations/notify_result.h"
#include "infrastructure/operations/operation_failure.h"
#include "infrastructure/operations/variable_text.h"

namespace awf::operations {
namespace {

using http::SmtpFailure;
using http::SmtpUrl;

constexpr std::string_view kEmail = "email";
constexpr std::string_view kUrlShape =
    "must be smtp://[user:password@]host[:port] or smtps://…, special characters of user and password as %XX";

// Each of these would begin a header or a command of its own, or end one.
bool BreaksLines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

constexpr std::string_view kNoBreaks = "must not hold a line break or a NUL character";

void CheckAddresses(CallInputs& inputs, std::string_view name, const std::vector<std::string>& addresses) {
  if (std::ranges::any_of(addresses, BreaksLines)) return inputs.Fault(name, kNoBreaks);
  if (!std::ranges::all_of(addresses, IsMailAddress))
    inputs.Fault(name, "must be written like name@example.org, in ASCII and without a display name");
}

Mail ReadMail(CallInputs& inputs, const std::string& workflow) {
  Mail mail{.from = inputs.Text("from", CallInputs::kRequired),
            .to = inputs.Texts("to", CallInputs::kRequired),
            .subject = inputs.Text("title"),
            .text = inputs.Text("message", CallInputs::kRequired),
            .date = WallClock::now(),
            .id = RandomHex(16)};
  CheckAddresses(inputs, "from", {mail.from});
  CheckAddresses(inputs, "to", mail.to);
  if (BreaksLines(mail.subject)) inputs.Fault("title", kNoBreaks);
  // A mail wants a subject.
  if (mail.subject.empty()) mail.subject = workflow.empty() ? "awf" : workflow;
  return mail;
}

// The password, and the ways in which it goes to the server, which may repeat them.
std::string WithoutPassword(std::string text, const SmtpUrl& server) {
  const std::string login = '\0' + server.user + '\0' + server.password;
  for (const std::string& secret : {Base64(login), Base64(server.password), server.password})
    text = WithoutSecret(std::move(text), secret);
  return text;
}

std::string Refusal(const SmtpFailure& failure, const std::string& what) {
  return "the mail server refused " + what + (failure.reply.empty() ? "" : ": " + failure.reply);
}

OperationResult ResultOf(const SmtpFailure& failure, const SmtpUrl& server, const OperationCall& call) {
  switch (failure.kind) {
    case SmtpFailure::Kind::kLogin:
      return Refused(kAuth, Refusal(failure, "user or password"));
    case SmtpFailure::Kind::kRecipient:
      return Refused("status", Refusal(failure, "a recipient, so the mail went to nobody"));
    case SmtpFailure::Kind::kRefused:
      return Refused("status", Refusal(failure, "the mail"));
    case SmtpFailure::Kind::kNoTls:
      return Refused(kNetwork, server.host + ": the mail server offers no TLS, so the password was not sent");
    case SmtpFailure::Kind::kTransport:
      break;
  }
  return FailureOf(failure.cause, call, std::string(kNotifyPatienceText));
}

OperationResult SendTo(const SmtpUrl& server, const Mail& mail, const OperationCall& call) {
  const auto reply = http::SendMail({server, mail.from, mail.to, MailMessage(mail),
                                     Earlier(call.deadline, SteadyClock::now() + kNotifyPatience), call.cancelled});
  const auto shown = [&](const std::string& text) { return RepairUtf8(WithoutPassword(text, server)); };
  if (reply) return Sent(kEmail, shown(*reply));
  SmtpFailure failure = reply.error();
  failure.reply = shown(failure.reply);
  failure.cause.message = shown(failure.cause.message);
  return NotSent(ResultOf(failure, server, call), kEmail, failure.reply);
}

}  // namespace

Operation DeclareSendEmail(const NotifySettings& settings) {
  std::vector<OperationInput> inputs;
  if (settings.smtp_url.empty()) {
    // Not "url": its check would repeat a text that is none, and with it the password.
    inputs.push_back(Required("smtp_url", "string",
                              "the mail server: smtp://[user:password@]host[:port] (STARTTLS where offered; with a "
                              "password always, but for this machine) or smtps://…"));
  }
  inputs.push_back(Required("from", "string", "the address of the sender, like name@example.org", "email"));
  inputs.push_back(Required("to", "array", "the addresses of the recipients"));
  inputs.push_back(Required("message", "string", "the text, plain"));
  inputs.push_back(Optional("title", "string", "the subject; default: the name of the workflow"));
  return {"send_email", "Sends a mail of plain text through an SMTP server: to all recipients, or to none.",
          std::move(inputs), NotifyOutputs()};
}

OperationResult SendEmail(const BuiltinOperationSettings& settings, const OperationCall& call) {
  const std::string& configured = settings.notify.smtp_url;
  const bool of_config = !configured.empty();
  CallInputs inputs(call.inputs);
  const std::string given = inputs.Text("smtp_url", of_config ? CallInputs::kOptional : CallInputs::kRequired);
  if (of_config && !given.empty()) inputs.Fault("smtp_url", "is given by the configuration");
  const Mail mail = ReadMail(inputs, settings.workflow);
  if (!inputs.fault().empty()) return Refused(kInvalidField, inputs.fault());
  const auto refused = [&](const std::string& text) {
    const std::string place = of_config ? "notify.smtp_url" : "smtp_url";
    return NotSent(Refused(kInvalidField, place + ": " + text), kEmail);
  };
  // A call's own URL is taken as it is: a model has no business with variables of the user.
  const auto text =
      of_config ? WithVariables(configured, settings.environment) : std::expected<std::string, std::string>(given);
  if (!text) return refused(text.error());
  const auto server = http::ReadSmtpUrl(*text);
  if (server) return SendTo(*server, mail, call);
  if (server.error().kind == http::HttpFailure::Kind::kBadUrl) return refused(std::string(kUrlShape));
  return NotSent(FailureOf(server.error(), call, std::string(kNotifyPatienceText)), kEmail);
}

}  // namespace awf::operations
