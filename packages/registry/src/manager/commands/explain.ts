import { explainPreferred, preferredVersion } from "../../versions/choose-version.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import { type Context, type InstalledPackage, installedNow } from "../context.ts";
import { isUnidentified } from "../installing/state-file.ts";
import type { Explanation, PackageInfo } from "../manager-types.ts";
import type { RepositoryList } from "../repositories/lists.ts";
import { chooseRepository, findPackage, readSpec, type Spec } from "./find-package.ts";
import { explainUpdateOf, findUpdate } from "./install.ts";

/** The repository of the installed package counts unless another one is named. */
function boundBy(has: InstalledPackage | undefined, lists: readonly RepositoryList[], { repository }: Spec) {
  if (!has || repository !== undefined) return undefined;
  const { repository_id: id, repository_name: name } = has.entry;
  return lists.some((list) => list.id === id) ? { id, name } : undefined;
}

export async function explainPackage(context: Context, text: string): Promise<Explanation> {
  const spec = readSpec(text);
  const { identifier } = spec;
  const lists = await context.lists.all();
  const has = (await installedNow(context)).get(identifier);
  const bound = boundBy(has, lists, spec);
  const found = findPackage(lists, spec, bound);
  const choices = chooseRepository(lists, spec, bound);
  return {
    identifier,
    tool: context.tool,
    repositories: choices.map(({ list: { id, name, url }, has: lists, chosen, because }) => ({
      ...{ id, name, url, chosen, because },
      has: lists,
    })),
    install: explainPreferred(found.package.versions, found.package.type, context.tool),
    ...(has
      ? {
          update: {
            installed: versionKey(has.current),
            pinned: has.entry.pinned,
            versions: explainUpdateOf(context, found.package, has),
            because: whyUpdate(context, found, has),
          },
        }
      : {}),
  };
}

function whyUpdate(context: Context, found: ReturnType<typeof findPackage>, has: InstalledPackage): string {
  if (has.entry.pinned) return `is pinned at ${versionKey(has.current)}`;
  if (isUnidentified(has.entry)) return "has an unknown version; installing it takes it over";
  if (has.entry.repository_id !== found.list.id) {
    return `was installed from ${has.entry.repository_name} and is only updated from there`;
  }
  const version = findUpdate(context, found.package, has);
  return version ? `goes to ${versionKey(version)}` : `stays at ${versionKey(has.current)}, the latest that works here`;
}

export async function packageInfo(context: Context, text: string): Promise<PackageInfo> {
  const spec = readSpec(text);
  const lists = await context.lists.all();
  const has = (await installedNow(context)).get(spec.identifier);
  const { package: listed, list, alsoIn } = findPackage(lists, spec, boundBy(has, lists, spec));
  const preferred = preferredVersion(listed.versions, listed.type, context.tool);
  const update = has && list.id === has.entry.repository_id ? findUpdate(context, listed, has) : undefined;
  const isOld = list.state === "cached" && list.checkedAtMs !== undefined;
  return {
    package: listed,
    repository: { id: list.id, name: list.name, url: list.url },
    alsoIn,
    ...(preferred ? { preferred } : {}),
    ...(update ? { update } : {}),
    ...(isOld ? { listAgeMs: context.now() - (list.checkedAtMs ?? 0) } : {}),
    ...(has
      ? {
          installed: {
            ...has.current,
            pinned: has.entry.pinned,
            repository_id: has.entry.repository_id,
            repository_name: has.entry.repository_name,
          },
        }
      : {}),
  };
}
