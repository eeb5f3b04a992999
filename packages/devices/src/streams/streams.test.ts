import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Access } from "@backplane/kit/callers";
import type { StreamAdapter } from "./kinds.ts";
import type { Media } from "./media.ts";
import { newPushKey } from "./push/key.ts";
import type { OpenStream } from "./source.ts";
import { openStreamBook } from "./streams.ts";

const { maxPulled, maxPulledPerPerson, maxViewersPerPerson, maxPushersPerPerson, maxPushersHere } = DEVICES_LIMITS;
const accessOf = (userId: string) => ({ userId, kind: "Browser", credentialId: "1", ownerId: userId }) as Access;
const streamOf = (name: string) => ({ name, kind: "silent", settings: {}, secrets: {} });

/** Cameras that never say anything. */
async function openBook(t: TestContext, isPlaying = false) {
  const picture = { tMs: 0, isKey: true, units: [Buffer.from([0x65])] };
  const adapter: { kind: string; open: OpenStream } = {
    kind: "silent",
    open(_settings, _secrets, _tools, events) {
      if (isPlaying) queueMicrotask(() => events.picture(picture));
      return { close() {} };
    },
  };
  const media = {
    watch: async () => "answer",
    picture() {},
    end() {},
    forget() {},
    receive: () => ({ sdp: Promise.resolve("answer"), answered() {}, want() {}, end() {} }),
    async close() {},
  };
  const book = await openStreamBook({
    ...{ adapters: [adapter as StreamAdapter], tools: {} as never, media: media as Media, now: Date.now },
    bus: {
      publish: async () => {},
      subscribe: async () => async () => {},
      respond: async () => async () => {},
    } as never,
    followAccess: async () => () => {},
    ...{ note() {}, onFault: assert.fail },
  });
  t.after(book.close);
  return book;
}

test("one person does not take the streams of everybody", async (t) => {
  const book = await openBook(t);
  const tried = (person: string, workspace: string, name: number) =>
    book.tryOut(workspace, streamOf(`s${name}`), accessOf(person)).catch((error: Error) => error);
  const isRefused = async (answer: Promise<unknown>) => (await Promise.race([answer, turn("waits")])) !== "waits";
  for (let i = 0; i < maxPulledPerPerson; i += 1) void tried("eve", `w${i % 4}`, i);
  assert.equal(await isRefused(tried("eve", "w9", 99)), true);
  assert.equal(book.pulled(), maxPulledPerPerson);
  assert.equal(await isRefused(tried("ada", "w0", 0)), false, "somebody else looks at one that is there");
  for (let i = 0; i < maxPulled - maxPulledPerPerson; i += 1) void tried("ada", "w5", i);
  assert.equal(book.pulled(), maxPulled);
  await book.changed("w0");
  assert.equal(await isRefused(tried("eve", "w9", 99)), false, "what was ended makes room");
});

test("who records in many workspaces takes no more streams than who looks", async (t) => {
  const book = await openBook(t);
  const record = (person: string, i: number) => book.record(`w${i}`, streamOf("door"), () => {}, person);
  for (let i = 0; i < maxPulledPerPerson; i += 1) record("eve", i);
  assert.throws(() => record("eve", 99), /for one person/);
  record("ada", 99);
  assert.equal(book.pulled(), maxPulledPerPerson + 1);
});

test("one person does not take the places of all viewers", async (t) => {
  const book = await openBook(t, true);
  const watch = (person: string, i: number) =>
    book.watch(`w${i % 4}`, streamOf(`s${i % 4}`), "offer", accessOf(person));
  for (let i = 0; i < maxViewersPerPerson; i += 1) await watch("eve", i);
  await assert.rejects(watch("eve", 0), /A person has at most/);
  await watch("ada", 0);
  assert.equal(book.viewers(), maxViewersPerPerson + 1);
});

test("one person does not take the places of all who push, in many workspaces", async (t) => {
  const book = await openBook(t);
  const push = (person: string, i: number) => {
    const { kept } = newPushKey("http://localhost", { workspaceId: `w${i % 4}`, name: `s${i}`, userId: person });
    return book.push(`w${i % 4}`, { ...streamOf(`s${i}`), secrets: { key: kept } }, "offer");
  };
  for (let i = 0; i < maxPushersPerPerson; i += 1) await push("eve", i);
  await assert.rejects(push("eve", 99), /16 with the keys of one person/);
  for (let i = maxPushersPerPerson; i < maxPushersHere; i += 1) await push("ada", i);
  await assert.rejects(push("bob", 99), /32 of a server/);
  await book.changed("w0");
  await push("eve", 100);
});
