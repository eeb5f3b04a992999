import type { FollowAccess } from "@backplane/kit/callers";
import type { Dependencies } from "../services.ts";
import { createShareStore, type Share, shareKey } from "./share-store.ts";

/** As for sessions and memberships: a check that was slow, or began just before the end, still keeps the promised second. */
const CHECK_EVERY_MS = 500;

/** Carries the id of a workspace that is no longer shared with somebody. */
export const SHARES_CHANNEL = "panels:shares-ended";

type FollowedShares = { followAccess: FollowAccess; close(): Promise<void> };

/**
 * Access by a share goes on for as long as its session or key, and the share, do. All shares are checked together, twice
 * per second: that needs no message, so it also holds while the bus is down. Messages only make it faster.
 */
export async function followShares(
  { database, bus, followAccess, onFault }: Pick<Dependencies, "database" | "bus" | "followAccess" | "onFault">,
  checkEveryMs = CHECK_EVERY_MS,
): Promise<FollowedShares> {
  const shares = createShareStore(database);
  const followed = new Map<() => void, Share>();
  let isFailing = false;
  let checking: Promise<void> | undefined;

  /** Never fails. While the database is down nothing ends, as nothing else can be decided then. */
  async function check(some: readonly (readonly [() => void, Share])[]): Promise<void> {
    if (some.length === 0) return;
    try {
      const inForce = await shares.inForce(some.map(([, share]) => share));
      for (const [end, share] of some) if (!inForce.has(shareKey(share)) && followed.delete(end)) end();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    checking ??= check([...followed]).finally(() => {
      checking = undefined;
    });
  }, checkEveryMs).unref();
  const unsubscribe = await bus.subscribe(SHARES_CHANNEL, (message) => {
    void check([...followed].filter(([, { workspaceId }]) => workspaceId === message));
  });

  return {
    async followAccess(access, onEnd) {
      const { sharedWorkspaceId: workspaceId, userId } = access;
      if (workspaceId === undefined) return followAccess(access, onEnd);
      const state = { isFollowing: false, hasEnded: false };
      const end = () => {
        const isFirst = !state.hasEnded;
        state.hasEnded = true;
        if (state.isFollowing && isFirst) onEnd();
      };
      followed.set(end, { workspaceId, userId });
      let stopCredential: (() => void) | undefined;
      const stop = () => {
        followed.delete(end);
        stopCredential?.();
      };
      try {
        stopCredential = await followAccess(access, end);
        const isShared = stopCredential !== undefined && (await shares.has({ workspaceId, userId }));
        if (!isShared || state.hasEnded) {
          stop();
          return undefined;
        }
      } catch (error) {
        stop();
        throw error;
      }
      state.isFollowing = true;
      return stop;
    },
    async close() {
      clearInterval(timer);
      await unsubscribe();
      await checking;
    },
  };
}
