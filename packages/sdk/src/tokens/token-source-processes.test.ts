import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { startChild } from "../testing/child.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { rotating, startTokenEndpoint } from "../testing/token-endpoint.ts";
import { openTokenStore } from "./token-store.ts";

const PROCESSES = 8;

async function startAskers(folder: string, tokenUrl: string, count: number) {
  const children = Array.from({ length: count }, () =>
    startChild(new URL("../testing/ask-token.ts", import.meta.url), [folder, tokenUrl]),
  );
  for (const ready of await Promise.all(children.map((child) => child.hear()))) assert.equal(ready, "ready");
  return children;
}

test("eight processes that ask at once refresh once, so a provider that refuses reused refresh tokens is fine", async () => {
  using folder = scratchFolder();
  const store = openTokenStore({ folder: folder.path });
  await store.write("example", "ada", { accessToken: "old", refreshToken: "rt", expiresAt: Date.now() - 1 });
  await using endpoint = await startTokenEndpoint(rotating("rt"));
  const children = await startAskers(folder.path, endpoint.url, PROCESSES);
  const answers = children.map((child) => child.hear());
  for (const child of children) child.process.send("ask");
  assert.deepEqual(
    await Promise.all(answers),
    Array.from({ length: PROCESSES }, () => "access-1"),
  );
  assert.deepEqual(
    endpoint.calls.map(({ form }) => form.refresh_token),
    ["rt"],
  );
  assert.equal((await store.read("example", "ada"))?.refreshToken, "rt-1");
  assert.deepEqual(readdirSync(folder.path), ["example.ada.json"]);
  for (const child of children) await child[Symbol.asyncDispose]();
});

test("when the refreshing process is killed, one of the waiting ones takes over at once", async () => {
  using folder = scratchFolder();
  const store = openTokenStore({ folder: folder.path });
  await store.write("example", "ada", { accessToken: "old", refreshToken: "rt", expiresAt: Date.now() - 1 });
  const answer = rotating("rt");
  const asked = Promise.withResolvers<void>();
  // The first one asks, and gets no answer before it is killed.
  await using endpoint = await startTokenEndpoint((call, response) => {
    if (endpoint.calls.length === 1) asked.resolve();
    else answer(call, response);
  });
  const children = await startAskers(folder.path, endpoint.url, 4);
  const [first, ...others] = children;
  assert.ok(first);
  first.process.send("ask");
  await asked.promise;
  const answers = others.map((child) => child.hear());
  for (const child of others) child.process.send("ask");
  first.process.kill("SIGKILL");
  await once(first.process, "exit");
  assert.deepEqual(await Promise.all(answers), ["access-1", "access-1", "access-1"]);
  assert.equal(endpoint.calls.length, 2);
  assert.deepEqual(readdirSync(folder.path), ["example.ada.json"]);
  for (const child of others) await child[Symbol.asyncDispose]();
});
