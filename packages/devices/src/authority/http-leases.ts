import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Access, FollowAccess } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { Actor, SharedControl } from "../services.ts";

/** A lease that was not used for this long has ended by itself. */
const FORGET_AFTER_MS = 2 * DEVICES_LIMITS.leaseMs;

type Followed = { timer: NodeJS.Timeout; stop?: () => void };

export type HttpLeases = {
  /** Follows the access of somebody who takes control; 401 if it has ended. */
  follow(workspaceId: string, actor: Actor, access: Access, control: SharedControl): Promise<void>;
  /** The lease was used, which renews it. */
  used(workspaceId: string, actor: Actor): void;
};

/** Leases that were taken over HTTP: there is no connection that ends, but a lease ends with the credential. */
export function createHttpLeases({
  followAccess,
  onFault,
}: {
  followAccess: FollowAccess;
  onFault: (error: unknown) => void;
}): HttpLeases {
  const all = new Map<string, Followed>();
  const keyOf = (workspaceId: string, { key }: Actor) => `${workspaceId} ${key}`;

  function forget(key: string): void {
    const followed = all.get(key);
    clearTimeout(followed?.timer);
    followed?.stop?.();
    all.delete(key);
  }

  return {
    used(workspaceId, actor) {
      all.get(keyOf(workspaceId, actor))?.timer.refresh();
    },
    async follow(workspaceId, actor, access, control) {
      const key = keyOf(workspaceId, actor);
      const known = all.get(key);
      if (known) {
        known.timer.refresh();
        return;
      }
      const followed: Followed = { timer: setTimeout(() => forget(key), FORGET_AFTER_MS).unref() };
      all.set(key, followed);
      const end = () => {
        forget(key);
        control.leave(actor).catch(onFault);
      };
      const stop = await followAccess(access, end).catch((error: unknown) => {
        forget(key);
        throw error;
      });
      if (!stop) {
        forget(key);
        throw new Problem("not-signed-in");
      }
      // Meanwhile it may have been forgotten.
      if (all.get(key) === followed) followed.stop = stop;
      else stop();
    },
  };
}
