import { LOG_LEVELS, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "@backplane/panels";
import { emptyLeaf, newId } from "../../packages/panels/src/layout/tree.ts";
import { createWorkspaceStore } from "../../packages/panels/src/workspaces/store.ts";
import { OWNER } from "../intents/contestants.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { startFilled } from "./filled-platform.ts";
import { growthCase } from "./growth.ts";

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const ROWS_AT_ONCE = 1_000;
/** As many as each workspace keeps at most. */
const PER_WORKSPACE = PANELS_LIMITS.maxLogEntries;
const LOG = `/api/workspaces/editor/${OWNER.name}/own/current/log`;

const COSTS = {
  "add a line": { unit: "ms of CPU", bar: "flat" },
  "read the newest 200": { unit: "ms of CPU", bar: "flat" },
  "follow after a line": { unit: "ms of CPU", bar: "flat" },
  search: { unit: "ms of CPU", bar: "flat" },
} as const;

export const log = growthCase({
  ...{ name: "log", title: "Log lines of all workspaces", things: "log lines", sizes: SIZES, costs: COSTS, measure },
  filled: `A workspace keeps ${PER_WORKSPACE.toLocaleString("en")} lines, so there are as many workspaces as it takes, written to the tables. The one that is measured has 500 lines, sent over HTTP.`,
});

async function measure(size: number) {
  await using filled = await startFilled<PanelsTables>((database) => fill(database, size));
  const { server, get, send } = filled;
  await get(LOG.slice(0, -"/log".length));
  const entries = Array.from({ length: 100 }, (_, at) => ({ message: `line ${at}` }));
  let last = 0;
  for (let at = 0; at < 5; at += 1) {
    const added = (await send("POST", LOG, { entries })) as { entries: { id: number }[] };
    last = added.entries.at(-1)?.id ?? 0;
  }
  return {
    "read the newest 200": await cpuPerCall(server, () => get(LOG)),
    "follow after a line": await cpuPerCall(server, () => get(`${LOG}?after=${last - 10}`)),
    search: await cpuPerCall(server, () => get(`${LOG}?q=line%2042`)),
    "add a line": await cpuPerCall(server, (at) => send("POST", LOG, { message: `one more ${at}` }), { warmUp: 100 }),
  };
}

async function fill(database: Database<PanelsTables>, count: number): Promise<void> {
  const store = createWorkspaceStore(database);
  for (let from = 0; from < count; from += PER_WORKSPACE) {
    const id = `filled-${from}`;
    const root = emptyLeaf(newId("panel"));
    await store.insert({ id, ownerId: `other-${from}`, repo: "filled", layout: { revision: 1, root }, nowMs: from });
    const lines = Math.min(PER_WORKSPACE, count - from);
    for (let at = 0; at < lines; at += ROWS_AT_ONCE) {
      const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, lines - at) }, (_, row) => ({
        ...{ workspace_id: id, at_ms: from + at + row, source: "motor", message: `Motor ${row} is on` },
        level: LOG_LEVELS[row % LOG_LEVELS.length] ?? "info",
      }));
      await database.shortLived.insertInto("panels_log").values(rows).execute();
    }
  }
}
