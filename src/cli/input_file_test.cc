#include "cli/input_file.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

std::string Parsed(std::string_view text) {
  const auto inputs = ParseInputFile(text, "in.yaml");
  if (!inputs) {
    const Error& error = inputs.error();
    EXPECT_EQ(error.code, "USER.INPUT.INVALID_FORMAT");
    return error.message + " " + std::to_string(error.position.line) + ":" + std::to_string(error.position.column);
  }
  std::string all;
  for (const GivenInput& input : *inputs) {
    EXPECT_EQ(input.source, InputSource::kFile);
    all += input.name + "=" + input.text + ";";
  }
  return all;
}

TEST(InputFile, ValuesAreTakenAsWritten) {
  EXPECT_EQ(Parsed("version: 1.10\nfix: yes\nname: \"a: b\"\nnothing: null\nno: ~\nempty: ''\n"),
            "version=1.10;fix=yes;name=a: b;empty=;");
  EXPECT_EQ(Parsed("{\"version\": 1.10, \"deep\": true, \"path\": \"@x\"}"), "version=1.10;deep=true;path=@x;");
  EXPECT_EQ(Parsed("{\n\t\"count\": 3,\n\t\"name\": \"tab\\tbed\"\n}\n"), "count=3;name=tab\tbed;");
}

TEST(InputFile, WhatIsNoMapOfTextsIsRefusedWithItsPlace) {
  EXPECT_EQ(Parsed("- a\n"), "--input-file: it is no map 1:1");
  EXPECT_EQ(Parsed("a: 1\nb: [1]\n"), "--input-file: the value of 'b' is neither text nor number nor boolean 2:4");
  EXPECT_EQ(Parsed("a: 1\na: 2\n").substr(0, 14), "--input-file: ");
  EXPECT_EQ(Parsed(""), "--input-file: in.yaml is empty 0:0");
}

TEST(InputFile, AFileThatIsNotThereIsNamed) {
  const auto inputs = ReadInputFile("/nowhere/in.yaml");
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, "USER.INPUT.MISSING_FILE");
  EXPECT_EQ(inputs.error().message, "--input-file: /nowhere/in.yaml does not exist");
}

}  // namespace
}  // namespace awf::cli
