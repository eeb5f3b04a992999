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
import { apiKeys, evals, layout, oauthCodes, packages, signIn, type Work } from "./operations.ts";
import { openStage } from "./stage.ts";

const FULL_RUN_KILLS = 100;
const FAULTS_PER_ROUND = 8;
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
  const all = [signIn(stage), apiKeys(stage), packages(stage), layout(stage), unseen, seen, seen, codes, codes];
  let isOver = false;
  const workers = all.map((each) => repeat(each, () => isOver));
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
  for (let round = 0; round * FAULTS_PER_ROUND < faults.length; round += 1) {
    const now = faults.slice(round * FAULTS_PER_ROUND, (round + 1) * FAULTS_PER_ROUND);
    console.log(`Round ${round + 1}, after ${seconds(startedMs)} s`);
    await runRound(cluster, ledger, browser, round + 1, now);
  }
  console.log(`${faults.length} faults in ${seconds(startedMs)} s, ${kills} of them SIGKILLs`);
  console.log(ledger.report());
  return ledger.isClean() ? 0 : 1;
}

const seconds = (sinceMs: number): number => Math.round((performance.now() - sinceMs) / 1_000);

const kills = Number(values.kills);
if (Number.isSafeInteger(kills) && kills >= 0) process.exitCode = await main(kills);
else {
  console.error(`--kills ${values.kills}: how many processes are killed, such as 5. Default ${FULL_RUN_KILLS}.`);
  process.exitCode = 2;
}
