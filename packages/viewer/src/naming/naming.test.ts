import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Paste } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import type { NamingOutcome } from "../services.ts";
import { completion, endpoint } from "./models/endpoint.suite.ts";
import { createNaming, type NamingOptions } from "./naming.ts";

const pasteOf = (id: string) => ({ id }) as Paste;
const READ = {
  text: "Battery voltage low\nCharge the pack",
  lines: [
    { text: "Battery voltage low", height: 30, x: 10, y: 10, width: 300, confidence: 95 },
    { text: "Charge the pack", height: 20, x: 10, y: 60, width: 200, confidence: 95 },
  ],
};

/** Naming with one real file. Records the outcomes in order. */
async function ground(t: TestContext, options: Partial<NamingOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "naming-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "picture.png");
  await writeFile(path, "a picture");
  const outcomes: { id: string; outcome: NamingOutcome }[] = [];
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const waits: { count: number; reached: () => void }[] = [];
  const log = {
    warn: (sentence: string) => warnings.push(sentence),
    error: (fault: unknown) => errors.push(fault),
  } as unknown as NamingOptions["log"];
  const naming = createNaming({
    pastes: {
      fileOf: async () => path,
      async finishNaming(id, outcome) {
        outcomes.push({ id, outcome });
        for (const { count, reached } of waits) if (outcomes.length >= count) reached();
        return pasteOf(id);
      },
    },
    recogniser: { recognise: async () => READ },
    namer: undefined,
    fetch,
    now: () => 0,
    log,
    ...options,
  });
  t.after(() => naming.close());
  const finished = (count: number) =>
    outcomes.length >= count
      ? Promise.resolve()
      : new Promise<void>((reached) => waits.push({ count, reached: () => reached() }));
  return { naming, outcomes, warnings, errors, finished, path };
}

test("without an endpoint the name comes from the text in the picture, and nothing is sent anywhere", async (t) => {
  const asked: unknown[] = [];
  const { naming, outcomes, finished } = await ground(t, {
    fetch: async (address) => {
      asked.push(address);
      return new Response();
    },
  });
  naming.add(pasteOf("one"));
  await finished(1);
  const { outcome } = outcomes[0] ?? assert.fail();
  assert.equal(outcome.by, "text");
  assert.match(outcome.name ?? "", /battery-voltage/);
  assert.equal(outcome.suggestions[0], outcome.name);
  assert.match(outcome.text ?? "", /Charge the pack/);
  assert.deepEqual(asked, []);
});

test("a picture without text keeps its first name", async (t) => {
  const recogniser = { recognise: async () => ({ lines: [], text: "" }) };
  const { naming, outcomes, finished } = await ground(t, { recogniser });
  naming.add(pasteOf("one"));
  await finished(1);
  assert.deepEqual(outcomes[0]?.outcome, { text: outcomes[0]?.outcome.text, suggestions: [], name: null, by: null });
});

test("the name from an endpoint comes before those from the text: at most three suggestions, each once", async (t) => {
  await using model = await endpoint((response) => response.end(completion("Rover Battery Alert")));
  const { naming, outcomes, finished } = await ground(t, { namer: { url: model.url, model: "v", key: "k" } });
  naming.add(pasteOf("one"));
  await finished(1);
  const { name, by, suggestions } = outcomes[0]?.outcome ?? assert.fail();
  assert.deepEqual([name, by, suggestions[0]], ["rover-battery-alert", "model", "rover-battery-alert"]);
  assert.match(suggestions[1] ?? "", /battery-voltage/);
  assert.ok(suggestions.length <= 3);
  assert.equal(new Set(suggestions).size, suggestions.length);
});

test("a failing endpoint is logged once per minute, with the next step; the name from the text is used", async (t) => {
  let nowMs = 0;
  await using model = await endpoint((response) => response.writeHead(401).end());
  const namer = { url: model.url, model: "v", key: "sk-secret" };
  const { naming, outcomes, warnings, finished } = await ground(t, { namer, now: () => nowMs });
  for (const id of ["one", "two", "three"]) naming.add(pasteOf(id));
  await finished(3);
  assert.deepEqual(warnings, ["The model at NAMER_URL gave no name. It refuses the key (401). Check NAMER_KEY."]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome.by),
    ["text", "text", "text"],
  );
  nowMs = 60_000;
  naming.add(pasteOf("four"));
  await finished(4);
  assert.equal(warnings.length, 2);
});

test("an endpoint that never answers times out, and does not stop the text of others from being read", async (t) => {
  await using model = await endpoint(() => undefined);
  const limits = { namerTimeoutMs: 100 };
  const { naming, outcomes, finished } = await ground(t, {
    namer: { url: model.url, model: "v", key: undefined },
    limits,
  });
  for (const id of ["one", "two", "three", "four", "five", "six"]) naming.add(pasteOf(id));
  await finished(6);
  assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome.by)), new Set(["text"]));
});

test("one screenshot is read at a time; beyond the limit of waiting ones, naming ends without a name", async (t) => {
  const gates: (() => void)[] = [];
  let atOnce = 0;
  let most = 0;
  const recogniser = {
    async recognise() {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise<void>((open) => gates.push(open));
      atOnce -= 1;
      return READ;
    },
  };
  const { naming, outcomes, finished } = await ground(t, { recogniser, limits: { maxWaitingForName: 2 } });
  for (const id of ["read", "waits", "waits-too", "too-many"]) naming.add(pasteOf(id));
  await finished(1);
  assert.deepEqual(outcomes, [{ id: "too-many", outcome: { text: null, suggestions: [], name: null, by: null } }]);
  for (let done = 2; done <= 4; done += 1) {
    while (gates.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gates.shift()?.();
    await finished(done);
  }
  assert.equal(most, 1);
  assert.deepEqual(
    outcomes.map(({ id }) => id),
    ["too-many", "read", "waits", "waits-too"],
  );
});

test("if the recogniser fails, only that screenshot has no name", async (t) => {
  let times = 0;
  const recogniser = {
    async recognise() {
      times += 1;
      if (times === 1) throw new Error("the worker died");
      return READ;
    },
  };
  const { naming, outcomes, errors, finished } = await ground(t, { recogniser });
  for (const id of ["one", "two"]) naming.add(pasteOf(id));
  await finished(2);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome.by),
    [null, "text"],
  );
  assert.equal(errors.length, 1);
});

test("a screenshot that was removed meanwhile is skipped silently", async (t) => {
  const done: string[] = [];
  const last = Promise.withResolvers<void>();
  const pastes: NamingOptions["pastes"] = {
    async fileOf(id) {
      if (id === "gone") throw new Problem("paste-unknown");
      return "/nowhere";
    },
    async finishNaming(id) {
      if (id === "gone") throw new Problem("paste-unknown");
      done.push(id);
      last.resolve();
      return pasteOf(id);
    },
  };
  const { naming, errors } = await ground(t, { pastes });
  for (const id of ["gone", "there"]) naming.add(pasteOf(id));
  await last.promise;
  assert.deepEqual([done, errors], [["there"], []]);
});

test("a screenshot that is renamed while it is opened is opened under its new name", async (t) => {
  const paths = ["/old", "/new"];
  const read: string[] = [];
  const finished = Promise.withResolvers<NamingOutcome>();
  const { naming } = await ground(t, {
    pastes: {
      fileOf: async () => paths.shift() ?? "/new",
      async finishNaming(id, outcome) {
        finished.resolve(outcome);
        return pasteOf(id);
      },
    },
    recogniser: {
      async recognise(path) {
        read.push(path);
        if (path === "/old") throw new Error("ENOENT");
        return READ;
      },
    },
  });
  naming.add(pasteOf("one"));
  assert.equal((await finished.promise).by, "text");
  assert.deepEqual(read, ["/old", "/new"]);
});

test("closing ends waiting work and calls to the model, and names nothing more", async (t) => {
  const asked = Promise.withResolvers<void>();
  await using model = await endpoint(() => asked.resolve());
  const { naming, outcomes, warnings, errors } = await ground(t, { namer: { url: model.url, model: "v", key: "k" } });
  naming.add(pasteOf("one"));
  naming.add(pasteOf("two"));
  await asked.promise;
  await naming.close();
  naming.add(pasteOf("three"));
  assert.deepEqual([outcomes, warnings, errors], [[], [], []]);
});
