import assert from "node:assert/strict";
import { test } from "node:test";
import { provesChallenge } from "./verifier.ts";

test("the verifier of RFC 7636, appendix B, proves its challenge", () => {
  const [verifier, challenge] = [
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  ];
  assert.ok(provesChallenge(verifier, challenge));
  for (const wrong of ["", challenge, verifier.toLowerCase(), `${verifier}=`, "x".repeat(200)]) {
    assert.ok(!provesChallenge(wrong, challenge), wrong);
  }
});
