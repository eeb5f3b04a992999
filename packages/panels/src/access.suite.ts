import type { Access, FollowAccess } from "@backplane/kit/callers";

/** In place of the area of accounts: the test says which credential ends. */
export function createTestAccess() {
  const followers = new Map<() => void, Access>();
  const ended = new Set<string>();
  const followAccess: FollowAccess = async (access, onEnd) => {
    if (ended.has(access.credentialId)) return undefined;
    const follower = () => onEnd();
    followers.set(follower, access);
    return () => void followers.delete(follower);
  };
  return {
    followAccess,
    end(credentialId: string): void {
      ended.add(credentialId);
      for (const [follower, access] of followers) if (access.credentialId === credentialId) follower();
    },
    followed: (): number => followers.size,
  };
}
