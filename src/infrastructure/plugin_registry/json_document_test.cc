#include "infrastructure/plugin_registry/json_document.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

std::string Fault(std::string text) {
  const auto document = JsonDocument::Parse(std::move(text), "f.json");
  if (document) return "none";
  EXPECT_EQ(document.error().code, "USER.CONFIG.INVALID");
  EXPECT_EQ(document.error().position.file, "f.json");
  return Told(document.error());
}

TEST(JsonDocument, RefusesWhatIsNoJsonAtItsPlace) {
  EXPECT_EQ(Fault("{}"), "none");
  EXPECT_EQ(Fault("\r\n{\r\n\"a\": 1\r\n}\r\n"), "none");
  EXPECT_EQ(Fault(""), "1:1 : the file is empty");
  EXPECT_EQ(Fault(" \r\n\t"), "1:1 : the file is empty");
  EXPECT_EQ(Fault("{\"a\": 1,\n \"b\": }"), "2:7 : this is no JSON: syntax error");
  EXPECT_EQ(Fault("{\"a\": 1"), "1:8 : this is no JSON: incomplete JSON");
  EXPECT_EQ(Fault("{}\n{}"), "2:1 : this is no JSON: extra data");
  EXPECT_EQ(Fault("{\"a\": \"\xff\"}").substr(0, 23), "1:8 : this is no JSON: ");
  EXPECT_EQ(Fault("<<<<<<< HEAD\n{}"), "1:1 : this is no JSON: syntax error");
}

TEST(JsonDocument, RefusesWhatIsHostile) {
  EXPECT_EQ(Fault("{\"a\": {\"b\": 1,\n \"c\": 2, \"\\u0062\": 3}}"),
            "2:10 : key 'b' is given twice in the same object");
  EXPECT_EQ(Fault(std::string(32, '[') + std::string(32, ']')), "none");
  EXPECT_EQ(Fault(std::string(100, '[') + std::string(100, ']')), "1:33 : nested deeper than 32 levels");
  EXPECT_EQ(Fault(std::string(1'000'000, '[')), "1:33 : nested deeper than 32 levels");
  const std::string huge = "{\n\"a\": \"" + std::string(4U << 20, 'x') + "\"}";
  EXPECT_EQ(Fault(huge), "2:4194303 : the file is larger than 4 MiB");
}

TEST(JsonDocument, NeverWaitsForWhatIsNoFile) {
  const TestFolder folder;
  const auto fault = [&](const char* name) {
    const auto read = JsonDocument::Read(folder / name);
    if (read) return std::string(*read ? "a document" : "absent");
    return read.error().code + " " + read.error().message.substr(folder.string().size() + 1);
  };
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  folder.Put("text", "1");
  std::filesystem::create_symlink("text", folder / "link");
  folder.Put("huge", std::string((4U << 20) + 1, ' '));
  EXPECT_EQ(fault("nothing"), "absent");
  EXPECT_EQ(fault("dangling"), "absent");
  EXPECT_EQ(fault("pipe"), "USER.CONFIG.INVALID pipe is not a regular file");
  EXPECT_EQ(fault("folder"), "USER.CONFIG.INVALID folder is not a regular file");
  EXPECT_EQ(fault("link"), "a document");
  EXPECT_EQ(JsonDocument::Read(folder / "huge").error().message, "the file is larger than 4 MiB");
  if (::geteuid() != 0) {
    ::chmod((folder / "text").c_str(), 0);
    EXPECT_EQ(fault("text"), "USER.CONFIG.INVALID text cannot be read: Permission denied");
  }
}

TEST(JsonDocument, NamesPlaces) {
  const auto document = JsonDocument::Parse("{\"a\": [\n{\"b\": 1}, null]}", "f.json");
  ASSERT_TRUE(document);
  EXPECT_EQ(Told(document->Fault({"a", "0", "b"}, "no", "so")), "2:2 a[0].b: no (so)");
  EXPECT_EQ(Told(document->WrongKind({"a", "0", "b"}, "a string")),
            "2:2 a[0].b: a[0].b must be a string, but is a number");
  EXPECT_EQ(Told(document->WrongKind({"a", "1"}, "a map")), "2:11 a[1]: a[1] must be a map, but is null");
  EXPECT_EQ(Told(document->WrongKind({"a", "0", "c"}, "a map")), "2:1 a[0].c: a[0].c is missing");
  EXPECT_EQ(Told(document->WrongKind({}, "a list")), "1:1 : the document must be a list, but is a map");
}

TEST(SortedJson, IsTheSameBytesForTheSameValue) {
  const json::value value = {
      {"b", {1, "x\n\"", nullptr}}, {"a", {{"z", json::object()}, {"y", json::array()}}}, {"c", nullptr}};
  EXPECT_EQ(SortedJson(value), R"({
  "a": {
    "y": [],
    "z": {}
  },
  "b": [
    1,
    "x\n\"",
    null
  ],
  "c": null
}
)");
  EXPECT_EQ(SortedJson(json::parse(SortedJson(value))), SortedJson(value));
}

}  // namespace
}  // namespace awf::plugin_registry
