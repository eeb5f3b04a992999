import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow, mustBeInstalled } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import { isUnidentified } from "../installing/state-file.ts";
import { UNIDENTIFIED } from "../installing/verify.ts";
import type { Outcome, UpdateOptions } from "../manager-types.ts";
import { nothing, report } from "../outcomes.ts";
import type { RepositoryList } from "../repositories/lists.ts";
import { findPackage, readSpec, type Spec, whyUnlisted } from "./find-package.ts";
import { carryOutTarget, findUpdate, mustBeCurrent } from "./install.ts";

export async function updatePackages(
  context: Context,
  specs: readonly string[] | undefined,
  options: UpdateOptions,
): Promise<Outcome[]> {
  const lists = await context.lists.all();
  const installed = await installedNow(context);
  const outcomes: Outcome[] = [];
  for (const text of specs ?? installed.keys()) {
    outcomes.push(
      await report(text, async () => {
        const spec = readSpec(text);
        const { identifier, version } = spec;
        if (version) {
          throw new ManagerFault("bad-spec", `To get ${identifier} ${version.text}, install that version.`);
        }
        return await report(identifier, async () => {
          const has = mustBeInstalled(installed, identifier);
          return await updateOne(context, lists, has, spec, options, specs !== undefined);
        });
      }),
    );
  }
  return outcomes;
}

async function updateOne(
  context: Context,
  lists: readonly RepositoryList[],
  has: InstalledPackage,
  spec: Spec,
  options: UpdateOptions,
  isNamed: boolean,
): Promise<Outcome> {
  const { identifier } = spec;
  const { pinned, repository_id: id, repository_name: name } = has.entry;
  if (isUnidentified(has.entry)) return nothing(has, [UNIDENTIFIED]);
  if (pinned) {
    const told = `${identifier} is pinned at ${versionKey(has.current)}.`;
    if (!isNamed) return nothing(has, [told]);
    throw new ManagerFault("pinned", `${told} Unpin it to update it.`, { identifier });
  }
  const mayChange = options.changeRepository === true || id === "";
  if (!mayChange && !lists.some((list) => list.id === id)) {
    const told = `It was installed from ${name || "elsewhere"}, which is not configured, so it cannot be updated.`;
    return nothing(has, [told]);
  }
  const unlisted = spec.repository === undefined ? whyUnlisted(lists, identifier, { id }) : undefined;
  if (unlisted !== undefined) return nothing(has, [unlisted]);
  const found = findPackage(lists, spec, mayChange ? undefined : { id, name });
  mustBeCurrent(found.list);
  const version = findUpdate(context, found.package, has);
  if (!version) return nothing(has, [`${versionKey(has.current)} is the latest that works here.`]);
  return await carryOutTarget(context, { ...found, version }, has, options);
}

export async function uninstallPackages(
  context: Context,
  identifiers: readonly string[],
  { dryRun = false }: { dryRun?: boolean },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const identifier of identifiers) {
    outcomes.push(
      await report(identifier, async () => {
        const change = { kind: "uninstall", identifier } as const;
        const plan = await context.useInstallation((installation) =>
          dryRun ? installation.plan(change) : installation.apply(change),
        );
        return { identifier, state: dryRun ? "planned" : "done", plan, notes: [] };
      }),
    );
  }
  return outcomes;
}
