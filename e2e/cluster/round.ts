import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Cluster } from "./cluster.ts";
import type { Fault } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import {
  apiKeys,
  evals,
  files,
  layout,
  navigations,
  oauthCodes,
  packages,
  pages,
  refreshes,
  screenshots,
  sdkCalls,
  signIn,
  type Work,
} from "./operations.ts";
import { openStage } from "./stage.ts";

/** Between two operations of a worker. */
const MAX_PACE_MS = 600;
/** Below the limits of keys, tabs, sessions and queued evals per person. */
const MAX_OPERATIONS = 90;

/** Everything that is going on at the same time: faults, one after the other, and workers until the last one is over. */
export async function runRound(
  cluster: Cluster,
  ledger: Ledger,
  browser: Browser,
  name: string,
  faults: readonly Fault[],
): Promise<void> {
  await cluster.isWell();
  await using stage = await openStage(cluster, ledger, browser, name);
  const unseen = evals(stage, stage.dark, "eval without a browser");
  const seen = evals(stage, stage.lit, "eval in a browser");
  const codes = oauthCodes(stage);
  const stored = [signIn(stage), apiKeys(stage), packages(stage), layout(stage), files(stage), codes, codes];
  const shown = [navigations(stage), refreshes(stage), screenshots(stage), unseen, seen, seen];
  let isOver = false;
  const workers = [...stored, ...shown, pages(stage), sdkCalls(stage)].map((each) => repeat(each, () => isOver));
  try {
    for (const fault of faults) {
      console.log(`  ${fault.name}`);
      await Promise.race([fault.happen(), ...workers]);
    }
    await cluster.isWell();
  } finally {
    isOver = true;
  }
  await Promise.all(workers);
  await stage.open(stage.dark);
  await Promise.all([unseen.settle(), seen.settle()]);
  await ledger.verify();
}

async function repeat({ work }: Work, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    if (count < MAX_OPERATIONS) await work();
    await wait(randomInt(MAX_PACE_MS));
  }
}
