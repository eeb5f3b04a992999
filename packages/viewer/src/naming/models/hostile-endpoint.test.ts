import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { endlessAnswer } from "../../../../../scripts/testing/endless-answer.ts";
import { askModel, ModelFault } from "./ask-model.ts";
import { completion, endpoint } from "./endpoint.suite.ts";

const KEY = "sk-test-very-secret-key";
const PICTURE = Buffer.from("a picture");
const MEGABYTE = 1_048_576;

async function faultOf(url: string, timeoutMs: number): Promise<ModelFault> {
  const namer = { url: `${url}/v1`, model: "vision-1", key: KEY };
  const signal = new AbortController().signal;
  const fault = await askModel(namer, PICTURE, { fetch, signal, timeoutMs }).then(
    (name) => assert.fail(`it became the name ${name}`),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof ModelFault, String(fault));
  assert.doesNotMatch(fault.message, new RegExp(KEY));
  return fault;
}

/** Long enough for everything that ends by its size on a busy machine. */
const PATIENT_MS = 60_000;

test("an answer that never ends is cut off at its limit, and the connection is closed", async () => {
  for (const start of ['{"choices":[', "", '{"choices":[{"message":{"content":"']) {
    const endless = endlessAnswer();
    await using model = await endpoint((response) => {
      response.write(start);
      endless.write(response);
    });
    assert.match((await faultOf(model.url, PATIENT_MS)).message, /larger than/);
    assert.ok(await endless.wasCutOff());
  }
});

test("an error with a body that never ends is not read either", async () => {
  const endless = endlessAnswer();
  await using model = await endpoint((response) => endless.write(response.writeHead(500)));
  assert.match((await faultOf(model.url, PATIENT_MS)).message, /It failed \(500\)/);
  assert.ok(await endless.wasCutOff());
});

test("a small answer that unpacks to a huge one is cut off at its unpacked size", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MEGABYTE, 0x20));
  await using model = await endpoint((response) => response.setHeader("content-encoding", "gzip").end(bomb));
  assert.match((await faultOf(model.url, PATIENT_MS)).message, /larger than/);
  await using nested = await endpoint((response) =>
    response.setHeader("content-encoding", Array(50).fill("gzip").join(", ")).end(bomb),
  );
  await faultOf(nested.url, PATIENT_MS);
});

const SLOW: [what: string, answer: (response: ServerResponse) => (() => void) | undefined][] = [
  ["a byte now and then", (response) => () => void response.write(" ")],
  ["early hints for ever", (response) => () => response.writeEarlyHints({ link: "</a>; rel=preload" })],
  ["headers, then nothing", (response) => void response.flushHeaders()],
];
for (const [what, answer] of SLOW) {
  test(`${what}: the time limit is for the whole answer`, async () => {
    const timers: NodeJS.Timeout[] = [];
    await using model = await endpoint((response) => {
      const again = answer(response);
      if (again) timers.push(setInterval(() => response.destroyed || again(), 5));
    });
    assert.match((await faultOf(model.url, 300)).message, /did not answer within 0.3 s/);
    for (const timer of timers) clearInterval(timer);
  });
}

test("a redirect is never followed, wherever it leads: neither the key nor the picture goes there", async () => {
  await using inside = await endpoint((response) => response.end(completion("rover-battery-alert")));
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [
      `${inside.url}/latest/meta-data`,
      "http://169.254.169.254/",
      "file:///etc/passwd",
      "//[::1]/",
    ]) {
      await using model = await endpoint((response) =>
        response.writeHead(status, { location, refresh: `0;url=${location}` }).end(),
      );
      assert.match((await faultOf(model.url, PATIENT_MS)).message, new RegExp(`It redirects \\(${status}\\)`));
    }
  }
  assert.deepEqual(inside.asked, []);
});

const NOT_NAMES = [
  "../../../../etc/passwd",
  "..\\..\\windows\\system32",
  "/etc/passwd",
  "login\u0000form.png",
  "login-form\u202egnp.exe",
  "<img src=x onerror=alert(1)>",
  "login form <script>alert(1)</script>",
  "$(touch pwned) login form",
  "login form; rm -rf .",
  "\u001b]0;pwned\u0007 login form",
];

test("HTML, paths, commands and control characters do not become a name", async () => {
  for (const words of NOT_NAMES) {
    await using model = await endpoint((response) => response.end(completion(words)));
    assert.match((await faultOf(model.url, PATIENT_MS)).message, /not a usable name/, words);
  }
});

const NOT_ANSWERS = [
  ["a page", "<!doctype html><title>Sign in</title>", /not JSON/],
  ["deep nesting", "[".repeat(30_000), /not JSON/],
  ["deep nesting that is JSON", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, /no text/],
  ["a text that is an object", '{"choices":[{"message":{"content":{"toString":"x"}}}]}', /no text/],
  ["properties of every object", '{"__proto__":{"choices":[{"message":{"content":"rover-battery"}}]}}', /no text/],
] as const;

test("what is not an answer of a model is a fault, whatever it is", async () => {
  for (const [what, body, says] of NOT_ANSWERS) {
    await using model = await endpoint((response) => response.end(body));
    assert.match((await faultOf(model.url, PATIENT_MS)).message, says, what);
  }
  assert.equal((Object.prototype as { choices?: unknown }).choices, undefined);
});
