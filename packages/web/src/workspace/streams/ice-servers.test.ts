import assert from "node:assert/strict";
import { test } from "node:test";
import { iceServersOf } from "./ice-servers.ts";

test("servers for the way are read from the header Link; other links are not", () => {
  const link =
    '<stun:turn.example.org>; rel="ice-server", </docs>; rel="help", ' +
    '<turn:turn.example.org:3478?transport=tcp>; rel="ice-server"; username="17:viewer"; credential="a+b/c="; credential-type="password"';
  assert.deepEqual(iceServersOf(link), [
    { urls: "stun:turn.example.org" },
    { urls: "turn:turn.example.org:3478?transport=tcp", username: "17:viewer", credential: "a+b/c=" },
  ]);
  for (const none of [null, "", "<https://example.org>; rel=next", "<turn:x>; rel=other"])
    assert.deepEqual(iceServersOf(none), []);
});
