import assert from "node:assert/strict";
import { test } from "node:test";
import { hostNameOf, isLoopbackAddress, isLoopbackHost } from "./loopback.ts";

test("loopback is 127.0.0.0/8 and ::1, and no other address", () => {
  for (const address of ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"])
    assert.ok(isLoopbackAddress(address), address);
  for (const address of [
    "0.0.0.0",
    "128.0.0.1",
    "10.0.0.1",
    "::",
    "::2",
    "fe80::1",
    "::ffff:10.0.0.1",
    "localhost",
    "",
  ])
    assert.ok(!isLoopbackAddress(address), address);
});

test("a loopback host is localhost, what ends in it, or a loopback address, with or without a port", () => {
  for (const name of [
    "localhost",
    "LOCALHOST:1",
    "localhost.",
    "a.b.localhost:65535",
    "127.0.0.2:80",
    "[::1]",
    "[::1]:8796",
  ])
    assert.ok(isLoopbackHost(name), name);
  for (const name of [
    "",
    "localhost.example",
    "notlocalhost",
    "::1",
    "localhost:8796:1",
    "a@localhost",
    "localhost/",
    "127.1",
  ])
    assert.ok(!isLoopbackHost(name), name);
});

test("the host of a Host header is its name or address, without port, brackets and capitals", () => {
  for (const [header, host] of [
    ["LocalHost:8770", "localhost"],
    ["localhost.", "localhost"],
    ["[::1]:8770", "::1"],
    ["viewer.example", "viewer.example"],
    ["a b", undefined],
    ["", undefined],
  ] as const)
    assert.equal(hostNameOf(header), host, header);
});
