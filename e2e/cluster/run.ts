// `npm run test:cluster`: a whole cluster under steady load, while its parts are killed, stopped and taken away. Compares
// what every caller was told with what is there afterwards. `--kills 5` is a quick run.
import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { ensureBuilt } from "../../scripts/bootstrap.mjs";
import { openBrowser } from "../support/browser.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Fault, planFaults } from "./faults.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import {
  apiKeys,
  evals,
  layout,
  navigations,
  oauthCodes,
  packages,
  refreshes,
  screenshots,
  signIn,
  type Work,
} from "./operations.ts";
import { openStage } from "./stage.ts";

const FULL_RUN_KILLS = 100;
const FAULTS_PER_ROUND = 8;
/** A run that takes longer has failed. */
const MAX_RUN_MS = 150 * 60_000;
/** Between two operations of a worker. */
const MAX_PACE_MS = 600;
/** Below the limits of keys, tabs, sessions and queued evals per person. */
const MAX_OPERATIONS = 90;

const { values } = parseArgs({ options: { kills: { type: "string", default: String(FULL_RUN_KILLS) } } });

/** Everything that is going on at the same time: faults, one after the other, and workers until the last one is over. */
async function runRound(cluster: Cluster, ledger: Ledger, browser: Browser, round: number, faults: readonly Fault[]) {
  await cluster.isWell();
  await using stage = await openStage(cluster, ledger, browser, `person${round}`);
  const unseen = evals(stage, stage.dark, "eval without a browser");
  const seen = evals(stage, stage.lit, "eval in a browser");
  const codes = oauthCodes(stage);
  const stored = [signIn(stage), apiKeys(stage), packages(stage), layout(stage), codes, codes];
  const shown = [navigations(stage), refreshes(stage), screenshots(stage), unseen, seen, seen];
  let isOver = false;
  const workers = [...stored, ...shown].map((each) => repeat(each, () => isOver));
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

async function main(kills: number): Promise<number> {
  await ensureBuilt();
  const startedMs = performance.now();
  await using cluster = await startCluster();
  await using browser = await openBrowser();
  const ledger = createLedger();
  const faults = planFaults(cluster, kills);
  let done = 0;
  try {
    for (let next = 0; next < faults.length; next += FAULTS_PER_ROUND) {
      const round = 1 + next / FAULTS_PER_ROUND;
      console.log(`Round ${round}: ${progressOf(faults, next, startedMs)}`);
      if (performance.now() - startedMs > MAX_RUN_MS) throw new Error("The run takes too long.");
      await runRound(cluster, ledger, browser, round, faults.slice(next, next + FAULTS_PER_ROUND));
      done = next + FAULTS_PER_ROUND;
    }
  } catch (error) {
    console.error(error);
  }
  console.log(progressOf(faults, done, startedMs));
  console.log(ledger.report());
  return ledger.isClean() && done >= faults.length ? 0 : 1;
}

function progressOf(faults: readonly Fault[], done: number, sinceMs: number): string {
  const happened = faults.slice(0, done);
  const kills = (of: readonly Fault[]) => of.filter(({ name }) => name.endsWith(" killed")).length;
  const ms = performance.now() - sinceMs;
  const leftMs = (ms / happened.length) * (faults.length - happened.length);
  return [
    `${happened.length} of ${faults.length} faults, ${kills(happened)} of ${kills(faults)} kills`,
    `${Math.round(ms / 1_000)} s so far`,
    ...(happened.length > 0 ? [`about ${Math.round(leftMs / 1_000)} s left`] : []),
  ].join(", ");
}

const kills = Number(values.kills);
if (Number.isSafeInteger(kills) && kills >= 0) process.exitCode = await main(kills);
else {
  console.error(`--kills ${values.kills}: how many processes are killed, such as 5. Default ${FULL_RUN_KILLS}.`);
  process.exitCode = 2;
}
