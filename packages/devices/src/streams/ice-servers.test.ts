import assert from "node:assert/strict";
import { test } from "node:test";
import { createIceLinks } from "./ice-servers.ts";

test("a TURN server is named with a password that ends in an hour; a STUN server needs none", () => {
  const urls = ["stun:turn.example.org", "turn:turn.example.org:3478?transport=tcp"];
  const [stun, turn] = createIceLinks({ urls, secret: "north" }, () => 1_700_000_000_500)("viewer-1");
  assert.equal(stun, '<stun:turn.example.org>; rel="ice-server"');
  assert.equal(
    turn,
    '<turn:turn.example.org:3478?transport=tcp>; rel="ice-server"; username="1700003600:viewer-1"; ' +
      'credential="eUehHG6wiJPWe178qz8VxKe8mbw="; credential-type="password"',
  );
  assert.deepEqual(createIceLinks({ urls: [], secret: undefined }, () => 0)("viewer-1"), []);
});
