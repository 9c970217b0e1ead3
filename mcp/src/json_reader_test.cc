#include "json_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "utf8.h"

namespace mcp {
namespace {

using Status = ReadResult::Status;
using IdState = ReadResult::IdState;

constexpr int kDepth = 200;

std::string Nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonReaderTest, KeepsTheIdAsItIsWritten) {
  struct Case {
    std::string text, id, key;
  };
  const std::vector<Case> cases = {
      {R"({"id":7})", "7", "i7"},
      {R"({"id":-0})", "-0", "i0"},
      {R"({"id":-12})", "-12", "i-12"},
      {R"({"id":9007199254740993})", "9007199254740993", "i9007199254740993"},
      {R"({"id":18446744073709551615})", "18446744073709551615", "i18446744073709551615"},
      {R"({"id":123456789012345678901234567890})", "123456789012345678901234567890", "i123456789012345678901234567890"},
      {R"({"id":-99999999999999999999, "x":1})", "-99999999999999999999", "i-99999999999999999999"},
      {R"({"id":"7"})", R"("7")", "s7"},
      {R"({"id":""})", R"("")", "s"},
      {R"({"id" : "h\u00e9" })", R"("h\u00e9")", "sh\xC3\xA9"},
      {"{\"id\":\"h\xC3\xA9\"}", "\"h\xC3\xA9\"", "sh\xC3\xA9"},
      {R"({"x":["a\"",{"id":1}],"id":"a\"b\\"})", R"("a\"b\\")", "sa\"b\\"},
      {R"({"id":"\"","x":2})", R"("\"")", "s\""},
      {R"({"i\u0064":"\u0061"})", R"("\u0061")", "sa"},
      {R"({"i\u0064":5})", "5", "i5"},
      {R"({"id":"\ud800"})", R"("\ufffd")", "s\xEF\xBF\xBD"},
  };
  for (const Case& c : cases) {
    const ReadResult read = ReadJson(c.text, kDepth);
    EXPECT_EQ(read.status, Status::kOk) << c.text;
    EXPECT_EQ(read.id_state, IdState::kValid) << c.text;
    EXPECT_EQ(read.id.text, c.id);
    EXPECT_EQ(read.id.key, c.key);
  }
  const std::string long_id = "\"" + std::string(5000, 'x') + "\\n" + std::string(5000, 'y') + "\"";
  EXPECT_EQ(ReadJson("{\"id\":" + long_id + "}", kDepth).id.text, long_id);
}

TEST(JsonReaderTest, KnowsBadIds) {
  for (const std::string id : {"1.5", "2.0", "1e400", "1e2", "true", "null", "[1]", "{\"id\":1}", "-1.0"}) {
    const ReadResult read = ReadJson("{\"id\":" + id + ",\"x\":\"1\"}", kDepth);
    EXPECT_EQ(read.status, Status::kOk) << id;
    EXPECT_EQ(read.id_state, IdState::kInvalid) << id;
  }
  for (const std::string text : {R"({"x":{"id":1}})", R"([{"id":1}])", R"({"ID":1})", R"({"id\u0000":1})", "7", "{}"}) {
    EXPECT_EQ(ReadJson(text, kDepth).id_state, IdState::kAbsent) << text;
  }
}

TEST(JsonReaderTest, TellsTheIdThatItHadBeforeItRefused) {
  struct Case {
    std::string text, id;
  };
  const std::vector<Case> cases = {
      {R"({"id":5,"method":"ping",})", "5"},
      {R"({"id":"a\n","x":tru})", R"("a\n")"},
      {R"({"x":,"id":5})", ""},
      {R"({"id":5}{"id":6})", "5"},
      {R"({"id":5} x)", "5"},
      {R"({"id":5,"x":1e400})", "5"},
      {R"({"id":5,"x":[1,123456789012345678901234567890]})", "5"},
      {R"({"x":-99999999999999999999,"id":5})", ""},
      {R"({"id":5,"x":)" + Nested(200) + "}", "5"},
      {"{\"id\":5,\"x\":\"a\tb\"}", "5"},
      {std::string("{\"id\":5,\"x\":\"a\0b\"}", 18), "5"},
      {"\xEF\xBB\xBF{\"id\":5}", ""},
      {"Content-Length: 41", ""},
      {"{\"id\":5,", "5"},
      {"{\"id\":\"5", ""},
      {"{\"id\":1.5,", ""},
      {"\xFF", ""},
      {R"({"x":\ud800,"id":5})", ""},
  };
  for (const Case& c : cases) {
    const ReadResult read = ReadJson(c.text, kDepth);
    EXPECT_EQ(read.status, Status::kSyntax) << c.text;
    EXPECT_FALSE(read.fault.empty());
    EXPECT_EQ(read.id_state == IdState::kValid ? read.id.text : "", c.id) << c.text;
  }
}

TEST(JsonReaderTest, SaysWhatIsWrong) {
  EXPECT_EQ(ReadJson(R"({"x":1e400})", kDepth).fault, "parse error: number out of range");
  EXPECT_EQ(ReadJson(R"({"x":1e99999999999})", kDepth).fault, "parse error: number out of range");
  EXPECT_EQ(ReadJson(Nested(201), kDepth).fault, "parse error: nested deeper than 200 levels");
  EXPECT_EQ(ReadJson("nope", kDepth).fault, "parse error: not valid JSON");
}

TEST(JsonReaderTest, TakesDepthAndNumbersUpToTheLimit) {
  EXPECT_EQ(ReadJson(Nested(200), kDepth).status, Status::kOk);
  EXPECT_EQ(ReadJson(std::string(100000, '['), kDepth).status, Status::kSyntax);
  const ReadResult read =
      ReadJson(R"([9223372036854775807,-9223372036854775808,18446744073709551615,1.10,1e-400,0.1])", kDepth);
  ASSERT_EQ(read.status, Status::kOk);
  const boost::json::array& numbers = read.value.get_array();
  EXPECT_EQ(numbers[0].as_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(numbers[1].as_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(numbers[2].as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(numbers[3].as_double(), 1.10);
  EXPECT_EQ(numbers[4].as_double(), 0.0);
  EXPECT_EQ(numbers[5].as_double(), 0.1);
}

TEST(JsonReaderTest, RefusesDuplicateEnvelopeKeysOnly) {
  for (const std::string text :
       {R"({"id":1,"id":2})", R"({"id":1,"i\u0064":2})", R"({"method":"a","x":1,"method":"b"})",
        R"({"params":{},"params":null})", R"({"jsonrpc":"2.0","\u006asonrpc":"2.0"})"}) {
    EXPECT_EQ(ReadJson(text, kDepth).status, Status::kDuplicateKey) << text;
  }
  for (const std::string text : {R"({"id":1,"Id":2,"ID":3})", R"({"id":1,"id\u0000":2})", R"({"x":1,"x":2})",
                                 R"({"params":{"id":1,"id":2,"method":1,"method":2}})", R"([{"id":1},{"id":2}])",
                                 R"({"method":"a","methodmethod":"b","methods":1})"}) {
    EXPECT_EQ(ReadJson(text, kDepth).status, Status::kOk) << text;
  }
}

TEST(JsonReaderTest, RepairsTextThatIsNoUtf8) {
  const std::string r(kReplacement);
  const ReadResult read = ReadJson("{\"id\":1,\"a\":\"x\xFFy\",\"b\":\"\\ud800z\",\"c\xC0\":1}", kDepth);
  ASSERT_EQ(read.status, Status::kOk);
  EXPECT_EQ(read.value.at("a").as_string(), "x" + r + "y");
  EXPECT_EQ(read.value.at("b").as_string(), r + "z");
  EXPECT_EQ(read.value.at("c" + r).as_int64(), 1);
  EXPECT_EQ(ReadJson(R"(["\ud83d\ude00","\u0000"])", kDepth).value.at(1).as_string(), std::string(1, '\0'));
}

TEST(JsonReaderTest, ANumberThatGoesOnIsNoId) {
  for (const std::string id : {"01", "-07", "00"}) {
    const ReadResult read = ReadJson(R"({"jsonrpc":"2.0","method":"x","id":)" + id + "}", kDepth);
    EXPECT_EQ(read.status, Status::kSyntax) << id;
    EXPECT_EQ(read.id_state, IdState::kAbsent) << id;
  }
}

TEST(JsonReaderTest, FindsTheIdInTheHeadOfAText) {
  struct Case {
    std::string head, id;
  };
  const std::vector<Case> cases = {
      {R"({"jsonrpc":"2.0","id":12,"method":"x","params":{"a":"aaaaa)", "12"},
      {R"({"id":"a\u0041","params":{"a":"aaaaa)", R"("a\u0041")"},
      {R"({"id":12)", ""},  // it may go on
      {R"({"id":"12)", ""},
      {R"({"id":1.5,"x":")", ""},
      {R"({"id":null,"x":")", ""},
      {R"({"params":{"id":3,"a":"aaaaa)", ""},
      {"", ""},
  };
  for (const Case& c : cases) {
    const ReadResult read = ReadIdOnly(c.head, kDepth);
    EXPECT_EQ(read.id_state == IdState::kValid ? read.id.text : "", c.id) << c.head;
  }
}

}  // namespace
}  // namespace mcp
