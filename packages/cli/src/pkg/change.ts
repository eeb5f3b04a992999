import { EXIT } from "@backplane/contract/problems";
import {
  exitCodeOfOutcomes,
  exitCodeOfVerified,
  type InstallOptions,
  type Outcome,
  type Plan,
  type Verified,
} from "@backplane/registry/manager";
import { nextStepsOf } from "../explain-error.ts";
import { SHAPES, type Terminal } from "../terminal.ts";
import { countOf, plain, sizeOf } from "../text.ts";
import { offerPlace } from "./choose-place.ts";
import type { PkgOptions } from "./place.ts";
import { type DryRun, ensureRepository, type PkgContext, withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

export type InstallFlags = PkgOptions & Omit<InstallOptions, "version"> & { lock?: string; bundle?: string };

export const install = (host: Host, specs: readonly string[], options: InstallFlags): Promise<number> =>
  withManager(host, options, (context) => installWith(host, context, specs, options), offerPlace);

async function installWith(
  host: Host,
  context: PkgContext,
  specs: readonly string[],
  options: InstallFlags,
): Promise<number> {
  const { manager } = context;
  const { dryRun = false, force = false, changeRepository = false } = options;
  if (options.lock !== undefined) {
    return summarize(context, await manager.installFromLock(options.lock, { dryRun }));
  }
  if (options.bundle !== undefined) {
    const identifiers = specs.length > 0 ? { identifiers: specs } : {};
    return summarize(
      context,
      await manager.installFromBundle(options.bundle, { dryRun, force, changeRepository, ...identifiers }),
    );
  }
  await ensureRepository(host, context, options);
  printAssumedTool(context);
  const { allowUnverified = false, pin = false } = options;
  return summarize(context, await manager.install(specs, { dryRun, force, changeRepository, allowUnverified, pin }));
}

export const update = (
  host: Host,
  identifiers: readonly string[],
  options: PkgOptions & DryRun & { allowUnverified?: boolean; changeRepository?: boolean },
): Promise<number> =>
  withManager(host, options, async (context) => {
    printAssumedTool(context);
    const { dryRun = false, allowUnverified = false, changeRepository = false } = options;
    const named = identifiers.length > 0 ? identifiers : undefined;
    const outcomes = await context.manager.update(named, { dryRun, allowUnverified, changeRepository });
    return printOutcomes(context, outcomes, "Nothing is installed here.");
  });

export const uninstall = (host: Host, identifiers: readonly string[], options: PkgOptions & DryRun): Promise<number> =>
  withManager(host, options, async (context) =>
    summarize(context, await context.manager.uninstall(identifiers, { dryRun: options.dryRun === true })),
  );

export const repair = (host: Host, identifiers: readonly string[], options: PkgOptions & DryRun): Promise<number> =>
  withManager(host, options, async (context) => {
    const named = identifiers.length > 0 ? identifiers : undefined;
    const outcomes = await context.manager.repair(named, { dryRun: options.dryRun === true });
    return printOutcomes(context, outcomes, "Every file is as it was installed.");
  });

export const setPinned = (host: Host, identifiers: readonly string[], pinned: boolean, options: PkgOptions) =>
  withManager(host, options, async ({ manager, answer, out }) => {
    for (const identifier of identifiers) await (pinned ? manager.pin(identifier) : manager.unpin(identifier));
    answer({ identifiers, pinned }, () =>
      out.line(
        pinned ? `Pinned: update leaves ${identifiers.join(", ")} alone.` : `Unpinned ${identifiers.join(", ")}.`,
      ),
    );
    return EXIT.done;
  });

const summarize = (context: PkgContext, outcomes: Parameters<typeof printOutcomes>[1]): number =>
  printOutcomes(context, outcomes, "Nothing to do.");

function printAssumedTool({ place, err, json }: PkgContext): void {
  if (place.isToolGiven || json) return;
  err.line(err.paint("off", `Assuming version ${place.tool.version} of the design tool. Set another with --tool.`));
}

/** More files than this are counted, not listed. */
const MAX_LISTED_FILES = 40;

/** Prints what happened to each package, for people or programs. Returns the exit code. */
export function printOutcomes({ answer, out }: PkgContext, outcomes: readonly Outcome[], nothing: string): number {
  answer({ outcomes }, () => {
    if (outcomes.length === 0) out.line(nothing);
    for (const outcome of outcomes) printOutcome(out, outcome);
  });
  return exitCodeOfOutcomes(outcomes);
}

function printOutcome(out: Terminal, { identifier, state, version, plan, notes, fault }: Outcome): void {
  const named = [identifier, version].filter((part) => part !== undefined).join(" ");
  const tone = ({ done: "ok", planned: "warn", nothing: "off", failed: "danger" } as const)[state];
  out.line(`${out.paint(tone, SHAPES[tone])} ${plain(named)}: ${state === "failed" ? "failed" : verbOf(state, plan)}`);
  if (fault) {
    out.line(`  ${plain(fault.message)}`);
    for (const next of nextStepsOf(fault.code)) out.line(`  ${next}`);
  }
  for (const note of notes) out.line(`  ${plain(note)}`);
  if (!plan || state === "failed") return;
  for (const warning of plan.warnings) out.line(`  ${out.paint("warn", SHAPES.warn)} ${plain(warning)}`);
  if (state === "planned") printPlan(out, plan);
  else if (plan.kept.length > 0) out.line(`  Kept ${countOf(plan.kept.length, "file")} of yours.`);
}

function verbOf(state: Outcome["state"], plan: Plan | undefined): string {
  if (state === "nothing") return "nothing to do";
  if (!plan) return state;
  const files = countOf(plan.added.length + plan.replaced.length, "file");
  const would = state === "planned";
  switch (plan.kind) {
    case "install":
      return `${would ? "would be installed" : "installed"}, ${files}, ${sizeOf(plan.installBytes)}`;
    case "update":
      return `${would ? "would be updated" : "updated"} from ${plan.from}, ${files}`;
    case "reinstall":
      return `${would ? "would be restored" : "restored"}, ${files}`;
    case "uninstall":
      return `${would ? "would be removed" : "removed"}, ${countOf(plan.deleted.length, "file")}`;
  }
}

function printPlan(out: Terminal, plan: Plan): void {
  const parts = [
    ["added", plan.added],
    ["replaced", plan.replaced],
    ["kept", plan.kept],
    ["deleted", plan.deleted],
    ["yours, changed", plan.changed],
  ] as const;
  for (const [word, files] of parts) {
    if (files.length === 0) continue;
    out.line(`  ${countOf(files.length, "file")} ${word}`);
    for (const file of files.slice(0, MAX_LISTED_FILES)) out.line(`    ${out.paint("off", plain(file))}`);
    if (files.length > MAX_LISTED_FILES) out.line(`    and ${files.length - MAX_LISTED_FILES} more; --json lists all`);
  }
}

export const verify = (host: NodeJS.Process, identifiers: readonly string[], options: PkgOptions): Promise<number> =>
  withManager(host, options, async ({ manager, answer, out }) => {
    const verified = await manager.verify(identifiers.length > 0 ? identifiers : undefined);
    answer({ packages: verified }, () => {
      if (verified.length === 0) out.line("Nothing is installed here.");
      for (const one of verified) printVerified(out, one);
      const damaged = verified.filter(isDamaged);
      if (damaged.length > 0) out.hint("Restore these files with: backplane pkg repair");
    });
    return exitCodeOfVerified(verified);
  });

const isDamaged = ({ missing, altered }: Verified): boolean => missing.length + altered.length > 0;

function printVerified(out: Terminal, verified: Verified): void {
  const { identifier, version, files, missing, altered, extra, manifest, note } = verified;
  const tone = isDamaged(verified) ? "danger" : manifest === "unknown" ? "warn" : "ok";
  const words =
    manifest === "unknown"
      ? "was not installed by this program: its files are not known"
      : isDamaged(verified)
        ? `${missing.length + altered.length} of ${countOf(files, "file")} missing or altered`
        : `${countOf(files, "file")}, all as installed`;
  out.line(`${out.paint(tone, SHAPES[tone])} ${plain(identifier)} ${version}: ${words}`);
  if (note !== undefined) out.line(`  ${plain(note)}`);
  for (const [word, paths] of [
    ["missing", missing],
    ["altered", altered],
    ["not part of the package", extra],
  ] as const) {
    for (const path of paths.slice(0, MAX_LISTED_FILES)) out.line(`  ${word}: ${plain(path)}`);
    if (paths.length > MAX_LISTED_FILES)
      out.line(`  ${word}: ${paths.length - MAX_LISTED_FILES} more; --json lists all`);
  }
}
