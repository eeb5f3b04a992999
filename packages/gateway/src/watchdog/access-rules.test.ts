import assert from "node:assert/strict";
import { test } from "node:test";
import type { LocalCaller } from "@backplane/kit/http";
import { judge, type Verdict } from "./access-rules.ts";

const TOKEN = "tok_watchdog_0123456789abcdef0123456789abcdef";
const HERE: LocalCaller = {
  method: "GET",
  peer: "127.0.0.1",
  address: "127.0.0.1",
  isForwardedByTrusted: false,
  headers: { host: "localhost:8796" },
};

type Row = [what: string, verdict: Verdict, caller: Partial<LocalCaller>];
const host = "localhost:8796";
const withToken = (token: string) => ({ host: "watchdog.example:8796", authorization: `Bearer ${token}` });

const ROWS: Row[] = [
  ["a program of this machine", "allowed", {}],
  ["a program of this machine over IPv6", "allowed", { peer: "::1", address: "::1", headers: { host: "[::1]:8796" } }],
  ["127.0.0.1 as an IPv6 socket writes it", "allowed", { peer: "::ffff:127.0.0.1", address: "::ffff:127.0.0.1" }],
  ["another machine", "token-needed", { peer: "192.0.2.7", address: "192.0.2.7" }],
  ["another machine that says Host: localhost", "token-needed", { peer: "10.0.0.7", address: "10.0.0.7" }],
  ["another machine with the token", "allowed", { peer: "192.0.2.7", address: "192.0.2.7", headers: withToken(TOKEN) }],
  [
    "another machine with another token",
    "token-wrong",
    { peer: "192.0.2.7", address: "192.0.2.7", headers: withToken(`${TOKEN}x`) },
  ],
  ["a name that somebody pointed here", "token-needed", { headers: { host: "rebound.example:8796" } }],
  ["a name that begins like an address", "token-needed", { headers: { host: "127.0.0.1.example" } }],
  ["no Host at all", "token-needed", { headers: {} }],
  ["a proxy that is not trusted", "token-needed", { headers: { host, "x-forwarded-for": "127.0.0.1" } }],
  ["a proxy that says so in another header", "token-needed", { headers: { host, forwarded: "for=192.0.2.7" } }],
  ["a proxy that only says it is one", "token-needed", { headers: { host, via: "1.1 proxy" } }],
  [
    "somebody elsewhere through a trusted proxy of this machine",
    "token-needed",
    { address: "192.0.2.7", isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "192.0.2.7" } },
  ],
  [
    "this machine through a trusted proxy of this machine",
    "allowed",
    { isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "127.0.0.1" } },
  ],
  [
    "the loopback of another machine, through a trusted proxy there",
    "token-needed",
    { peer: "10.0.0.5", isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "127.0.0.1" } },
  ],
  [
    "a trusted proxy of this machine that was asked by a public name",
    "token-needed",
    {
      isForwardedByTrusted: true,
      headers: { host, "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "watchdog.example" },
    },
  ],
  ["its own page", "allowed", { method: "POST", headers: { host, origin: "http://localhost:8796" } }],
  [
    "its own page, as browsers also say it",
    "allowed",
    { method: "POST", headers: { host, origin: "http://localhost:8796", "sec-fetch-site": "same-origin" } },
  ],
  ["a person who sends a form again", "allowed", { method: "POST", headers: { host, "sec-fetch-site": "none" } }],
  ["a page of another site", "foreign-page", { method: "POST", headers: { host, origin: "https://other.example" } }],
  ["a page on another port", "foreign-page", { method: "POST", headers: { host, origin: "http://localhost:3000" } }],
  [
    "its own page by another name",
    "foreign-page",
    { method: "POST", headers: { host, origin: "http://127.0.0.1:8796" } },
  ],
  ["a page without an origin", "foreign-page", { method: "POST", headers: { host, origin: "null" } }],
  ["a cross-site request", "foreign-page", { method: "POST", headers: { host, "sec-fetch-site": "cross-site" } }],
  ["a same-site request", "foreign-page", { method: "POST", headers: { host, "sec-fetch-site": "same-site" } }],
  ["another site with another method", "foreign-page", { method: "PUT", headers: { host, origin: "null" } }],
  ["a link on another site", "allowed", { headers: { host, "sec-fetch-site": "cross-site" } }],
  ["a token that is not needed and is wrong", "allowed", { headers: { host, authorization: "Bearer x" } }],
  ["another scheme", "token-needed", { headers: { host: "a.example", authorization: `Basic ${TOKEN}` } }],
];

for (const [what, verdict, caller] of ROWS) {
  test(`${what}: ${verdict}`, () => assert.equal(judge({ ...HERE, ...caller }, TOKEN), verdict));
}
