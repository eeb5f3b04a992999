import assert from "node:assert/strict";
import { test } from "node:test";
import { createKnownPending } from "./known-pending.ts";
import type { NewIntent } from "./store.ts";

const ADDRESS = "192.0.2.1";
/** RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const intent = (hash: string, code_challenge: string | null = null): NewIntent => ({
  token_hash: hash,
  confirmation_code: "",
  app_name: null,
  code_challenge,
  max_age_s: 60,
  created_at_ms: 0,
  expires_at_ms: 100,
  created_address: ADDRESS,
  created_program: null,
});

test("an intent is known until it expires or is decided", () => {
  let nowMs = 0;
  const known = createKnownPending(() => nowMs);
  known.add("a", intent("hash of a"));
  known.add("b", intent("hash of b"));
  known.forget("hash of a");
  known.forget("hash of nothing");
  assert.equal(known.find("a", ADDRESS, undefined), undefined);
  assert.equal(known.find("b", ADDRESS, undefined)?.hash, "hash of b");
  nowMs = 100;
  assert.equal(known.find("b", ADDRESS, undefined), undefined);
});

test("only the program that made the intent is answered: by its address, and its verifier if there is a challenge", () => {
  const known = createKnownPending(() => 0);
  known.add("a", intent("hash of a"));
  known.add("b", intent("hash of b", CHALLENGE));
  assert.ok(known.find("a", `::ffff:${ADDRESS}`, undefined));
  assert.equal(known.find("a", "192.0.2.2", undefined), undefined);
  assert.ok(known.find("b", ADDRESS, VERIFIER));
  for (const verifier of [undefined, "", CHALLENGE, [VERIFIER]]) {
    assert.equal(known.find("b", ADDRESS, verifier), undefined);
  }
});

test("memory is bounded, and a decided intent is forgotten however old it is", () => {
  const known = createKnownPending(() => 0, 2);
  for (const name of ["a", "b", "c", "d", "e"]) known.add(name, intent(`hash of ${name}`));
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].filter((name) => known.find(name, ADDRESS, undefined)),
    ["c", "d", "e"],
  );
  known.forget("hash of c");
  assert.equal(known.find("c", ADDRESS, undefined), undefined);
});
