import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { askModel, MAX_ANSWER_BYTES, ModelFault } from "./ask-model.ts";
import { completion, endpoint, messageOf } from "./endpoint.suite.ts";

const KEY = "sk-test-very-secret-key";
const PICTURE = Buffer.from("a picture");

const ask = (url: string, { timeoutMs = 20_000, signal = new AbortController().signal, key = KEY } = {}) =>
  askModel({ url, model: "vision-1", key }, PICTURE, { fetch, signal, timeoutMs });

test("an OpenAI-compatible endpoint gets the picture as a data URL and the key as a bearer token", async () => {
  await using model = await endpoint((response) => response.end(completion("Login Form Error")));
  assert.equal(await ask(`${model.url}/v1`), "login-form-error");
  const [{ path, headers, body } = { path: "", headers: {}, body: {} }] = model.asked;
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  const { model: name, messages } = body as { model: string; messages: { content: unknown[] }[] };
  assert.equal(name, "vision-1");
  assert.deepEqual(messages[0]?.content[1], {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${PICTURE.toString("base64")}` },
  });
});

test("an Anthropic-compatible endpoint gets the picture as base64, and key and version as headers", async () => {
  await using model = await endpoint((response) => response.end(messageOf("login-form-error")));
  assert.equal(await ask(`${model.url}/v1/messages`), "login-form-error");
  const [{ path, headers, body } = { path: "", headers: {}, body: {} }] = model.asked;
  assert.equal(path, "/v1/messages");
  assert.equal(headers["x-api-key"], KEY);
  assert.equal(headers["anthropic-version"], "2023-06-01");
  assert.equal(headers.authorization, undefined);
  const { messages } = body as { messages: { content: unknown[] }[] };
  assert.deepEqual(messages[0]?.content[0], {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: PICTURE.toString("base64") },
  });
});

const ADDRESSES: [given: string, asked: string, answer: (words: string) => string][] = [
  ["", "/v1/chat/completions", completion],
  ["/v1/chat/completions", "/v1/chat/completions", completion],
  ["/api/openai", "/api/openai/chat/completions", completion],
  ["/anthropic", "/anthropic/v1/messages", messageOf],
  ["/anthropic/v1", "/anthropic/v1/messages", messageOf],
];
for (const [given, asked, answer] of ADDRESSES) {
  test(`NAMER_URL …${given} is called at ${asked}`, async () => {
    await using model = await endpoint((response) => response.end(answer("login-form")));
    await ask(`${model.url}${given}`);
    assert.equal(model.asked[0]?.path, asked);
  });
}

const FAULTS: [what: string, answer: (response: ServerResponse) => void, says: RegExp][] = [
  ["401", (response) => response.writeHead(401).end(`no such key ${KEY}`), /refuses the key \(401\). Check NAMER_KEY/],
  ["404", (response) => response.writeHead(404).end(), /Check NAMER_URL and NAMER_MODEL/],
  ["429", (response) => response.writeHead(429).end(), /too many requests/],
  ["500", (response) => response.writeHead(500).end("oops"), /It failed \(500\)/],
  [
    "a redirect",
    (response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    /It redirects \(307\)/,
  ],
  ["no JSON", (response) => response.end("<html>"), /not JSON/],
  ["other JSON", (response) => response.end('{"choices":[]}'), /no text/],
  ["null", (response) => response.end("null"), /no text/],
  ["an apology", (response) => response.end(completion("I'm sorry, I cannot do that.")), /not a usable name/],
  ["too much", (response) => response.end(completion("x".repeat(MAX_ANSWER_BYTES))), /larger than 65536 bytes/],
  ["a cut connection", (response) => response.destroy(), /cannot be reached. Check NAMER_URL/],
];
for (const [what, answer, says] of FAULTS) {
  test(`${what} is a fault with a next step and without the key`, async () => {
    await using model = await endpoint(answer);
    const fault = await ask(`${model.url}/v1`).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(fault instanceof ModelFault);
    assert.match(fault.message, says);
    assert.doesNotMatch(`${fault.message} ${fault.stack} ${String(fault.cause)}`, new RegExp(KEY));
    assert.equal(model.asked.length, 1);
  });
}

test("gives up on an endpoint that is too slow, before or during its answer", async () => {
  await using silent = await endpoint(() => undefined);
  await assert.rejects(ask(silent.url, { timeoutMs: 50 }), /did not answer within 0.05 s/);
  await using endless = await endpoint((response) => response.write("{"));
  await assert.rejects(ask(endless.url, { timeoutMs: 50 }), /did not answer within 0.05 s/);
});

test("stopping is not reported as a fault of the endpoint", async () => {
  await using silent = await endpoint(() => undefined);
  const stop = new AbortController();
  const asking = ask(silent.url, { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await assert.rejects(asking, /stopped/);
});
