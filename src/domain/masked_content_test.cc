#include "domain/masked_content.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

constexpr char kSecret[] = "hunter2hunter2";

Masker Knowing() {
  Masker masker;
  masker.AddSecret(kSecret);
  return masker;
}

TEST(MaskArguments, ByKeyByValueAndAtCuts) {
  const json::value arguments{{"password", "x"},
                              {"path", "hunter2"},
                              {"content", "hunter2hunter2 and hunter2hu…"},
                              {"n", {1, "tail hunter2…"}}};
  EXPECT_EQ(json::serialize(MaskArguments(Knowing(), arguments)),
            R"({"password":"***","path":"hunter2","content":"*** and ***…","n":[1,"tail ***…"]})");
}

TEST(MaskedArguments, AreMaskedBeforeTheyAreCut) {
  CallRecord call;
  call.arguments = R"({"a":"hunter2hunter2"})";
  call.bytes_in = call.arguments.size();
  EXPECT_EQ(MaskedArguments(Knowing(), call, 100), R"({"a":"***"})");
  EXPECT_EQ(MaskedArguments(Knowing(), call, 8), R"({"a":"**)");
  EXPECT_EQ(MaskedArguments(Knowing(), CallRecord(), 8), "");
}

TEST(MaskedResult, HidesASecretThatTheEndHasCutInto) {
  CallEnd end;
  end.result = std::string(100, 'x') + " hunter2hunter2 hunter2hunt";
  EXPECT_EQ(MaskedResult(Knowing(), end, 200), std::string(100, 'x') + " *** ***");
  EXPECT_EQ(MaskedResult(Knowing(), end, 105), std::string(100, 'x') + " *** ");
}

}  // namespace
}  // namespace awf
