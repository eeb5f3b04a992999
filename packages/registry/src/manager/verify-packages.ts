import type { Context, InstalledPackage } from "./context.ts";
import { isSameVersion } from "./find-package.ts";
import type { Verified } from "./installed.ts";
import { installedNow } from "./installed-packages.ts";
import { patternsOf } from "./installing/known.ts";
import { ManagerFault } from "./manager-fault.ts";
import type { RepositoryList } from "./repositories/lists.ts";
import { publishedManifest } from "./repositories/published-manifest.ts";

export async function verifyPackages(context: Context, identifiers?: readonly string[]): Promise<Verified[]> {
  const all = await context.useInstallation(async (installation) => {
    if (identifiers === undefined) return await installation.verify();
    const verified: Verified[] = [];
    for (const identifier of identifiers) verified.push(...(await installation.verify(identifier)));
    return verified;
  });
  if (!all.some(isIncomplete)) return all;
  const lists = await context.lists.all();
  const installed = await installedNow(context);
  const completed: Verified[] = [];
  for (const verified of all) {
    const has = isIncomplete(verified) ? installed.get(verified.identifier) : undefined;
    completed.push(has ? await verifyAsPublished(context, lists, verified, has) : verified);
  }
  return completed;
}

const isIncomplete = ({ manifest, note }: Verified): boolean => manifest === "unknown" && note === undefined;

/** Another program installed it: its repository may say which files it has. */
async function verifyAsPublished(
  context: Context,
  lists: readonly RepositoryList[],
  verified: Verified,
  has: InstalledPackage,
): Promise<Verified> {
  const { identifier } = verified;
  const list = lists.find(({ id }) => id === has.entry.repository_id);
  if (list?.listed === undefined) return verified;
  try {
    const manifest = await publishedManifest(context.sources, list, { identifier, ...has.current });
    if (manifest === undefined) return verified;
    const published = { manifest, keep: listedKeep(list, has) };
    const [complete] = await context.useInstallation((installation) => installation.verify(identifier, published));
    return complete ?? verified;
  } catch (error) {
    if (!(error instanceof ManagerFault) || error.code === "aborted") throw error;
    return { ...verified, note: error.message };
  }
}

/** keep_on_update of what is installed, as its repository lists it. */
export function listedKeep({ listed }: RepositoryList, has: InstalledPackage): string[] {
  const about = listed?.get(has.package.identifier);
  const version = about?.versions.find((each) => isSameVersion(each, has.current));
  return about && version ? patternsOf(about, version) : [];
}
