import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { plainText } from "./facts.ts";
import { createCallbackPages } from "./pages.ts";

const HOME = "https://backplane.example";
const MAX_PAGE_BYTES = 5_000;

const pages = createCallbackPages({ homeUrl: HOME, overHttps: false });
const headersOf = ({ headers: { list } }: { headers: { list: readonly string[] } }) =>
  new Map(list.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), list[index + 1]] as const] : [])));

const provider = "parts-catalog";
const refusal = { provider, error: "access_denied", description: "This account is not on the test-user list." };
const parameters = { state: "11111111-1111-4111-8111-111111111111", code: "form-code-4711", 'x"><b>': "'<script>&" };

const ended = {
  delivered: pages.delivered({ provider, atMs: Date.UTC(2026, 2, 4, 14, 31, 9, 250), tookMs: 38.4 }).text,
  declined: pages.declined(refusal),
  refused: pages.refused({ provider, error: "temporarily_unavailable" }),
  unknown: pages.unknown(),
  used: pages.used(),
  expired: pages.expired(),
  malformed: pages.malformed({ faults: [{ pointer: "/state", message: "is missing" }] }),
  wrongProvider: pages.wrongProvider({ provider }),
  unconfirmed: pages.unconfirmed({ provider }),
};
const asking = {
  waiting: pages.waiting(),
  "waiting, of a form": pages.waiting({ parameters }),
  notReady: pages.notReady(),
  "notReady, of a form": pages.notReady({ parameters }),
};
const all = { ...ended, ...asking };

const inlined = (page: string, element: "style" | "script") =>
  [...page.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, "g"))].map(([, content = ""]) => content);
const hash = (content: string) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
/** What a person reads before any script runs. */
const textOf = (page: string) =>
  page
    .replace(/<(template|script|style|title)[^>]*>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("&#39;", "'")
    .trim();

for (const [name, page] of Object.entries(all)) {
  test(`${name}: the policy allows exactly the page's own styles and scripts`, () => {
    const policy = headersOf(pages).get("content-security-policy") ?? "";
    const directive = (of: string) => new RegExp(`${of}-src ([^;]*)`).exec(policy)?.[1]?.split(" ") ?? [];
    const [styles, scripts] = [inlined(page, "style"), inlined(page, "script")];
    assert.equal(styles.length, 1);
    for (const style of styles) assert.ok(directive("style").includes(hash(style)));
    for (const script of scripts) assert.ok(directive("script").includes(hash(script)));
    assert.doesNotMatch(page, / style=| on[a-z]+=|javascript:/);
  });

  test(`${name}: the page contains no address but the overview's`, () => {
    const addresses = [...page.matchAll(/(?:https?:)?\/\/[^\s"'<>]+|(?:src|href|action)="([^"]*)"/g)].map(
      ([whole]) => whole,
    );
    assert.deepEqual(new Set(addresses), new Set(['href="data:,"', `href="${HOME}"`]));
  });

  test(`${name}: the code is removed from the address`, () => {
    assert.match(inlined(page, "script").at(-1) ?? "", /^history\.replaceState\(/);
  });
}

for (const [name, page] of Object.entries(ended)) {
  test(`${name}: the page is smaller than ${MAX_PAGE_BYTES} bytes and needs no second request`, () => {
    assert.ok(Buffer.byteLength(page) < MAX_PAGE_BYTES, `${Buffer.byteLength(page)}`);
    assert.doesNotMatch(page, /fetch\(|<template/);
  });
}

test("each outcome says what happened and what to do next", () => {
  const said: Record<keyof typeof ended, string> = {
    delivered:
      "Code delivered The application has the code and continues by itself. You can close this window. Provider parts-catalog Delivered 14:31:09 UTC , in 38 ms",
    declined:
      "The provider declined The application has been informed and got no code. You can close this window. Provider parts-catalog Answer access_denied Message This account is not on the test-user list. While the provider's app is in testing, its owner must add your account to the test users. Then start again from the application.",
    refused:
      "The provider refused The application has been informed and got no code. You can close this window. Provider parts-catalog Answer temporarily_unavailable Start again from the application in a minute. If it happens again, show this message to the application's owner.",
    unknown:
      "No application is waiting No application came back within 30 seconds. The code was not delivered and has been discarded. Check that the application is running and can reach the gateway, then sign in again from the application.",
    used: "Already delivered This address works only once, and the application already has its code. You can close this window. If the application is still waiting, sign in again from the application. It will use a new address.",
    expired:
      "The sign-in took too long Applications wait 10 minutes for a sign-in. That time is over, and nothing was delivered. Sign in again from the application.",
    malformed:
      "This address is incomplete Parameters that the provider should have sent are missing or invalid. Nothing was delivered. Fault state is missing If the application has already continued, close this window. If it is still waiting, sign in again from the application.",
    wrongProvider:
      "Wrong provider The answer came to the address of a different provider. Nothing was delivered. Expected provider parts-catalog Sign in again from the application. If you end up here again, the application's owner must correct the redirect URI.",
    unconfirmed:
      "Sent, not confirmed The answer was sent to the application, which did not confirm it within 5 seconds. Provider parts-catalog Check the application. If it is still waiting, sign in again from the application.",
  };
  const foot = "Only the code passes through the gateway, once. Passwords and tokens never do.";
  for (const name of Object.keys(said) as (keyof typeof ended)[]) {
    assert.equal(textOf(ended[name]), `Backplane gateway ${said[name]} ${foot}`);
    const heading = /<h1>([^<]*)<\/h1>/.exec(ended[name])?.[1];
    assert.ok(ended[name].includes(`<title>${heading} &middot; Backplane</title>`));
  }
});

test("times are in UTC without JavaScript, and machine-readable for the script", () => {
  assert.ok(ended.delivered.includes('<time datetime="2026-03-04T14:31:09Z">14:31:09 UTC</time>, in 38 ms'));
  const tookMs = (ms: number) =>
    /<\/time>, in ([^<]*)/.exec(pages.delivered({ provider, atMs: 0, tookMs: ms }).text)?.[1];
  assert.deepEqual([0, 0.4, 1, 999, 5_000].map(tookMs), ["under 1 ms", "under 1 ms", "1 ms", "999 ms", "5.0 s"]);
});

test("text from others is escaped, and cannot change the direction of the text around it", () => {
  const hostile = '</dd><script>alert(1)</script>\u202e"evil\u0000\u0085';
  const shown = "&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;evil";
  for (const page of [
    pages.delivered({ provider: hostile, atMs: 0, tookMs: 1 }).text,
    pages.declined({ provider: hostile, error: hostile, description: hostile }),
    pages.refused({ provider: hostile, error: hostile, description: hostile }),
    pages.malformed({ faults: [{ pointer: `/${hostile}`, message: hostile }] }),
    pages.wrongProvider({ provider: hostile }),
    pages.unconfirmed({ provider: hostile }),
  ]) {
    assert.ok(page.includes(shown));
    assert.equal(inlined(page, "script").length, 1);
    assert.doesNotMatch(page, /[\u202e\0\u0085]/);
  }
  const long = pages.declined({
    provider: "p".repeat(1_000),
    error: "e".repeat(1_000),
    description: "d".repeat(8_000),
  });
  assert.match(long, /<dd>p{99}…<\/dd>/);
  assert.match(long, /<dd>d{499}…<\/dd>/);
  assert.ok(Buffer.byteLength(long) < MAX_PAGE_BYTES + 1_000);
});

test("parameters from the address are not in the page; those from a form are, once, for the browser only", () => {
  const page = asking.waiting;
  assert.doesNotMatch(page, /<form|<input/);
  assert.match(textOf(page), /Reload this page to try again\./);
  const form = asking["waiting, of a form"];
  assert.equal(form.split(parameters.code).length, 2);
  assert.ok(form.includes(`<input type="hidden" name="code" value="${parameters.code}">`));
  assert.ok(form.includes('<input type="hidden" name="x&quot;&gt;&lt;b&gt;" value="&#39;&lt;script&gt;&amp;">'));
  assert.match(form, /<form class="card-body" method="post">/);
  assert.match(textOf(form), /Try again/);
});

test("a page that asks again contains every card that it may need when the gateway is gone", () => {
  const ids = [...asking.waiting.matchAll(/<template id="(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(new Set(ids), new Set(["asking", ...Object.keys(ended), "unreachable"]));
});

test("the headers keep the page out of caches, frames and referrers, and let a popup keep its opener", () => {
  const headers = headersOf(pages);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("x-frame-options"), "DENY");
  assert.equal(headers.has("cross-origin-opener-policy"), false);
  assert.equal(headers.has("strict-transport-security"), false);
  const policy = headers.get("content-security-policy") ?? "";
  for (const directive of [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]) {
    assert.ok(policy.split("; ").includes(directive), directive);
  }
  assert.doesNotMatch(policy, /unsafe/);
  const secure = headersOf(createCallbackPages({ homeUrl: HOME, overHttps: true }));
  assert.match(secure.get("strict-transport-security") ?? "", /^max-age=/);
});

test("readable text stays unchanged, in any script", () => {
  for (const text of ["parts-catalog", "Größe 10 µm", "שלום", "مرحبا", "部品", "👩‍🔧 <b>&amp;"]) {
    assert.equal(plainText(text, 100), text);
  }
});

test("characters that change the direction of text are removed", () => {
  const turning = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
  for (const code of turning) assert.equal(plainText(`a${String.fromCodePoint(code)}b`, 100), "ab", code.toString(16));
});

test("control characters and line breaks become one space", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e);
  for (const code of [...controls, 0x2028, 0x2029]) {
    assert.equal(plainText(`a${String.fromCodePoint(code, code)}b`, 100), "a b", code.toString(16));
  }
  assert.equal(plainText("\0\r\n", 100), "");
});

test("text that is too long ends in an ellipsis, without cutting a character in half", () => {
  assert.equal(plainText("a".repeat(100), 100), "a".repeat(100));
  assert.equal(plainText("a".repeat(101), 100), `${"a".repeat(99)}…`);
  assert.equal(plainText("😀".repeat(5), 4), "😀😀😀…");
});
