import { setTimeout as delay } from "node:timers/promises";
import { BenchFault } from "../../harness/fault.ts";
import { memoryBytes } from "../../harness/memory.ts";
import { type RunningServer, startServer } from "../../harness/server.ts";
import type { Session } from "../../harness/session.ts";
import { createIntent, makeMany } from "../calls.ts";
import { OWNER, platform } from "../contestants.ts";
import { approvalsPerSecond, approvedWaiters, heldStreams, memorySampleMs, notifiedWithinMs } from "../limits.ts";
import { holdStreams } from "../streams.ts";

const INTENT_LIFE_MS = 15 * 60_000;
const MEGABYTE = 1e6;

/** Very many programs wait; some are approved, the others wait until their intents expire. How soon is each notified? */
export async function waiters(session: Session): Promise<void> {
  await using server = await startServer(platform("intents on SQLite"));
  session.progress(`Intents waiters: making ${heldStreams} intents`);
  const tokens = await makeMany(server.url, createIntent, "token", heldStreams);
  const madeByMs = Date.now();
  const told = new Map<number, { event: string; atMs: number }>();
  const paths = tokens.map((token) => `/auth/intents/${token}/status`);
  using held = await holdStreams({
    port: server.port,
    paths,
    onText(index, text) {
      const event = /^event: (\w+)/m.exec(text)?.[1];
      if (event !== undefined) told.set(index, { event, atMs: Date.now() });
    },
  });
  const samples = [memoryBytes(server.pids())];
  const lateApprovals = await approveSome(session, server, tokens, told);

  if (!session.quick) {
    while (Date.now() < madeByMs + INTENT_LIFE_MS + 2 * notifiedWithinMs) {
      session.progress(`Intents waiters: ${held.open()} wait, ${megabytes(samples.at(-1) ?? 0)} MB`);
      await delay(memorySampleMs, undefined, { signal: session.signal });
      samples.push(memoryBytes(server.pids()));
    }
  }
  const expired = [...told.values()].filter(({ event }) => event === "timeout");
  const lateExpiry = session.quick ? 0 : Math.max(...expired.map(({ atMs }) => atMs)) - (madeByMs + INTENT_LIFE_MS);
  if (!session.quick && told.size !== heldStreams) {
    throw new BenchFault(`${heldStreams - told.size} of ${heldStreams} were never notified.`);
  }
  const latest = Math.max(...lateApprovals, lateExpiry);
  const holds = latest <= notifiedWithinMs;
  session.say(
    [
      `Intents waiters: ${heldStreams.toLocaleString("en")} open streams in one process${session.quick ? "" : " for 15 minutes"}`,
      `  ${lateApprovals.length} approved, each notified at most ${Math.max(...lateApprovals)} ms after the answer to its approval`,
      `  ${expired.length} expired, the last notified ${Math.max(0, lateExpiry)} ms after the last of them was due`,
      `  memory of the process: ${samples
        .map(megabytes)
        .filter((_, index) => index % 15 === 0)
        .join(", ")} … ${megabytes(samples.at(-1) ?? 0)} MB`,
    ],
    [
      {
        sentence: `target ${holds ? "holds" : "missed"}: notified within ${notifiedWithinMs} ms; it is ${latest} ms`,
        holds,
        isStretch: false,
      },
    ],
  );
}

async function approveSome(
  session: Session,
  { url }: RunningServer,
  tokens: readonly string[],
  told: ReadonlyMap<number, { atMs: number }>,
): Promise<number[]> {
  const headers = { "content-type": "application/json", origin: url };
  const login = await fetch(`${url}/auth/login`, { method: "POST", headers, body: JSON.stringify(OWNER) });
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0];
  if (cookie === undefined) throw new BenchFault(`The owner could not sign in: ${login.status}.`);
  const approvedAt = new Map<number, number>();
  for (let index = 0; index < approvedWaiters; index++) {
    session.progress(`Intents waiters: ${index} of ${approvedWaiters} approved`);
    const response = await fetch(`${url}/auth/intents/${tokens[index]}`, {
      method: "PATCH",
      headers: { ...headers, cookie },
      body: "{}",
    });
    if (!response.ok) throw new BenchFault(`An approval was answered with ${response.status}.`);
    approvedAt.set(index, Date.now());
    await delay(1_000 / approvalsPerSecond, undefined, { signal: session.signal });
  }
  await delay(notifiedWithinMs, undefined, { signal: session.signal });
  return [...approvedAt].map(([index, atMs]) => {
    const found = told.get(index);
    if (found === undefined)
      throw new BenchFault(`A program was not notified of its approval within ${notifiedWithinMs} ms.`);
    return Math.max(0, found.atMs - atMs);
  });
}

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);
