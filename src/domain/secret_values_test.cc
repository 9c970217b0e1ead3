// Values in the encodings that programs give them.
#include <gtest/gtest.h>

#include "domain/masker.h"

namespace awf {
namespace {

struct Row {
  const char* text;
  const char* masked;
};

void ExpectMasked(const char* secret, std::initializer_list<Row> rows) {
  Masker masker;
  masker.AddSecret(secret);
  for (const Row& row : rows) EXPECT_EQ(masker.MaskText(row.text), row.masked) << row.text;
}

TEST(SecretValues, AreFoundInBase64OfEveryAlignmentAndAlphabet) {
  ExpectMasked("p@ss'w\"rd?>~", {{"cEBzcyd3InJkPz5+", "***"},
                                 {"eHBAc3MndyJyZD8+fg==", "eH***g=="},
                                 {"eHlwQHNzJ3cicmQ/Pn4=", "eHl***4="},
                                 {"eHlwQHNzJ3cicmQ_Pn4=", "eHl***4="}});
}

TEST(SecretValues, AreFoundWhereBase64IsWrapped) {
  const std::string line(75, 'x'), digits = "cEBzcyd3InJkPz5+";
  Masker masker;
  masker.AddSecret("p@ss'w\"rd?>~");
  EXPECT_EQ(masker.MaskText(line + "c\nEBzcyd3InJkPz5+ y"), line + "*** y");
  EXPECT_EQ(masker.MaskText(line + "cEB\r\nzcyd3InJkPz5+ y"), line + "*** y");
  EXPECT_EQ(masker.MaskText("c\nEBzcyd3InJkPz5+ y"), "c\nEBzcyd3InJkPz5+ y");
}

TEST(SecretValues, AreFoundPercentEncoded) {
  ExpectMasked("p@ss w\"rd?>~+", {{"x=p%40ss%20w%22rd%3F%3E~%2B&", "x=***&"},
                                  {"x=p%40ss%20w%22rd%3f%3e%7e%2b&", "x=***&"},
                                  {"x=p%40ss+w%22rd%3F%3E~%2B&", "x=***&"},
                                  {"x=p@ss%20w\"rd?%3E~+&", "x=***&"},  // with less escaped, as in a path
                                  {"x=p%40ss%2w", "x=p%40ss%2w"}});
  ExpectMasked("100%sure+of it", {{"q=100%25sure%2Bof%20it", "q=***"}, {"q=100%25sure%2bof+it", "q=***"}});
}

TEST(SecretValues, AreFoundEscapedForJson) {
  ExpectMasked("a/b\"c\\d\te\xc3\xa9\xf0\x9f\x94\x91<",
               {{R"({"k":"a/b\"c\\d\teé🔑<"})", R"({"k":"***"})"},
                {R"({"k":"a\/b\"c\\d\te\u00e9\ud83d\udd11\u003c"})", R"({"k":"***"})"},
                {R"({"k":"a/b\u0022c\u005Cd\u0009e\u00E9\uD83D\uDD11<"})", R"({"k":"***"})"}});
  ExpectMasked("\xc3\xa9secret", {{R"("\u00e9secret")", "\"***\""}});
}

TEST(SecretValues, AreFoundQuotedForShells) {
  ExpectMasked("it's $a `b` \"c\" \\ \n\xc3\xa9.", {{R"('it'\''s $a `b` "c" \ )"
                                                     "\n\xc3\xa9.'",
                                                     "'***'"},
                                                    {R"('it'"'"'s $a `b` "c" \ )"
                                                     "\n\xc3\xa9.'",
                                                     "'***'"},
                                                    {R"("it's \$a \`b\` \"c\" \\ )"
                                                     "\n\xc3\xa9.\"",
                                                     "\"***\""},
                                                    {R"(it\'s\ \$a\ \`b\`\ \"c\"\ \\\ \
)"
                                                     "\xc3\xa9.",
                                                     "***"},
                                                    {R"($'it\'s $a `b` "c" \\ \n\303\251.')", "$'***'"},
                                                    {R"($'it\x27s $a `b` "c" \\ \n\xc3\xa9.')", "$'***'"}});
}

TEST(SecretValues, AreFoundLineByLine) {
  ExpectMasked("-----FIRST-----\n0123456789abcdef01\nshort\n", {{"x 0123456789abcdef01 y short", "x *** y short"},
                                                                {"-----FIRST-----\n0123456789abcdef01\nshort", "***"}});
}

TEST(SecretValues, AreFoundAfterTheRepairOfTheirBytes) {
  ExpectMasked("pass\xffword1", {{"pass\xef\xbf\xbdword1", "***"}, {"pass\xffword1", "***"}});
}

}  // namespace
}  // namespace awf
