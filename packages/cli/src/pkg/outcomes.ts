import { EXIT } from "@backplane/contract/problems";
import { exitCodeOf, type Outcome, type Plan } from "@backplane/registry/manager";
import type { CallExits } from "../calls/telling-calls.ts";
import { SHAPES } from "../terminal.ts";
import { nextStepOf } from "./refusal.ts";
import type { Ground } from "./with-manager.ts";
import { countOf, plain, sizeOf } from "./words.ts";

/** What calls to a Backplane end with: the same as what is done here. */
export const PKG_EXITS: CallExits = {
  usage: EXIT.usage,
  unreachable: EXIT.unreachable,
  notFound: EXIT.notFound,
  failed: EXIT.failed,
};

/** More files than this are counted, not listed. */
const MAX_LISTED_FILES = 40;

/** What became of each package, for people or programs. Returns the exit code. */
export function tellOutcomes({ answer, out }: Ground, outcomes: readonly Outcome[], nothing: string): number {
  answer({ outcomes }, () => {
    if (outcomes.length === 0) out.line(nothing);
    for (const outcome of outcomes) tellOutcome(out, outcome);
  });
  return exitCodeOf(outcomes);
}

function tellOutcome(out: Ground["out"], { identifier, state, version, plan, notes, fault }: Outcome): void {
  const named = [identifier, version].filter((part) => part !== undefined).join(" ");
  const tone = ({ done: "ok", planned: "warn", nothing: "off", failed: "danger" } as const)[state];
  out.line(`${out.paint(tone, SHAPES[tone])} ${plain(named)}: ${state === "failed" ? "failed" : verbOf(state, plan)}`);
  if (fault) {
    out.line(`  ${plain(fault.message)}`);
    const next = nextStepOf(fault);
    if (next !== undefined) out.line(`  ${next}`);
  }
  for (const note of notes) out.line(`  ${plain(note)}`);
  if (!plan || state === "failed") return;
  for (const warning of plan.warnings) out.line(`  ${out.paint("warn", SHAPES.warn)} ${plain(warning)}`);
  if (state === "planned") tellPlan(out, plan);
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
      return `${would ? "would be put back" : "put back"}, ${files}`;
    case "uninstall":
      return `${would ? "would be removed" : "removed"}, ${countOf(plan.deleted.length, "file")}`;
  }
}

function tellPlan(out: Ground["out"], plan: Plan): void {
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
