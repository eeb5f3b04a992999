import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongRun, trials } from "../../../../../scripts/testing/long.ts";
import { createReader } from "./kicad-reader.suite.ts";
import { openRegistry, published, type Stage } from "./registry-under-test.suite.ts";

const PUBLISHERS = isLongRun ? 10 : 6;
const VERSIONS_EACH = 2;
const READERS = isLongRun ? 100 : 10;
/** Publications after which every instance is asked. */
const ROUNDS = trials(40);

export function testConsistency(stage: Stage): void {
  test(`${stage.name}: ${PUBLISHERS} concurrent publishers, ${READERS} readers: every reader sees only consistent, verifiable repositories`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.first" });
    const instances = [under.first, under.last];
    let turn = 0;
    const next = () => instances[turn++ % instances.length] as (typeof instances)[number];
    const nowMs = () => under.clock.nowMs;
    let isOver = false;

    const publishers = Array.from({ length: PUBLISHERS }, async (_, n) => {
      for (let version = 1; version <= VERSIONS_EACH; version += 1) {
        const sample = { identifier: `org.example.p${n}`, version: `${version}.0`, status: "stable" as const };
        const response = await under.publish(sample, `user${n}`, next());
        const faults = under.lines.filter((line) => line.includes('"err"'));
        assert.equal(response.status, 201, `${await response.text()}\n${faults.join("")}`);
      }
    });
    const readers = Array.from({ length: READERS }, async (_, n) => {
      const reader = createReader({ next, nowMs, brand: n % 2 ? "tool" : "kicad", upToMs: 300 });
      let [reads, versions] = [0, 0];
      while (!isOver || reads === 0) {
        const seen = await reader.read();
        assert.ok(seen >= versions, "what was listed stays listed");
        versions = seen;
        reads += 1;
      }
      return reads;
    });
    await Promise.all(publishers).finally(() => {
      isOver = true;
    });
    const reads = await Promise.all(readers);
    assert.ok(reads.every((count) => count >= 1));
    for (const at of instances) {
      const last = createReader({ next: () => at, nowMs, brand: "tool", upToMs: 0 });
      assert.equal(await last.read(), 1 + PUBLISHERS * VERSIONS_EACH);
    }
  });

  test(`${stage.name}: a client that reads the files a minute after repository.json gets the ones it named, while others publish`, async (t) => {
    const under = await openRegistry(t, stage);
    await published(under, { identifier: "org.example.first" });
    let version = 1;
    const reader = createReader({
      ...{ brand: "kicad", nowMs: () => under.clock.nowMs, upToMs: 0 },
      next: () => (version % 2 ? under.first : under.last),
    });
    const meanwhile = async () => {
      under.clock.nowMs += 60_000;
      version += 1;
      await published(under, { identifier: "org.example.first", version: `${version}.0` });
    };
    for (let round = 0; round < 4; round += 1) await reader.read(meanwhile);
  });

  test(`${stage.name}: no instance answers with something older than another one already did`, async (t) => {
    const under = await openRegistry(t, stage);
    const counterAt = async (at: { url: string }) => {
      const response = await under.get("/registry/repository.json", {}, "GET", at);
      const { signed_index } = (await response.json()) as { signed_index: { statement: string } };
      return (JSON.parse(Buffer.from(signed_index.statement, "base64url").toString()) as { counter: number }).counter;
    };
    let seen = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await published(under, { identifier: "org.example.first", version: `${round}.0` });
      for (const at of [under.first, under.last]) {
        const counter = await counterAt(at);
        assert.ok(counter >= seen, `${counter} after ${seen}`);
        seen = counter;
      }
    }
    const bytes = await Promise.all(
      [under.first, under.last].map(async (at) => (await under.get("/registry/repository.json", {}, "GET", at)).text()),
    );
    assert.equal(bytes[0], bytes[1], "the same revision gives the same bytes on every instance");
  });
}
