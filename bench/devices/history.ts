import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "@backplane/contract/devices";
import { migrate, openDatabase } from "@backplane/kit/database";
import { openHistory } from "../../packages/devices/src/history/history.ts";
import { migrations } from "../../packages/devices/src/migrations.ts";
import type { DevicesTables } from "../../packages/devices/src/tables.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { HISTORY, MAX_HISTORY_CORES } from "./limits.ts";

const TICK_MS = 1_000 / HISTORY.hz;
const REPETITIONS = 5;

/** Buckets of many channels, written to SQLite as they come. What it costs to make the samples is measured alone and taken off. */
export async function history(session: Session): Promise<void> {
  const { channels, hz } = HISTORY;
  const seconds = session.quick ? 2 : HISTORY.seconds;
  const cores: number[] = [];
  /** Kept, so that the samples are really made. */
  let last: Sample | undefined;
  for (let i = 0; i < (session.quick ? 1 : REPETITIONS); i += 1) {
    session.progress(`History: repetition ${i + 1}`);
    const alone = await send(seconds, (sample) => {
      last = sample;
    });
    const written = await withHistory((listener) => send(seconds, listener));
    cores.push((written - alone) / seconds);
    session.signal.throwIfAborted();
    if (!last) throw new BenchFault("Nothing was sent.");
  }
  const median = cores.sort((a, b) => a - b)[Math.floor(cores.length / 2)] ?? Number.NaN;
  const holds = median <= MAX_HISTORY_CORES;
  const share = `${(median * 100).toFixed(2)} % of a core`;
  session.say(
    [`History, ${channels} channels at ${hz} Hz, SQLite, ${seconds} s each`, `  ${share}`],
    [
      {
        ...{ holds, isStretch: false },
        sentence: `target ${holds ? "holds" : "missed"}: at most ${MAX_HISTORY_CORES * 100} % of a core; it is ${share}`,
      },
    ],
  );
}

/** As in a model, whose samples have the names of their channels and not copies of them. */
const DEVICES = Array.from({ length: HISTORY.channels }, (_, channel) => `device-${channel}`);

/** CPU seconds of this process, after the first second, in which the channels are new. */
async function send(seconds: number, listener: (sample: Sample) => void): Promise<number> {
  let cpu = process.cpuUsage();
  const startMs = performance.now();
  for (let tick = 0; tick < (seconds + 1) * HISTORY.hz; tick += 1) {
    if (tick === HISTORY.hz) cpu = process.cpuUsage();
    for (const [channel, device] of DEVICES.entries()) {
      const values = { x: Math.sin(tick + channel) };
      listener({ device, capability: "imu", tMs: Date.now(), values });
    }
    await sleep(Math.max(0, startMs + (tick + 1) * TICK_MS - performance.now()));
  }
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1_000_000;
}

async function withHistory(run: (listener: (sample: Sample) => void) => Promise<number>): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "backplane-bench-history-"));
  const database = await openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
  try {
    await migrate(database as never, migrations, Date.now);
    const book = openHistory({ database, keepDays: 730, now: Date.now, onFault: (error) => console.error(error) });
    let listener: ((sample: Sample) => void) | undefined;
    book.record("bench", {
      on(_event, listening) {
        listener = listening as (sample: Sample) => void;
        return () => {};
      },
    });
    const cpuS = await run((sample) => listener?.(sample));
    await book.flush();
    const { tMs } = await book.read(
      {
        ...{ workspaceId: "bench", device: "device-0", capability: "imu", fields: ["x"] },
        ...{ fromMs: Date.now() - 60_000, toMs: Date.now() + 1, points: 1_000 },
      },
      [],
    );
    await book.close();
    if (tMs.length === 0) throw new BenchFault("Nothing was written.");
    return cpuS;
  } finally {
    await database.close();
    rmSync(home, { recursive: true, force: true });
  }
}
