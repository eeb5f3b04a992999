import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LogEntry, type NewLogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { openLiveForTest, type Stage, type UnderTest } from "../live/live-under-test.suite.ts";
import { until } from "../live/page.suite.ts";
import { TRIM_EVERY } from "./store.ts";
import { MAX_WAITING_LINES } from "./workspace-log.ts";

type Listed = { entries: LogEntry[] };
type Refused = { code: string; errors?: { pointer: string; message: string }[] };

const path = (under: UnderTest, query = "") => `${under.first.url}${under.current("demo")}/log${query}`;

async function list(under: UnderTest, query = ""): Promise<LogEntry[]> {
  const response = await fetch(path(under, query), { headers: under.as("ada") });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get("cache-control"), "no-store");
  return ((await response.json()) as Listed).entries;
}
const post = (under: UnderTest, body: unknown, user = "ada") =>
  fetch(path(under), {
    method: "POST",
    headers: { ...under.as(user), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const messages = (entries: readonly LogEntry[]) => entries.map(({ message }) => message);
const lines = (...texts: string[]): { entries: NewLogEntry[] } => ({ entries: texts.map((message) => ({ message })) });

export function logLaws(stage: Stage): void {
  describe(`log, ${stage.name}`, () => {
    const rule = ruleTest(stage.name);
    test("a line is kept with its time, level and source, and shown to browsers", async (t) => {
      const under = await openLiveForTest(t, stage);
      const page = await under.open("demo");
      const response = await post(under, { message: "Motor 1 is on", level: "warn", source: "motor.1" });
      assert.equal(response.status, 201);
      const { entries } = (await response.json()) as Listed;
      const at = new Date(under.clock.nowMs).toISOString();
      assert.deepEqual(entries, [
        { id: entries[0]?.id, at, level: "warn", source: "motor.1", message: "Motor 1 is on" },
      ]);
      assert.deepEqual(await list(under), entries);
      assert.deepEqual((await page.hears("log")).entries, entries);
    });

    test("several lines come in one call and keep their order; ids go up", async (t) => {
      const under = await openLiveForTest(t, stage);
      const { entries } = (await (await post(under, lines("one", "two", "three"))).json()) as Listed;
      assert.deepEqual(messages(entries), ["one", "two", "three"]);
      assert.deepEqual(
        entries.map(({ level, source }) => `${level} ${source}`),
        ["info browser", "info browser", "info browser"],
      );
      const ids = entries.map(({ id }) => id);
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
      assert.deepEqual(await list(under), entries);
    });

    test("`after` follows; without it the newest lines come, the oldest of them first", async (t) => {
      const under = await openLiveForTest(t, stage);
      const { entries } = (await (await post(under, lines("1", "2", "3", "4", "5"))).json()) as Listed;
      assert.deepEqual(messages(await list(under, "?limit=2")), ["4", "5"]);
      assert.deepEqual(messages(await list(under, `?after=${entries[1]?.id}&limit=2`)), ["3", "4"]);
      assert.deepEqual(await list(under, `?after=${entries[4]?.id}`), []);
    });

    test("lines are found by minimum level, by source, and by a part of the message in any case", async (t) => {
      const under = await openLiveForTest(t, stage);
      await post(under, {
        entries: [
          { message: "Äpfel 100%", level: "debug", source: "a" },
          { message: "under_score", level: "info", source: "a" },
          { message: "underXscore", level: "warn", source: "b" },
          { message: "C:\\path", level: "error", source: "b" },
        ],
      });
      assert.deepEqual(messages(await list(under, "?level=warn")), ["underXscore", "C:\\path"]);
      assert.deepEqual(messages(await list(under, "?source=a")), ["Äpfel 100%", "under_score"]);
      for (const [q, found] of [
        ["ÄPFEL", 1],
        ["äpf", 1],
        ["%", 1],
        ["_", 1],
        ["\\", 1],
        ["UNDER", 2],
        ["nowhere", 0],
        ["", 4],
      ] as const) {
        assert.equal((await list(under, `?q=${encodeURIComponent(q)}`)).length, found, q);
      }
      assert.deepEqual(messages(await list(under, "?q=under&limit=1")), ["underXscore"]);
    });

    test("a workspace keeps its newest lines, up to the limit", async (t) => {
      const under = await openLiveForTest(t, stage);
      const [id, other] = [await under.workspaceId("demo"), await under.workspaceId("other")];
      await under.first.log.add(other, [{ level: "info", source: "a", message: "of another workspace" }]);
      const total = PANELS_LIMITS.maxLogEntries + 2 * TRIM_EVERY;
      const many = Array.from({ length: total }, (_, i) => ({ level: "info", source: "a", message: `${i}` }) as const);
      await under.first.log.add(id, many);
      const kept = await list(under, `?after=0&limit=${PANELS_LIMITS.maxLogEntries}`);
      const [first] = kept;
      assert.ok(Number(first?.message) >= 2 * TRIM_EVERY - TRIM_EVERY, first?.message);
      assert.equal((await list(under, "?limit=1"))[0]?.message, String(total - 1));
      const rest = await fetch(`${under.first.url}${under.current("other")}/log`, { headers: under.as("ada") });
      assert.equal(((await rest.json()) as Listed).entries.length, 1);
    });

    test("a note is written and sent to browsers soon, in order, whatever the message contains", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      const page = await under.open("demo");
      for (let i = 0; i < 250; i += 1) under.first.log.note(id, "info", "panels", `line ${i}`);
      under.first.log.note(id, "warn", "panels", `\u0000\ud800${"x".repeat(5_000)}`);
      await until("all are written", async () => (await list(under, "?limit=1000")).length === 251);
      const entries = await list(under, "?limit=1000");
      assert.deepEqual(
        messages(entries.slice(0, 250)),
        Array.from({ length: 250 }, (_, i) => `line ${i}`),
      );
      assert.equal(entries[250]?.message.length, PANELS_LIMITS.maxLogMessageLength);
      assert.ok(entries[250]?.message.startsWith("\ufffd\ufffdxxx"));
      const told = () => page.heard.flatMap((message) => (message.type === "log" ? message.entries : []));
      await until("all are told", () => told().length === 251);
      assert.deepEqual(told(), entries);
    });

    rule("a flood of notes is limited, and the log says how many lines are missing", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      for (let i = 0; i < MAX_WAITING_LINES + 70; i += 1) under.first.log.note(id, "info", "panels", `line ${i}`);
      await until("the last line says so", async () =>
        (await list(under, "?limit=1")).some(({ message }) => message === "70 lines were dropped here."),
      );
    });

    test("a note for a removed workspace causes no error", async (t) => {
      const under = await openLiveForTest(t, stage);
      const id = await under.workspaceId("demo");
      under.first.log.note("no-such-workspace", "info", "panels", "lost");
      under.first.log.note(id, "info", "panels", "kept");
      await until("the other line is kept", async () => (await list(under)).length === 1);
    });

    rule("a wrong field is named, and nothing is stored", async (t) => {
      const under = await openLiveForTest(t, stage);
      const cases: [unknown, string][] = [
        [{}, "/message"],
        [{ message: "" }, "/message"],
        [{ message: 5 }, "/message"],
        [{ message: "x".repeat(PANELS_LIMITS.maxLogMessageLength + 1) }, "/message"],
        [{ message: "x", level: "loud" }, "/level"],
        [{ message: "x", source: "no spaces" }, "/source"],
        [{ entries: [] }, "/entries"],
        [{ entries: [{ message: "ok" }, {}] }, "/entries/1/message"],
        [{ message: "x", entries: [{ message: "x" }] }, "/entries"],
        [
          { entries: Array.from({ length: PANELS_LIMITS.maxLogEntriesPerCall + 1 }, () => ({ message: "x" })) },
          "/entries",
        ],
      ];
      for (const [body, pointer] of cases) {
        const response = await post(under, body);
        const problem = (await response.json()) as Refused;
        assert.deepEqual([response.status, problem.errors?.[0]?.pointer], [422, pointer], JSON.stringify(body));
      }
      for (const query of [
        "?after=-1",
        "?after=x",
        "?limit=0",
        "?limit=100000",
        "?level=loud",
        "?after=1e30",
        "?source=%00",
      ]) {
        assert.equal((await fetch(path(under, query), { headers: under.as("ada") })).status, 400, query);
      }
      assert.deepEqual(await list(under), []);
    });

    test("a reader that follows with `after` while many write misses no line", async (t) => {
      const under = await openLiveForTest(t, stage);
      const [writers, each] = [8, 25];
      let isWriting = true;
      const written = Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let n = 0; n < each; n += 1)
            assert.equal((await post(under, { message: `${writer}.${n}` })).status, 201);
        }),
      ).finally(() => {
        isWriting = false;
      });
      const seen: LogEntry[] = [];
      for (let isLast = false; !isLast; ) {
        isLast = !isWriting;
        seen.push(...(await list(under, `?after=${seen.at(-1)?.id ?? 0}&limit=1000`)));
      }
      await written;
      assert.equal(new Set(messages(seen)).size, writers * each);
    });

    rule("a log that is written in turn with others is trimmed too", async (t) => {
      const under = await openLiveForTest(t, stage);
      const [one, other] = [await under.workspaceId("demo"), await under.workspaceId("other")];
      const entry = { level: "info", source: "test", message: "x" } as const;
      const part = Array.from({ length: TRIM_EVERY / 2 }, () => entry);
      for (let count = 0; count < PANELS_LIMITS.maxLogEntries + 2 * TRIM_EVERY; count += part.length) {
        await under.first.log.add(one, part);
        await under.first.log.add(other, part);
      }
      const [oldest] = await list(under, "?after=0&limit=1");
      assert.ok((oldest?.id ?? 0) > 2 * TRIM_EVERY, "the oldest lines are gone");
    });

    rule("the log is its workspace's own: 401 without a session, 403 for somebody else", async (t) => {
      const under = await openLiveForTest(t, stage);
      assert.equal((await fetch(path(under))).status, 401);
      assert.equal((await fetch(path(under), { headers: under.as("eve") })).status, 403);
      assert.equal((await post(under, { message: "x" }, "eve")).status, 403);
    });
  });
}
