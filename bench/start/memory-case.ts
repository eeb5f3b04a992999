import { setTimeout as sleep } from "node:timers/promises";
import { memoryBytes } from "../harness/memory.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import type { Session } from "../harness/session.ts";
import { startUp } from "./started-up.ts";

/** After that, processes have collected what their start left (run-process.ts), and have asked each other how they are. */
const SETTLED_MS = 20_000;
const MAX_MB = 200;
const PROCESSES = 4;
const BYTES_PER_MB = 1_048_576;

const inMb = (bytes: number): number => Math.round(bytes / BYTES_PER_MB);

/** Memory of all processes of `backplane up` with nothing to do, compared with four Nodes that only wait. */
export async function memory(session: Session): Promise<void> {
  const title = "Start, memory of all processes with nothing to do";
  session.progress(title);
  await using stack = new AsyncDisposableStack();
  const ours = stack.use(await startUp());
  const bare: RunningServer[] = [];
  for (let index = 0; index < PROCESSES; index++) bare.push(stack.use(await startServer(WAITING_NODE)));
  await sleep(SETTLED_MS, undefined, { signal: session.signal });
  const [mb, bareMb] = [ours.pids(), bare.flatMap((server) => server.pids())].map((pids) => inMb(memoryBytes(pids)));
  const each = ours.pids().map((pid) => inMb(memoryBytes([pid])));
  const [total = Number.NaN, peer = Number.NaN] = [mb, bareMb];
  const holds = total <= MAX_MB;
  session.say(
    [
      title,
      `  backplane up: ${total} MB in ${each.length} processes (${each.join(", ")} MB)`,
      `  node that only waits, ${PROCESSES} times: ${peer} MB; ratio ${(total / peer).toFixed(2)}`,
    ],
    [
      {
        sentence: `target ${holds ? "holds" : "missed"}: at most ${MAX_MB} MB; it is ${total} MB`,
        holds,
        isStretch: false,
      },
    ],
  );
}

const WAITING_NODE = {
  label: "node that only waits",
  command: process.execPath,
  args: () => ["-e", "console.log('waiting'); setInterval(() => {}, 1_000_000)"],
  readyLine: /waiting/,
};
