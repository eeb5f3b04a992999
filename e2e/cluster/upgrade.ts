import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { programOf } from "../../scripts/programs.ts";
import type { Restartable } from "../support/restartable.ts";
import type { Cluster } from "./cluster.ts";
import { createLedger } from "./ledger.ts";
import { ERRORS_OF_LAST_RELEASE, type Release } from "./release.ts";
import { runRound } from "./round.ts";
import { checkOnlyAdded, readSchema } from "./schema.ts";
import { upgradeHome } from "./upgrade-home.ts";

/** How long old and new processes run side by side before the next one is replaced. */
const SIDE_BY_SIDE_MS = 4_000;

const WARNINGS_SHOWN = 5;

/** Replaces one process after the other by this version, as an operator does: stop it, start it, wait until all is well. */
async function replaceEach(cluster: Cluster, processes: readonly Restartable[]): Promise<void> {
  for (const process of processes) {
    await process.kill("SIGTERM");
    await process.start(programOf);
    await cluster.isWell();
    await wait(SIDE_BY_SIDE_MS);
  }
}

/** Replaces processes one by one. False: something was lost, or callers saw an error that the sdk does not try again. */
async function runReplacing(cluster: Cluster, browser: Browser, what: string, known: readonly string[]) {
  const ledger = createLedger();
  const { platforms, gateways } = cluster;
  for (const [name, processes] of Object.entries({ platforms, gateways })) {
    const happen = () => replaceEach(cluster, processes);
    await runRound(cluster, ledger, browser, `${what}-${name}`, [{ name: `${what}: ${name} replaced`, happen }]);
  }
  console.log(ledger.report());
  const isKnown = (error: string) => known.some((each) => error.endsWith(each));
  const seen = ledger.seenErrors();
  for (const error of seen)
    console.log(`${isKnown(error) ? "known of that release" : "FAULT, not tried again"}: ${error}`);
  const isSeamless = ledger.isClean() && seen.every(isKnown);
  if (!isSeamless) for (const { output, url } of [...platforms, ...gateways]) console.log(url, warningsIn(output()));
  return isSeamless;
}

/** What a process said last that was not just information: most often why callers saw an error. */
const warningsIn = (output: string): string[] =>
  output
    .split("\n")
    .filter((line) => /"level":"?([456]0|warn|error|fatal)/.test(line))
    .slice(-WARNINGS_SHOWN);

/** From the last release to this version, and then from this version to itself, as the next upgrade will be. */
export async function runUpgrade(cluster: Cluster, browser: Browser, old: Release): Promise<boolean> {
  await upgradeHome(old);
  const before = await readSchema(cluster.postgres.url);
  const isUpgraded = await runReplacing(cluster, browser, "upgrade", ERRORS_OF_LAST_RELEASE);
  const after = await readSchema(cluster.postgres.url);
  checkOnlyAdded(before, after);
  const added = after.migrations.filter((name) => !before.migrations.includes(name));
  console.log(`migrations of the upgrade, which only add: ${added.join(", ") || "none"}`);
  await restartOld(cluster, old, added.length > 0);
  return (await runReplacing(cluster, browser, "restart", [])) && isUpgraded;
}

/** A supervisor that still has the old version restarts it: refused where the tables have changed, and others serve on. */
async function restartOld(cluster: Cluster, old: Release, isRefused: boolean): Promise<void> {
  const [platform] = cluster.platforms;
  assert.ok(platform);
  await platform.kill("SIGTERM");
  const started = platform.start(old.programOf);
  if (isRefused) await assert.rejects(started, /Ended with [1-9]/);
  else await started.then(() => platform.kill("SIGTERM"));
  await platform.start(programOf);
  await cluster.isWell();
  console.log(`an old platform that starts after the upgrade: ${isRefused ? "refused" : "the tables are the same"}`);
}
