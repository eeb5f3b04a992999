import type { Owners } from "../owners.ts";

/** Asked for at a time. */
const AT_ONCE = 16;
const MAX_NAMES = 100_000;

export type OwnerNames = ReturnType<typeof createOwnerNames>;

/** The names of people and organisations, by id. They stay as they are, so one that was read once is known. */
export function createOwnerNames(owners: Pick<Owners, "nameOf">) {
  const names = new Map<string, string>();

  async function nameOf(id: string): Promise<string> {
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = await owners.nameOf(id);
    // Who is gone has no name any more.
    if (name === undefined) return "";
    if (names.size >= MAX_NAMES) names.clear();
    names.set(id, name);
    return name;
  }

  return {
    nameOf,
    /** Which of these ids has the name, however it is written. */
    async idOf(name: string, ids: ReadonlySet<string>): Promise<string | undefined> {
      const wanted = name.toLowerCase();
      const all = [...ids];
      for (let from = 0; from < all.length; from += AT_ONCE) {
        const batch = all.slice(from, from + AT_ONCE);
        const found = await Promise.all(batch.map(nameOf));
        const place = found.findIndex((one) => one.toLowerCase() === wanted);
        if (place >= 0) return batch[place];
      }
      return undefined;
    },
  };
}
