// `npm run test:cluster`: a whole cluster under steady load, while it is upgraded from the last release, and then while its
// parts are killed, stopped and taken away. Compares what every caller was told with what is there afterwards.
// `--kills 5` is a quick run, `--upgrade-from COMMIT` only upgrades.
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { ensureBuilt } from "../../scripts/bootstrap.mjs";
import { openBrowser } from "../support/browser.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Fault, planFaults } from "./faults.ts";
import { createLedger } from "./ledger.ts";
import { buildRelease, LAST_RELEASE, missingRelease } from "./release.ts";
import { runRound } from "./round.ts";
import { runUpgrade } from "./upgrade.ts";

const FULL_RUN_KILLS = 100;
const FAULTS_PER_ROUND = 8;
/** A run that takes longer has failed. */
const MAX_RUN_MS = 150 * 60_000;

const { values } = parseArgs({ options: { kills: { type: "string" }, "upgrade-from": { type: "string" } } });

async function runFaults(cluster: Cluster, browser: Browser, kills: number): Promise<boolean> {
  const startedMs = performance.now();
  const ledger = createLedger();
  const faults = planFaults(cluster, kills);
  let done = 0;
  try {
    for (let next = 0; next < faults.length; next += FAULTS_PER_ROUND) {
      const round = 1 + next / FAULTS_PER_ROUND;
      console.log(`Round ${round}: ${progressOf(faults, next, startedMs)}`);
      if (performance.now() - startedMs > MAX_RUN_MS) throw new Error("The run takes too long.");
      await runRound(cluster, ledger, browser, `person${round}`, faults.slice(next, next + FAULTS_PER_ROUND));
      done = next + FAULTS_PER_ROUND;
    }
  } catch (error) {
    console.error(error);
  }
  console.log(progressOf(faults, done, startedMs));
  console.log(ledger.report());
  return ledger.isClean() && done >= faults.length;
}

type Plan = { from: string; kills: number | undefined };

async function main({ from, kills }: Plan): Promise<boolean> {
  await ensureBuilt();
  const missing = await missingRelease(from);
  if (missing !== undefined) console.log(`Upgrade left out: ${missing}`);
  if (missing !== undefined && kills === undefined) return false;
  const old = missing === undefined ? await buildRelease(from) : undefined;
  await using cluster = await startCluster(old?.programOf);
  await using browser = await openBrowser();
  const isUpgraded = old === undefined || (await runUpgrade(cluster, browser, old));
  return kills === undefined ? isUpgraded : (await runFaults(cluster, browser, kills)) && isUpgraded;
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

const { kills, "upgrade-from": from } = values;
const wanted = from === undefined ? Number(kills ?? FULL_RUN_KILLS) : kills === undefined ? undefined : Number(kills);
if (wanted === undefined || (Number.isSafeInteger(wanted) && wanted >= 0)) {
  process.exitCode = (await main({ from: from ?? LAST_RELEASE, kills: wanted })) ? 0 : 1;
} else {
  console.error(`--kills ${kills}: how many processes are killed, such as 5. Default ${FULL_RUN_KILLS}.`);
  process.exitCode = 2;
}
