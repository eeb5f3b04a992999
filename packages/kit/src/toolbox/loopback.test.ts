import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopbackUrl } from "./loopback.ts";

test("localhost, names below it and 127.0.0.0/8 lead to the machine that opens them; others do not", () => {
  for (const host of ["localhost:8790", "s-a.localhost", "LOCALHOST", "127.0.0.1:1", "127.1", "[::1]:8790"]) {
    assert.equal(isLoopbackUrl(`http://${host}/auth/join`), true, host);
  }
  for (const host of [
    "backplane.example",
    "localhost.example",
    "notlocalhost",
    "127.0.0.1.example",
    "192.168.1.7",
    "[2001:db8::1]",
  ]) {
    assert.equal(isLoopbackUrl(`http://${host}/?at=localhost`), false, host);
  }
});
