// What is masked by its shape, and what only looks a little like it.
#include <gtest/gtest.h>

#include "domain/masker.h"

namespace awf {
namespace {

struct Row {
  const char* text;
  const char* masked;
};

void ExpectMasked(std::initializer_list<Row> rows) {
  const Masker masker;
  for (const Row& row : rows) EXPECT_EQ(masker.MaskText(row.text), row.masked) << row.text;
}

void ExpectUntouched(std::initializer_list<const char*> texts) {
  const Masker masker;
  for (const char* text : texts) EXPECT_EQ(masker.MaskText(text), text);
}

TEST(SecretShapes, PrivateKeysAsAWhole) {
  ExpectMasked({{"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nb", "a\n***\nb"},
                {"-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----.", "***."},
                {R"("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n")", R"("***\n")"},
                {"-----BEGIN OPENSSH PRIVATE KEY-----\nnever ended\n", "***"},
                {"-----BEGIN PRIVATE KEY-----a-----BEGIN PRIVATE KEY-----b-----END PRIVATE KEY-----c", "***c"}});
  ExpectUntouched({"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----\nx",
                   "----- BEGIN PRIVATE KEY", "-----\n-----\n", "the PRIVATE KEY file", "-----BEGIN private KEY-----"});
}

TEST(SecretShapes, PrivateKeysWhoseBeginningIsMissing) {
  ExpectMasked(
      {{"two words\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nab==\n-----END PRIVATE KEY-----\nb",
        "two words\n***-----END PRIVATE KEY-----\nb"},
       {"hkiG\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END EC PRIVATE KEY-----", "***-----END EC PRIVATE KEY-----"}});
  ExpectUntouched({"done\n-----END CERTIFICATE-----", "-----END PRIVATE KEY-----"});
}

TEST(SecretShapes, BearerTokens) {
  ExpectMasked({{"Authorization: Bearer abc.def-123/x+y== next", "Authorization: Bearer *** next"},
                {"bearer  0123456789abcdef", "bearer  ***"},
                {"\"BEARER abcdefghijklmnopqrstuvwx\"", "\"BEARER ***\""}});
  ExpectUntouched({"Bearer of bad news", "Bearer authentication required", "Bearer token-based-authentication-schemes",
                   "Bearer realm=\"x\"", "forbearer abcdef0123", "Bearer {{ inputs.token }}", "Bearer $TOKEN12345",
                   "Bearer", "Bearer ", "Bearer: abcdefgh1234"});
}

TEST(SecretShapes, PasswordsOfUrls) {
  ExpectMasked(
      {{"https://me:pw@host/x", "https://me:***@host/x"},
       {"redis://:pw@host:6379", "redis://:***@host:6379"},
       {"git clone https://x-access-token:p%40w@h:80/r.git", "git clone https://x-access-token:***@h:80/r.git"},
       {"postgres://u:p@ss:w@db,db2/x", "postgres://u:***@db,db2/x"},
       {"postgres://u:***@db", "postgres://u:***@db"}});
  ExpectUntouched({"http://localhost:8080/a@b", "http://host:8080", "https://host/a:b@c", "ssh://git@host:22/x@1",
                   "mail me:you@host", "https://u:@host", "key: value@x", "http://[::1]:80/@", "https://u:a b@c"});
}

TEST(SecretShapes, KeysOfServices) {
  ExpectMasked({{"key=sk-proj-0123456789abcdefGHIJ_x.", "key=***."},
                {"sk-abcdefghijklmnopqrstuvwxyz", "***"},
                {"ghp_0123456789abcdefghij0123456789abcdef", "***"},
                {"(gho_0123456789abcdefghij) ghs_0123456789abcdefghij", "(***) ***"},
                {"github_pat_11ABCDEFG0abcdefghij_0123456789", "***"},
                {"xoxb-123456789012-abcdefABCDEF", "***"},
                {"AKIAIOSFODNN7EXAMPLE:", "***:"},
                {"glpat-0123456789abcdefghij", "***"},
                {"AIzaSyA-0123456789abcdefghijABCDEFGHIJ", "***"},
                {R"("x\nghp_0123456789abcdefghij")", R"("x\n***")"},
                {"k%3Dghp_0123456789abcdefghij", "k%3D***"}});
  ExpectUntouched({"sk-learn", "task-0123456789abcdef0123", "sk-learn-contrib-and-many-words", "risk-0123456789abcdef",
                   "kiosk-0123456789abcdef0123", "ghp_short", "a_ghp", "xoxo-hugs", "xox-", "AKIA", "AKIAshort",
                   "MAKIA0123456789ABCDEFGH", "github_pat_", "0ghp_0123456789abcdefghij"});
}

TEST(SecretShapes, WebTokens) {
  ExpectMasked({{"t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_DEF;", "t=***;"},
                {"jwt_eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.", "jwt_***"}});
  ExpectUntouched(
      {"eyJhbGciOiJIUzI1NiJ9", "eyJhIjoxfQ==", "eyJ.abcdefghi", "theyJustDid.something", "eyJhbGciOiJI.short"});
}

}  // namespace
}  // namespace awf
