import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Clock } from "@backplane/kit/clock";

/** Who may publish in whose name. Accounts and organisations belong to another area; the platform connects them. */
export type Owners = {
  /** The id of the owner with this name, if the user may use it: themselves or one of their organisations. */
  resolve(userId: string, ownerName: string): Promise<string | undefined>;
  mayAct(userId: string, ownerId: string): Promise<boolean>;
  /** Whom this person may act for. */
  listFor(userId: string): Promise<{ id: string }[]>;
  /** Undefined if the owner no longer exists. */
  nameOf(ownerId: string): Promise<string | undefined>;
};

/** Names that are read at a time. */
const AT_ONCE = 16;
const MAX_NAMES = 100_000;
/** An account may be removed, and another may get its name. */
const NAME_LIFE_MS = 60_000;

export type OwnerNames = ReturnType<typeof createOwnerNames>;

/** The names of people and organisations, by id. */
export function createOwnerNames(owners: Pick<Owners, "nameOf">, now: Clock) {
  const names = new BoundedMap<string, { name: string; untilMs: number }>({ maxEntries: MAX_NAMES });

  async function nameOf(id: string): Promise<string> {
    const known = names.get(id);
    if (known && known.untilMs > now()) return known.name;
    const name = await read(id, known?.name);
    names.set(id, { name, untilMs: now() + NAME_LIFE_MS });
    return name;
  }

  /** Empty if the owner no longer exists. While accounts cannot be read, the known name is used. */
  async function read(id: string, before: string | undefined): Promise<string> {
    try {
      return (await owners.nameOf(id)) ?? "";
    } catch (error) {
      if (before === undefined) throw error;
      return before;
    }
  }

  return {
    nameOf,
    /** Which of these ids has the name, ignoring case. */
    async idOf(name: string, ids: ReadonlySet<string>): Promise<string | undefined> {
      const wanted = name.toLowerCase();
      if (wanted === "") return undefined;
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
