import type { User } from "@backplane/contract/accounts";
import type { Opening } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { PanelsArea } from "@backplane/panels";
import type { FastifyRequest } from "fastify";

/** A layout with more is only sent over the socket: it would be sent twice. */
const MAX_LAYOUT_CHARACTERS = 65_536;

type Areas = {
  accounts: { describeUser(caller: Caller): Promise<User> };
  panels: Pick<PanelsArea, "opening">;
};

/** For a person's browser: a program that asks for the page does not run it. */
export const createOpening =
  ({ accounts, panels }: Areas) =>
  async (request: FastifyRequest): Promise<Opening | undefined> => {
    try {
      const { caller, layout, catalog } = await panels.opening(request);
      if (caller.kind !== "Browser" || JSON.stringify(layout).length > MAX_LAYOUT_CHARACTERS) return undefined;
      return { user: await accounts.describeUser(caller), catalog, layout };
    } catch {
      // The page asks for itself, and shows what the answer is. A fault is logged then.
      return undefined;
    }
  };
