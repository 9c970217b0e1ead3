// What an agent CLI may send to a scripted model, and what a probe reads out of it. The first byte chooses the wire
// format, the rest of the first line is the target.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "infrastructure/model_server/scripted_model.h"
#include "infrastructure/probe/request_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using awf::model_server::WireFormat;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t feed = bytes.find('\n');
  if (feed == std::string_view::npos || feed == 0) return 0;
  constexpr WireFormat kFormats[] = {WireFormat::kMessages, WireFormat::kResponses, WireFormat::kChatCompletions,
                                     WireFormat::kGemini};
  const auto model =
      awf::model_server::MakeScriptedModel(kFormats[static_cast<unsigned char>(bytes[0] - '0') % std::size(kFormats)],
                                           {{"first", {{"Bash", {{"command", "true"}}, true}}},
                                            {"then", {{"mcp__awf_proxy.Read", {{"path", "x"}}}}},
                                            {"end", {}}});
  boost::system::error_code error;
  const awf::json::value body = awf::json::parse(bytes.substr(feed + 1), error);
  if (error) return 0;
  const awf::model_server::ModelRequest request{std::string(bytes.substr(1, feed - 1)), body};
  (void)model->Offered(request);
  (void)model->Answer(request);
  for (const awf::probe::ToolAnswer& answer : awf::probe::ToolAnswers(body)) {
    (void)awf::probe::IsRefusal(answer.text, answer.call);
  }
  (void)awf::probe::NamesOfTools(body);
  return 0;
}
