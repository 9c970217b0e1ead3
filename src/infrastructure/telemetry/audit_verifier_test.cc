#include "infrastructure/telemetry/audit_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/telemetry/audit_chain_for_tests.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// run.started, step.started, tool.call, step.completed, run.completed.
AuditChain WholeRun(const std::string& run = "r") {
  AuditChain chain(run);
  chain.RunStarted().Step("a").Call("a").StepEnd("a", 1).RunEnd();
  return chain;
}

std::string Verified(const AuditChain& chain, AuditExpectation expected = {}) {
  return Told(VerifyText(chain.Text(), std::move(expected)));
}

AuditExpectation RunJson(std::int64_t seq, std::string hash, bool ended = true) {
  AuditExpectation expected;
  expected.recorded = AuditHead{seq, std::move(hash)};
  expected.ended = ended;
  return expected;
}

AuditExpectation Live() {
  AuditExpectation expected;
  expected.live = true;
  return expected;
}

TEST(AuditVerifier, AcceptsTheDocumentedTestVector) {
  const AuditVerdict verdict =
      VerifyText(R"({"v":1,"seq":0,"time":"2026-11-03T10:15:00.000Z","run":"r","type":"run.started","prev":)"
                 R"("0000000000000000000000000000000000000000000000000000000000000000","hash":)"
                 R"("204bd1987580c5516dfe1972d6f0bd716d9ce10462bae2bf00f53355a048a38d"})"
                 "\n");
  EXPECT_EQ(Told(verdict), "open 1: truncated or killed");
  EXPECT_EQ(verdict.head.hash, "204bd1987580c5516dfe1972d6f0bd716d9ce10462bae2bf00f53355a048a38d");
}

TEST(AuditVerifier, AcceptsAWholeRunHoweverItIsCutIntoPieces) {
  const std::string text = WholeRun().Text();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{300}, text.size()})
    EXPECT_EQ(Told(VerifyText(text, {}, piece)), "ok 5") << piece;
  const AuditVerdict verdict = VerifyText(text, RunJson(4, WholeRun().Head()));
  EXPECT_EQ(verdict.status, AuditStatus::kOk);
  EXPECT_EQ(verdict.head.hash, WholeRun().Head());
  EXPECT_EQ(verdict.run_id, "r");
  EXPECT_THAT(verdict.warnings, IsEmpty());
}

struct BrokenLine {
  std::string name, from, to, told;
};
class BrokenLines : public testing::TestWithParam<BrokenLine> {};

// Edits of the third record.
TEST_P(BrokenLines, AreNamedWithTheirReason) {
  AuditChain chain = WholeRun();
  std::string& line = chain.lines()[2];
  const std::size_t at = line.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << line;
  line.replace(at, GetParam().from.size(), GetParam().to);
  EXPECT_EQ(Verified(chain), "2 (line 3): " + GetParam().told);
}

const BrokenLine kBrokenLines[] = {
    {"Cut", R"("hash")", "\n", "it is not JSON"},
    {"Utf8", R"("step":"a")", "\"step\":\"\xff\"", "it is not UTF-8"},
    {"List", R"({"v":1)", R"([{"v":1)", "it is not JSON"},
    {"Behind", R"("hash")", R"( "hash")", "it does not end in its hash"},
    {"Blank", R"({"v":1)", R"({ "v":1)", "it is not written as awf writes records"},
    {"CarriageReturn", R"({"v":1)", "\r{\"v\":1", "it is not written as awf writes records"},
    {"Mark", R"({"v":1)", "\xef\xbb\xbf{\"v\":1", "it is not JSON"},
    {"Order", R"("seq":2,"time")", R"("time":"x","seq")", "key 'seq' is missing or not in its place"},
    {"Missing", R"("v":1,)", "", "key 'v' is missing or not in its place"},
    {"NoType", R"("type":"tool.call",)", "", "key 'type' is missing or not in its place"},
    {"PrevIsNumber", R"("prev":")", R"("prev":1,"x":")", "key 'prev' is missing or not in its place"},
    {"NoPrev", R"("prev")", R"("prew")", "key 'prev' is missing or not in its place"},
    {"Version", R"("v":1)", R"("v":2)", "its version is not 1"},
    {"Fraction", R"("seq":2,)", R"("seq":2.0,)", "'seq' is no number of a record"},
    {"Exponent", R"("seq":2,)", R"("seq":2e0,)", "'seq' is no number of a record"},
    {"Negative", R"("seq":2,)", R"("seq":-2,)", "'seq' is no number of a record"},
    {"Seq", R"("seq":2,)", R"("seq":3,)", "its seq is 3, not 2"},
    {"Time", "T10", "t10", "'time' is no time"},
    {"Run", R"("run":"r")", R"("run":"s")", "it is of run s, not of r"},
    {"NoRun", R"("run":"r")", R"("run":"")", "'run' is no name of a run"},
    {"TypeName", R"("type":"tool.call")", R"("type":7)", "'type' is no type of a record"},
    {"Prev", R"("prev":")", R"("prev":"0)", "its prev is not the hash of the record before"},
    {"Hash", R"("hash":")", R"("hash":"0)", "it does not end in its hash"},
    {"Field", R"("step":"a")", R"("step":"b")", "its hash is not that of its text"},
    {"TwiceTheKey", R"("step":"a")", R"("step":"b","step":"a")", "its hash is not that of its text"},
    {"Inside", R"("step":"a")", R"("step": "a")", "its hash is not that of its text"},
};
INSTANTIATE_TEST_SUITE_P(, BrokenLines, testing::ValuesIn(kBrokenLines),
                         [](const auto& test) { return test.param.name; });

TEST(AuditVerifier, FindsAChangedPrevAndHashByTheChain) {
  AuditChain prev = WholeRun(), hash = WholeRun(), upper = WholeRun();
  const auto other = [](char& digit) { digit = digit == '0' ? '1' : '0'; };
  std::string& line = prev.lines()[2];
  other(line[line.find(R"("prev":")") + 8]);
  EXPECT_EQ(Verified(prev), "2 (line 3): its prev is not the hash of the record before");
  other(hash.lines()[2][hash.lines()[2].size() - 3]);
  EXPECT_EQ(Verified(hash), "2 (line 3): its hash is not that of its text");
  std::ranges::transform(upper.lines()[2].end() - 66, upper.lines()[2].end() - 2, upper.lines()[2].end() - 66,
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(Verified(upper), "2 (line 3): it does not end in its hash");
}

TEST(AuditVerifier, FindsWhatTheHashesDoNotHold) {
  const std::string text = WholeRun().Text();
  EXPECT_EQ(Told(VerifyText(text + "\n")), "5 (line 6): it is empty");
  EXPECT_EQ(Told(VerifyText(text + "x")), "5 (line 6): its line does not end, and is not the beginning of that record");
  EXPECT_EQ(Told(VerifyText(text + "{}\n")), "5 (line 6): key 'v' is missing or not in its place");
  EXPECT_EQ(Told(VerifyText(text + "[]\n")), "5 (line 6): it is no JSON object");
  EXPECT_EQ(Told(VerifyText("\n" + text)), "0 (line 1): it is empty");
}

TEST(AuditVerifier, HoldsNoLineThatIsLongerThanARecord) {
  const AuditChain chain = WholeRun();
  const std::string long_text = chain.Text() + std::string(kLongestLine, ' ');
  for (const std::size_t piece : {std::size_t{100}, long_text.size()})
    EXPECT_EQ(Told(VerifyText(long_text, {}, piece)), "5 (line 6): it is longer than any record");
  AuditChain longest;
  longest.RunStarted();
  longest.Add("x", R"("text":")" + std::string(kLongestLine - 229, 'x') + "\"");
  ASSERT_EQ(longest.lines()[1].size() + 1, kLongestLine);
  EXPECT_EQ(Verified(longest), "open 2: truncated or killed");
}

TEST(AuditVerifier, FindsRecordsThatWereDroppedSwappedOrDoubled) {
  const std::vector<std::string> lines = WholeRun().lines();
  const auto of = [&](const std::vector<std::size_t>& order) {
    std::string text;
    for (const std::size_t i : order) text += lines[i] + "\n";
    return Told(VerifyText(text, RunJson(4, WholeRun().Head())));
  };
  EXPECT_EQ(of({1, 2, 3, 4}), "0 (line 1): its seq is 1, not 0");
  EXPECT_EQ(of({0, 1, 3, 4}), "2 (line 3): its seq is 3, not 2");
  EXPECT_EQ(of({0, 1, 2, 3}), "open 4: truncated or killed; run.json tells of 5 records");
  EXPECT_EQ(of({0, 3, 2, 1, 4}), "1 (line 2): its seq is 3, not 1");
  EXPECT_EQ(of({0, 1, 1, 2, 3, 4}), "2 (line 3): its seq is 1, not 2");
  EXPECT_EQ(of({}), "open 0: truncated or killed; run.json tells of 5 records");
}

TEST(AuditVerifier, FindsWhereTwoRunsWereSpliced) {
  AuditChain mine = WholeRun(), other = WholeRun("s"), same_name;
  same_name.now += 5000;
  same_name.RunStarted().Step("b").Call("b").StepEnd("b", 1).RunEnd();
  const auto spliced = [&](AuditChain& tail) {
    AuditChain chain = mine;
    std::copy(tail.lines().begin() + 3, tail.lines().end(), chain.lines().begin() + 3);
    return Verified(chain);
  };
  EXPECT_EQ(spliced(other), "3 (line 4): it is of run s, not of r");
  EXPECT_EQ(spliced(same_name), "3 (line 4): its prev is not the hash of the record before");
  AuditExpectation expected;
  expected.run_id = "r";
  EXPECT_EQ(Verified(other, expected), "0 (line 1): it is of run s, not of r");
}

TEST(AuditVerifier, BeginsWithTheStartOfTheRun) {
  AuditChain chain;
  chain.Step("a").StepEnd("a").RunEnd();
  EXPECT_EQ(Verified(chain), "0 (line 1): the first record is 'step.started', not 'run.started'");
}

TEST(AuditVerifier, OnlyWarnsOfAClockThatWentBack) {
  AuditChain chain;
  chain.RunStarted();
  chain.now -= 1000;  // 900 ms before the record: clocks do that
  chain.Step("a");
  chain.now -= 3600'000;
  chain.StepEnd("a");
  chain.now -= 3600'000;
  chain.RunEnd();
  const AuditVerdict verdict = VerifyText(chain.Text());
  EXPECT_EQ(Told(verdict), "ok 4");
  EXPECT_THAT(verdict.warnings, ElementsAre("the clock went back from 2026-11-03T10:14:59.100Z to "
                                            "2026-11-03T09:14:59.200Z at record 2, and 1 times more"));
}

TEST(AuditVerifier, TakesARunThatGoesOnAsOpen) {
  AuditChain chain;
  chain.RunStarted().Step("a").Call("a");
  EXPECT_EQ(Verified(chain), "open 3: truncated or killed");
  EXPECT_EQ(Verified(chain, Live()), "open 3: the run goes on");
  // A record that is being written, a cut line that is about to be answered: seen by whoever reads at that moment.
  const std::string text = chain.Text();
  EXPECT_EQ(Told(VerifyText(text + R"({"v":1,"se)", Live())), "open 3: the run goes on");
  EXPECT_EQ(Told(VerifyText(text + "{\"v\":1,\"se\n", Live())), "open 3: the run goes on");
  EXPECT_EQ(Told(VerifyText(text + R"({"v":1,"se)")), "open 3: truncated or killed");
  EXPECT_EQ(Told(VerifyText({}, Live())), "open 0: the run goes on");
  // What is there must hold all the same.
  AuditChain wrong;
  wrong.RunStarted().Call("a");
  EXPECT_EQ(Verified(wrong, Live()), "1 (line 2): a tool call of step 'a', which is not running");
}

// ---- The head ----

TEST(AuditVerifier, ComparesTheHeadOfRunJson) {
  const AuditChain chain = WholeRun();
  const std::string other(64, 'a');
  EXPECT_EQ(Verified(chain, RunJson(4, other)), "4 (line 5): its hash is not the head in run.json, " + other);
  EXPECT_EQ(Verified(chain, RunJson(6, other)), "5 (line 6): it is missing: run.json tells of 7 records");
  AuditChain more = chain;
  more.RunStarted(true).RunEnd();
  EXPECT_EQ(Verified(more, RunJson(4, chain.Head())), "5 (line 6): it follows the last record that run.json tells of");
  // The head that an earlier owner left: what follows is of a resume that has not ended yet, or was killed.
  EXPECT_EQ(Verified(more, RunJson(4, chain.Head(), false)), "ok 7");
  EXPECT_EQ(Verified(more, RunJson(4, other, false)), "4 (line 5): its hash is not the head in run.json, " + other);
}

TEST(AuditVerifier, ComparesTheHeadThatSomebodyKept) {
  const AuditChain chain = WholeRun();
  AuditExpectation expected;
  expected.head = chain.Head();
  EXPECT_EQ(Verified(chain, expected), "ok 5");
  AuditChain more = chain;
  more.RunStarted(true).RunEnd();
  EXPECT_EQ(Verified(more, expected),
            "6 (line 7): the head that was given is that of record 4, and 2 records follow it");
  expected.live = true;
  EXPECT_EQ(Verified(more, expected), "ok 7");
  // A file that was made anew as a whole holds in itself.
  AuditChain forged;
  forged.RunStarted().RunEnd();
  expected.live = false;
  EXPECT_EQ(Verified(forged), "ok 2");
  EXPECT_EQ(Verified(forged, expected), "1 (line 2): no record has the head that was given");
}

// ---- Crash and resume ----

TEST(AuditVerifier, AcceptsACutLineThatARecordAnswersTo) {
  const std::string cut = R"({"v":1,"seq":2,"ti)";
  AuditChain chain;
  chain.RunStarted().Step("a").AddCut(cut).Recovered(cut).RunStarted(true).Step("a").StepEnd("a").RunEnd();
  EXPECT_EQ(Verified(chain), "ok 7");

  const auto edited = [&](std::size_t line, const std::string& text) {
    AuditChain copy = chain;
    copy.lines()[line] = text;
    return Verified(copy);
  };
  EXPECT_EQ(edited(2, cut + "m"), "2 (line 3): it is not JSON");
  EXPECT_EQ(edited(2, ""), "2 (line 3): it is empty");
  EXPECT_EQ(edited(2, "{}"), "2 (line 3): key 'v' is missing or not in its place") << "a crash leaves no whole record";
  EXPECT_EQ(edited(2, cut + "\n" + cut), "2 (line 3): it is not JSON") << "one line";
  EXPECT_EQ(edited(3, chain.lines()[4]), "2 (line 3): it is not JSON") << "unanswered";
  AuditChain dropped = chain;
  dropped.lines().erase(dropped.lines().begin() + 2);
  EXPECT_EQ(Verified(dropped), "2 (line 3): it answers to a cut line that is not there");
}

// Wherever a crash cuts, what stands before the cut line holds.
TEST(AuditVerifier, ToleratesOneCutLastLine) {
  AuditChain chain = WholeRun();
  const std::string text = chain.Text();
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t end = last + 1; end < text.size(); ++end) {
    const std::string cut = text.substr(0, end);
    EXPECT_EQ(Told(VerifyText(cut)), "open 4: truncated or killed") << end;
    EXPECT_EQ(Told(VerifyText(cut, RunJson(4, chain.Head()))),
              "open 4: truncated or killed; run.json tells of 5 records");
    EXPECT_EQ(Told(VerifyText(cut, Live())), "open 4: the run goes on");
  }
  EXPECT_EQ(Told(VerifyText(chain.lines()[0].substr(0, 100))), "open 0: truncated or killed");
  EXPECT_EQ(Told(VerifyText(text + R"({"v":1,"seq":5,)")), "open 5: truncated or killed") << "a resume that was killed";
  EXPECT_EQ(Told(VerifyText(text + R"({"v":1,"seq":5,)", RunJson(4, chain.Head()))),
            "5 (line 6): it follows the last record that run.json tells of");
}

TEST(AuditVerifier, ToleratesNoLastLineThatIsAltered) {
  AuditChain chain = WholeRun();
  const std::string text = chain.Text(), whole = chain.lines()[4];
  const std::string before = text.substr(0, text.size() - whole.size() - 1);
  const auto edited = [&](std::string_view from, std::string_view to, std::size_t cut) {
    std::string line = whole;
    line.replace(line.find(from), from.size(), to);
    return Told(VerifyText(before + line.substr(0, line.size() - cut)));
  };
  const std::string told = "4 (line 5): its line does not end, and is not the beginning of that record";
  for (const std::size_t cut : {0U, 40U}) {
    EXPECT_EQ(edited(R"("records":5)", R"("records":6)", cut), told) << "the hash, or what is left of it, tells";
    EXPECT_EQ(edited(R"("seq":4)", R"("seq":5)", cut), told);
    EXPECT_EQ(edited(R"("run":"r")", R"("run":"s")", cut), told);
    EXPECT_EQ(edited("T10:", "T1x:", cut), told);
    EXPECT_EQ(edited(R"("records":5)", R"("records":5 5)", cut), told);
    EXPECT_EQ(edited(R"({"v")", R"({ "v")", cut), told);
  }
  EXPECT_EQ(edited(R"("prev":")", R"("prev":"0)", 0), told);
  EXPECT_EQ(Told(VerifyText(before + whole + " ")), told);
  EXPECT_EQ(Told(VerifyText(before + R"({"v":1,"seq":4})")), told) << "whole, and no record";
}

TEST(AuditVerifier, AcceptsAFirstLineThatWasCut) {
  AuditChain chain;
  chain.AddCut("{\"v\"").Recovered("{\"v\"").RunStarted(true).RunEnd();
  EXPECT_EQ(Verified(chain), "ok 3");
}

TEST(AuditVerifier, AcceptsSeveralOwnersOfOneRun) {
  AuditChain chain;
  chain.RunStarted().Step("a").Call("a");  // killed
  chain.RunStarted(true).Step("a").StepEnd("a").RunEnd();
  chain.RunStarted(true).Step("b").Call("b").StepEnd("b", 1).RunEnd();
  EXPECT_EQ(Verified(chain), "ok 12");
  AuditChain anew = WholeRun();
  anew.RunStarted().RunEnd();
  EXPECT_EQ(Verified(anew), "5 (line 6): the run starts anew, and not by a resume");
  AuditChain behind = WholeRun();
  behind.Step("a").StepEnd("a").RunEnd();
  EXPECT_EQ(Verified(behind), "5 (line 6): a record 'step.started' follows the end of the run");
}

// ---- Agreement of the records ----

TEST(AuditVerifier, AcceptsStepsThatRunAtOnceOrAgain) {
  AuditChain chain;
  chain.RunStarted().Step("all").Step("a").Step("b").Call("b").Call("a").Bypass("b").Call("b");
  chain.StepEnd("b", 2, 1).StepEnd("a", 1).StepEnd("all");
  chain.Step("a").StepEnd("a").Step("a").Call("a").StepEnd("a", 1).RunEnd();
  EXPECT_EQ(Verified(chain), "ok 17");
}

// Masking can make one name of two.
TEST(AuditVerifier, ComparesTheSumsOfStepsWithOneName) {
  AuditChain chain;
  chain.RunStarted().Step("***").Step("***").Call("***").Call("***").Call("***");
  AuditChain wrong = chain;
  chain.StepEnd("***", 1).StepEnd("***", 2).RunEnd();
  EXPECT_EQ(Verified(chain), "ok 9");
  wrong.StepEnd("***", 1).StepEnd("***", 1).RunEnd();
  EXPECT_EQ(Verified(wrong), "7 (line 8): step '***' claims 1 tool calls, its records are 2");
}

TEST(AuditVerifier, FindsRecordsThatContradictEachOther) {
  struct Case {
    AuditChain chain;
    std::string told;
  };
  const auto started = [] {
    AuditChain chain;
    return chain.RunStarted().Step("a");
  };
  const Case cases[] = {
      {started().Call("b").StepEnd("a").RunEnd(), "2 (line 3): a tool call of step 'b', which is not running"},
      {started().StepEnd("a").Call("a").RunEnd(), "3 (line 4): a tool call of step 'a', which is not running"},
      {started().StepEnd("a").Bypass("a").RunEnd(), "3 (line 4): a bypass of step 'a', which is not running"},
      {started().StepEnd("b").RunEnd(), "2 (line 3): step 'b' completes without having started"},
      {started().Call("a").StepEnd("a").RunEnd(), "3 (line 4): step 'a' claims 0 tool calls, its records are 1"},
      {started().StepEnd("a", 1).RunEnd(), "2 (line 3): step 'a' claims 1 tool calls, its records are 0"},
      {started().StepEnd("a", 0, 1).RunEnd(), "2 (line 3): step 'a' claims 1 bypasses, its records are 0"},
      {started().StepEnd("a", -1).RunEnd(), "2 (line 3): step 'a' claims no number of tool calls, its records are 0"},
      {started().Add("step.completed", R"("step":"a","bypasses":0)").RunEnd(),
       "2 (line 3): step 'a' claims no number of tool calls, its records are 0"},
      {started().RunEnd(), "2 (line 3): the run completes while step 'a' is running"},
      {started().StepEnd("a").RunEnd(1), "3 (line 4): the run claims 5 records, they are 4"},
      {started().StepEnd("a").Add("run.completed"), "3 (line 4): the run claims no number of records, they are 4"},
      {started().Step("").RunEnd(), "2 (line 3): a step without a name"},
  };
  for (const Case& c : cases) EXPECT_EQ(Verified(c.chain), c.told);
}

TEST(AuditVerifier, ChecksTheChainBeforeTheAgreement) {
  AuditChain chain;
  chain.RunStarted().Call("a").RunEnd();
  chain.lines()[2].replace(2, 1, "w");
  EXPECT_EQ(Verified(chain), "2 (line 3): key 'v' is missing or not in its place");
}

}  // namespace
}  // namespace awf::telemetry
