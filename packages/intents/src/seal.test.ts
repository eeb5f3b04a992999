import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "@backplane/kit/secrets";
import { sealToken, unsealToken } from "./seal.ts";

test("what is sealed opens with the intent's token and with no other", () => {
  const [intent, session] = [newSecret("int_"), newSecret("tok_")];
  const sealed = sealToken(intent, session);
  assert.equal(unsealToken(intent, sealed), session);
  assert.throws(() => unsealToken(newSecret("int_"), sealed));
  assert.ok(!Buffer.from(sealed, "base64url").includes(session.slice(4)));
  assert.notEqual(sealToken(intent, session), sealed, "no two look alike");
});

test("what was changed or cut does not open", () => {
  const intent = newSecret("int_");
  const bytes = Buffer.from(sealToken(intent, newSecret("tok_")), "base64url");
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => unsealToken(intent, changed.toString("base64url")));
  }
  for (const length of [0, 12, 27, bytes.length - 1]) {
    assert.throws(() => unsealToken(intent, bytes.subarray(0, length).toString("base64url")));
  }
});
