import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Recording } from "@backplane/contract/devices";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { until } from "../../../../scripts/testing/until.ts";
import { migrations } from "../migrations.ts";
import { createModel } from "../model/model.ts";
import type { DevicesTables } from "../tables.ts";
import { readMcap } from "../testing/mcap-reader.ts";
import { createMemory } from "./memory.ts";
import { openRecordings } from "./recordings.ts";

export const PROGRAM = fileURLToPath(new URL("../testing/recording-process.ts", import.meta.url));

type Left = { said: string; recordings: Recording[]; values: number[]; next: Recording };

/** Runs the program until `isEnough`, kills it, and opens what it left. */
export async function leftBy(
  t: TestContext,
  command: (home: string) => string[],
  isEnough: (said: string) => boolean,
): Promise<Left> {
  const home = mkdtempSync(join(tmpdir(), "killed-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const open = () => openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
  const first = await open();
  await migrate(first as Database<unknown>, migrations, () => 1);
  await first.close();

  const [program = "", ...args] = command(home);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.on("data", (text) => {
    said += String(text);
  });
  await until("enough was said", () => isEnough(said));
  // At any moment, also in the middle of a chunk.
  await sleep(Math.random() * 1_000);
  child.kill("SIGKILL");
  await once(child, "exit");

  const database = await open();
  const now = Date.now;
  const onFault = (error: unknown) => assert.fail(String(error));
  const settings = { projectsFolder: home, recordingsMaxBytes: 1e9 } as Parameters<
    typeof openRecordings
  >[0]["settings"];
  const book = openRecordings({ database, settings, now, note: () => {}, onFault });
  const model = createModel({ now, onFault });
  const recorder = book.hold("w", { model, memory: createMemory(model, { now, onFault }) });
  await recorder.settled();
  const { recordings } = await book.list("w");
  const path = await book.path("w", await book.find("w", recordings[0]?.id ?? ""));
  const values = readMcap(readFileSync(path))
    .messages.filter(({ topic }) => topic === "/oven/heat")
    .map(({ value }) => (value as { temperature_c: number }).temperature_c);
  const next = await recorder.start({ by: "ada", keep: true });
  await recorder.close();
  await database.close();
  return { said, recordings, values, next };
}

export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
export const lastOf = (said: string) => said.trimEnd().split("\n").at(-1) ?? "";
