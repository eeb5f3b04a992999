import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ListedPackage, Release } from "./catalogue/listed-package.ts";
import type { Owners } from "./owners.ts";

export type SeenPackages = ReturnType<typeof createSeenPackages>;

/** Packages as one person sees them: a private one of others does not exist. */
export function createSeenPackages({ catalogue, owners }: { catalogue: Catalogue; owners: Owners }) {
  const named = (identifier: string): ListedPackage | undefined => {
    const key = identifier.toLowerCase();
    return catalogue.packages.get(key) ?? catalogue.privatePackages.get(key);
  };
  const maySee = async (userId: string, { isPrivate, ownerId }: ListedPackage): Promise<boolean> =>
    !isPrivate || (await owners.mayAct(userId, ownerId));
  return {
    /** Whoever may see it. */
    named,
    maySee,
    async find(userId: string, identifier: string): Promise<ListedPackage | undefined> {
      // Another instance may have just published it.
      if (!named(identifier)) await catalogue.refresh();
      const found = named(identifier);
      return found && (await maySee(userId, found)) ? found : undefined;
    },
  };
}

/** The latest stable one, or the latest. */
export const preferredOf = (releases: readonly Release[]): Release | undefined =>
  releases.find(({ version }) => version.status === "stable") ?? releases[0];
