import assert from "node:assert/strict";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { test } from "node:test";
import { createPlainCallerCheck } from "./plain-caller.ts";

const TOKEN = "tok_viewer_cAnArY0123456789cAnArY0123456789";
const isPlain = createPlainCallerCheck("https://viewer.example", TOKEN);

function judge(headers: IncomingHttpHeaders, remoteAddress: string | undefined = "127.0.0.1"): boolean {
  const request = { method: "POST", socket: { remoteAddress }, headers: { host: "localhost:8770", ...headers } };
  return isPlain(request as unknown as IncomingMessage);
}

test("a program on this machine that uses a local name is a plain caller", () => {
  for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8770", "[::1]:8770"]) assert.ok(judge({ host }), host);
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) assert.ok(judge({}, address), address);
});

test("any other request is left to the guard", () => {
  const unusual: IncomingHttpHeaders[] = [
    { host: "evil.example" },
    { host: "localhost.evil.example" },
    { host: "viewer.example" },
    { host: "a.localhost:8770" },
    { host: "" },
    { host: undefined },
    { origin: "http://localhost:8770" },
    { origin: "null" },
    { "sec-fetch-site": "same-origin" },
    { authorization: `Bearer ${TOKEN}` },
    { authorization: "Bearer wrong" },
    { "content-encoding": "gzip" },
    { forwarded: "for=10.0.0.5" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-host": "localhost" },
    { "x-real-ip": "127.0.0.1" },
    { via: "1.1 proxy" },
  ];
  for (const headers of unusual) assert.equal(judge(headers), false, JSON.stringify(headers));
  for (const address of ["10.0.0.5", "192.168.0.2", "::ffff:10.0.0.5", "fe80::1", ""]) {
    assert.equal(judge({}, address), false, address);
  }
});
