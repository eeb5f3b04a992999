import type { WhoIsCalling } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { ListedPackage } from "../catalogue/listed-package.ts";
import type { Owners } from "../owners.ts";

type Options = { catalogue: Catalogue; whoIsCalling: WhoIsCalling; owners: Owners };

export type FindPackage = (request: FastifyRequest, identifier: string) => Promise<ListedPackage>;

/** Who is calling matters only for a private package. */
export const PACKAGE_PROBLEMS = ["package-unknown", "foreign-page"] as const;

/** A package that the caller may see. For others, a private one does not exist. */
export function createFindPackage({ catalogue, whoIsCalling, owners }: Options): FindPackage {
  const { packages, privatePackages } = catalogue;
  return async (request, identifier) => {
    const key = identifier.toLowerCase();
    // Another instance may have just published it. If nobody can tell, "unknown" would be a wrong answer.
    // That takes a moment: also for a private one, which would be told by its faster answer.
    if (!packages.has(key)) await catalogue.refresh();
    const found = packages.get(key);
    if (found) return found;
    // Also when there is nothing: a caller who is refused must not learn by that that there is something.
    const caller = await whoIsCalling(request);
    const hidden = privatePackages.get(key);
    const maySee = hidden && caller?.scopes.includes("read") && (await owners.mayAct(caller.userId, hidden.ownerId));
    if (!maySee) throw new Problem("package-unknown");
    return hidden;
  };
}
