import { randomUUID } from "node:crypto";
import type { Layout } from "@backplane/contract/panels";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "@backplane/panels";
import { emptyLeaf, newId } from "../../packages/panels/src/layout/tree.ts";
import { createWorkspaceStore } from "../../packages/panels/src/workspaces/store.ts";
import { OWNER } from "../intents/contestants.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { startFilled } from "./filled-platform.ts";
import { growthCase } from "./growth.ts";

const SIZES = [10, 100, 1_000, 5_000];
/** Of the person who looks. */
const OWN = 10;
/** Owners may have 1,000 at most. */
const OTHERS = 10;
const CURRENT = `/api/workspaces/editor/${OWNER.name}`;

const COSTS = {
  "until it is ready": { unit: "s of CPU", bar: "flat" },
  "list of one's own ten": { unit: "ms of CPU", bar: "flat" },
  "open one": { unit: "ms of CPU", bar: "flat" },
  "create one": { unit: "ms of CPU", bar: "flat" },
  overview: { unit: "ms of CPU", bar: "flat" },
  memory: { unit: "MB", bar: "flat" },
} as const;

export const workspaces = growthCase({
  ...{
    name: "workspaces",
    title: "Workspaces on a platform",
    things: "workspaces",
    sizes: SIZES,
    costs: COSTS,
    measure,
  },
  filled:
    "Ten other owners have most of them, written with the platform's own store; the person who looks has ten, made over HTTP.",
});

async function measure(size: number) {
  await using filled = await startFilled<PanelsTables>((database) => fill(database, Math.max(0, size - OWN)));
  const { server, readyS, memoryMb, get } = filled;
  for (let at = 0; at < OWN; at += 1) await get(`${CURRENT}/own-${at}/current`);
  return {
    "until it is ready": [readyS],
    "list of one's own ten": await cpuPerCall(server, () => get("/api/workspaces")),
    "open one": await cpuPerCall(server, (at) => get(`${CURRENT}/own-${at % OWN}/current`)),
    overview: await cpuPerCall(server, () => get("/api/overview")),
    memory: [memoryMb()],
    // Last, because there are more of them then.
    "create one": await cpuPerCall(server, (at) => get(`${CURRENT}/new-${at}/current`), { warmUp: 50, calls: 10 }),
  };
}

async function fill(database: Database<PanelsTables>, count: number): Promise<void> {
  const store = createWorkspaceStore(database);
  for (let at = 0; at < count; at += 1) {
    const layout: Layout = { revision: 1, root: emptyLeaf(newId("panel")) as Layout["root"] };
    await store.insert({ id: randomUUID(), ownerId: `other-${at % OTHERS}`, repo: `repo-${at}`, layout, nowMs: at });
  }
}
