import { PANELS_LIMITS, type WorkspaceParams } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import { workspaceUnknown } from "../problems.ts";
import type { Dependencies, Workspaces } from "../services.ts";
import { SHARES_CHANNEL } from "./follow-shares.ts";
import type { Share, ShareStore } from "./share-store.ts";
import type { WorkspaceStore } from "./store.ts";

const { maxSharedPeople } = PANELS_LIMITS;

type SharingOptions = Pick<Dependencies, "owners" | "bus" | "now"> & {
  store: Pick<WorkspaceStore, "readByName">;
  shares: ShareStore;
  /** For those who decide for the owner; 403 for everybody else. */
  findManaged: (caller: Caller, params: WorkspaceParams) => Promise<{ id: string } | undefined>;
};

/** The same answer whether the owner belongs to somebody else or does not exist. */
export const notYours = (owner: string): Problem =>
  new Problem("workspace-not-yours", { detail: `You cannot use ${owner} as owner.` });

const nobody = (): Problem =>
  new Problem("not-found", { detail: "There is no account with this name. Check the name." });

/** The people with whom a workspace is shared, by the ids of their accounts. */
export function createSharing({ store, shares, owners, bus, now, findManaged }: SharingOptions): Workspaces["people"] {
  async function expectManaged(caller: Caller, params: WorkspaceParams): Promise<{ id: string }> {
    const found = await findManaged(caller, params);
    if (!found) throw workspaceUnknown(params);
    return found;
  }

  /** For those with whom it is, or may be, shared: that is decided by the share. */
  async function expectNamed({ owner, repo }: WorkspaceParams): Promise<{ id: string }> {
    const ownerId = await owners.idOf(owner);
    const found = ownerId === undefined ? undefined : await store.readByName(ownerId, repo);
    if (!found) throw notYours(owner);
    return found;
  }

  async function end(share: Share): Promise<boolean> {
    const hasEnded = await shares.end(share);
    // Without this message it takes half a second longer.
    await bus.publish(SHARES_CHANNEL, share.workspaceId).catch(() => {});
    return hasEnded;
  }

  return {
    async list(caller, params) {
      const { id } = await expectManaged(caller, params);
      const all = await shares.people(id);
      const named = await Promise.all(
        all.map(async ({ userId, isAccepted }) => ({ name: await owners.nameOf(userId), accepted: isAccepted })),
      );
      // Of those whose account was removed nothing is left to show.
      return named.flatMap(({ name, accepted }) => (name === undefined ? [] : [{ name, accepted }]));
    },

    async invite(caller, params, name) {
      const { id } = await expectManaged(caller, params);
      const userId = await owners.personNamed(name);
      if (userId === undefined) throw nobody();
      if (userId === caller.userId) throw new Problem("own-account", { detail: "You may use it already." });
      // Several invitations at the same moment may exceed the limit a little.
      if ((await shares.people(id)).length >= maxSharedPeople) {
        throw new Problem("too-many-of-these", {
          detail: `A workspace is shared with at most ${maxSharedPeople} people. Use an organisation for more.`,
        });
      }
      await shares.invite({ workspaceId: id, userId }, now());
      return id;
    },

    async accept({ userId }, params) {
      const { id } = await expectNamed(params);
      if (!(await shares.accept({ workspaceId: id, userId }, now()))) throw notYours(params.owner);
      return id;
    },

    async remove(caller, params, name) {
      const userId = await owners.personNamed(name);
      if (userId === caller.userId) {
        const { id } = await expectNamed(params);
        if (!(await end({ workspaceId: id, userId }))) throw notYours(params.owner);
        return id;
      }
      const { id } = await expectManaged(caller, params);
      if (userId === undefined || !(await end({ workspaceId: id, userId }))) throw nobody();
      return id;
    },
  };
}
