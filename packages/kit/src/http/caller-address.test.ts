import assert from "node:assert/strict";
import { test } from "node:test";
import { callerKey, isThisMachine, plainAddress } from "./caller-address.ts";

test("an IPv4 caller is its address, also when it comes as IPv6", () => {
  for (const ip of [
    "203.0.113.7",
    "::ffff:203.0.113.7",
    "::FFFF:203.0.113.7",
    "::ffff:cb00:7107",
    "0:0:0:0:0:ffff:cb00:7107",
  ]) {
    assert.equal(callerKey(ip), "203.0.113.7", ip);
  }
  assert.notEqual(callerKey("203.0.113.7"), callerKey("203.0.113.8"));
});

test("an IPv6 caller is its /64, however it is written", () => {
  const same = [
    "2001:db8:1:2::1",
    "2001:DB8:1:2:ffff:ffff:ffff:ffff",
    "2001:0db8:0001:0002:0:0:0:9",
    "2001:db8:1:2::1%eth0",
  ];
  for (const ip of same) assert.equal(callerKey(ip), "2001:db8:1:2::/64", ip);
  assert.equal(callerKey("::1"), "0:0:0:0::/64");
  assert.equal(callerKey("fe80::"), "fe80:0:0:0::/64");
  assert.notEqual(callerKey("2001:db8:1:3::1"), callerKey("2001:db8:1:2::1"));
  assert.equal(callerKey("64:ff9b::203.0.113.7"), "64:ff9b:0:0::/64");
});

test("the key of a key is the same key, so that stored keys compare equal", () => {
  for (const ip of ["203.0.113.7", "2001:db8:1:2::1"]) assert.equal(callerKey(callerKey(ip)), callerKey(ip));
});

test("a text that is not an address is its own key, cut to the length of an address", () => {
  assert.equal(callerKey("unknown"), "unknown");
  assert.equal(callerKey(`a:${"b".repeat(500)}`).length, 64);
  assert.equal(callerKey("x".repeat(500)).length, 64);
});

test("connections that closed before their address was read count as one caller", () => {
  for (const ip of ["", undefined, "%eth0:"])
    assert.deepEqual([callerKey(ip), plainAddress(ip)], ["unknown", "unknown"]);
});

test("a port that a proxy adds does not make another caller", () => {
  for (const ip of ["203.0.113.7:443", "[::ffff:203.0.113.7]:80"]) assert.equal(callerKey(ip), "203.0.113.7");
  for (const ip of ["[2001:db8:1:2::1]:443", "[2001:db8:1:2::1]"]) assert.equal(callerKey(ip), "2001:db8:1:2::/64");
});

test("this machine is recognised by both of its loopback addresses", () => {
  for (const ip of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) assert.ok(isThisMachine(callerKey(ip)), ip);
  for (const ip of ["203.0.113.7", "2001:db8::1", "128.0.0.1", ""]) assert.ok(!isThisMachine(callerKey(ip)), ip);
});

test("an address is always shown in the same way", () => {
  assert.equal(plainAddress("::ffff:203.0.113.7"), "203.0.113.7");
  assert.equal(plainAddress("FE80::1%eth0"), "fe80::1");
  assert.equal(plainAddress("203.0.113.7"), "203.0.113.7");
});
