import { endSession, listSessions, type Session } from "@backplane/sdk";
import { plain } from "../connect/plain.ts";
import { badInput, type Refusal } from "../connect/refusal.ts";
import { endOf, spanOf } from "../connect/spans.ts";
import { openTerminal, SHAPES, table } from "../terminal.ts";
import type { PlaceOptions } from "./options.ts";
import { withSession } from "./with-session.ts";

/** Enough of an id to tell sessions apart; any beginning that only one has is taken. */
const SHORT_ID_LENGTH = 8;

/** `backplane sessions`, with `--end` to end one. Returns the exit code. */
export function sessions(host: NodeJS.Process, options: PlaceOptions & { end?: string }): Promise<number> {
  return withSession(host, options, async (as) => {
    const all = await listSessions(as);
    if (options.end === undefined) {
      if (options.json === true) host.stdout.write(`${JSON.stringify({ sessions: all }, undefined, 2)}\n`);
      else show(host, all, Date.now());
      return undefined;
    }
    const found = find(all, options.end);
    if ("exit" in found) return found;
    await endSession({ ...as, id: found.id });
    if (options.json === true) host.stdout.write(`${JSON.stringify({ event: "ended", id: found.id })}\n`);
    else {
      const out = openTerminal(host.stdout);
      out.line(`${out.paint("off", SHAPES.off)} "${plain(found.name)}" at ${plain(found.address)} is signed out.`);
    }
    return undefined;
  });
}

function find(all: readonly Session[], id: string): Session | Refusal {
  const matching = all.filter((one) => one.id.startsWith(id));
  const [found] = matching;
  if (id === "" || found === undefined) {
    return badInput("unknown-session", "No session has this id.\nSee all of them with: backplane sessions");
  }
  if (matching.length > 1) {
    return badInput(
      "ambiguous-session",
      `${matching.length} sessions begin with this.\nGive more characters of the id.`,
    );
  }
  // Whoever ends it by mistake would have to sign in again.
  if (found.isCurrent) {
    return badInput("current-session", "This is the session that this command uses.\nEnd it with: backplane logout");
  }
  return found;
}

function show(host: NodeJS.Process, all: readonly Session[], nowMs: number): void {
  const out = openTerminal(host.stdout);
  const rows = all.map((one) => [
    one.id.slice(0, SHORT_ID_LENGTH),
    plain(one.name),
    one.kind.toLowerCase(),
    plain(one.program ?? "unknown"),
    plain(one.address),
    one.isCurrent ? "this one" : `used ${spanOf(Math.max(0, nowMs - one.lastUsedAt))} ago`,
    endOf(one.expiresAt, nowMs),
  ]);
  for (const [index, line] of table(rows).entries()) {
    const tone = all[index]?.isCurrent === true ? "ok" : "off";
    out.line(`  ${out.paint(tone, SHAPES[tone])}${line.slice(1)}`);
  }
  out.line();
  out.line("End one with: backplane sessions --end <id>");
}
