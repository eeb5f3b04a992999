import assert from "node:assert/strict";
import { test } from "node:test";
import { prefersHtml, programOf } from "./caller-program.ts";

const MOZILLA = "Mozilla/5.0";

for (const [agent, program] of [
  [
    `${MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36`,
    "Chromium on Linux",
  ],
  [
    `${MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0 Safari/537.36`,
    "Chromium on Linux",
  ],
  [`${MOZILLA} (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0`, "Firefox on Windows"],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0`,
    "Edge on Windows",
  ],
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15`,
    "Safari on macOS",
  ],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605 Version/18.1 Mobile/15E148 Safari/604.1`,
    "Safari on iOS",
  ],
  [`${MOZILLA} (Linux; Android 15) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36`, "Chromium on Android"],
  [`${MOZILLA} (compatible; something)`, null],
  ["node", "Node"],
  ["backplane/0.1.0 (linux; node 24)", "Linux, Node 24"],
  ["backplane-sdk/0.1.0 (linux; node 24.21)", "Linux, Node 24"],
  ["backplane/0.1.0 (darwin; bun 1.3.0)", "macOS, Bun 1"],
  ["backplane/0.1.0 (win32; node v22.1.0)", "Windows, Node 22"],
  ["backplane-python/0.1.0 (linux; python 3)", "Linux, Python 3"],
  ["curl/8.14.1", "curl 8"],
  ["python-requests/2.32.4", "python-requests 2"],
  ["Bun/1.3", "Bun 1"],
  ["constructor", "constructor"],
  [undefined, null],
  ["", null],
  ["   ", null],
  ["<script>alert(1)</script>", null],
  ["\u202eevil", null],
  ["пример/1", null],
] as const) {
  test(`${JSON.stringify(agent)} is ${program}`, () => {
    assert.equal(programOf(agent), program);
  });
}

test("a long User-Agent becomes a short line", () => {
  assert.equal(programOf("x".repeat(10_000))?.length, 60);
});

for (const [accept, expected] of [
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["text/html;q=0.5, application/json", false],
  ["application/json;q=0.5, TEXT/HTML", true],
  ["text/html;q=0", false],
  ["text/html;q=x", false],
] as const) {
  test(`Accept: ${accept} asks for ${expected ? "a page" : "data"}`, () => assert.equal(prefersHtml(accept), expected));
}
