import type { Context } from "../context.ts";
import { ManagerFault } from "../faults.ts";
import type { Manager, Refreshed, RepositoryName, RepositoryView } from "../manager-types.ts";
import { checkAddress, findRepository, nameFor, repositoryId } from "../repositories/configured.ts";
import { fetchCurrent, type RepositoryList } from "../repositories/lists.ts";

type Exclusively = <Result>(act: () => Promise<Result>) => Promise<Result>;

/** Adding, listing and removing repositories. */
export function repositoryCalls(context: Context, exclusively: Exclusively): Manager["repositories"] {
  const { configured, sources, lists } = context;
  return {
    list: async () => await Promise.all((await lists.atHand()).map((list) => viewOf(context, list))),
    add: async (url, { name: asked, first = false } = {}) => {
      const address = checkAddress(url);
      const id = repositoryId(url);
      const mustBeNew = (all: readonly RepositoryName[]) => {
        const known = all.find((other) => other.id === id);
        if (known) throw new ManagerFault("repository-exists", `This repository was already added as ${known.name}.`);
        const { maxRepositories } = context.transport.limits;
        if (all.length < maxRepositories) return;
        throw new ManagerFault("repository-exists", `There are ${maxRepositories} repositories. Remove one first.`);
      };
      const before = await configured.all();
      mustBeNew(before);
      // Report an unusable name before downloading anything.
      if (asked !== undefined) nameFor(asked, asked, before);
      const list = await fetchCurrent(sources, { id, name: asked ?? (address.host || "the repository"), url });
      const name = await exclusively(async () => {
        const all = await configured.all();
        mustBeNew(all);
        const name = nameFor(list.repository.name, asked, all);
        const added = { id, name, url };
        await configured.put(first ? [added, ...all] : [...all, added]);
        return name;
      });
      lists.forget();
      const { cached, packages, warnings } = list;
      return { id, name, url, state: "new", packages: packages.size, checkedAtMs: cached.checkedAtMs, warnings };
    },
    remove: async (wanted) => {
      const removed = await exclusively(async () => {
        const all = await configured.all();
        const found = findRepository(all, wanted);
        await configured.put(all.filter(({ id }) => id !== found.id));
        return found;
      });
      await sources.cache.remove(removed.id);
      lists.forget();
      return removed;
    },
  };
}

async function viewOf({ sources }: Context, list: RepositoryList): Promise<RepositoryView> {
  const { id, name, url, checkedAtMs, listed } = list;
  const trust = await sources.trust.of(id);
  return {
    ...{ id, name, url },
    signed: trust !== undefined,
    keys: trust?.keys.map((key) => key.id) ?? [],
    ...(checkedAtMs === undefined ? {} : { checkedAtMs }),
    ...(listed ? { packages: listed.size } : {}),
  };
}

/** Without what only the manager itself needs. */
export function asRefreshed({ listed: _listed, isExpired, ...refreshed }: RepositoryList): Refreshed {
  if (!isExpired) return refreshed;
  const message = `The signed list of ${refreshed.name} has expired. Nothing is installed from it until a newer one can be downloaded.`;
  return { ...refreshed, warnings: [{ level: "warning", rule: "list-expired", message }, ...refreshed.warnings] };
}
