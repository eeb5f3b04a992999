import type { Access, FollowAccess } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { CALLER_LIFE_MS } from "./known-callers.ts";

/** Often enough that a check that was slow, or began just before the end, still keeps the promised second. */
export const CHECK_EVERY_MS = CALLER_LIFE_MS / 2;
/** Accesses per statement. */
const BATCH = 500;

type Followed = {
  readonly access: Access;
  readonly followers: Set<() => void>;
  /** When the last check that found it in force began. */
  checkedAtMs: number;
  /** When something was said to have ended that may concern it: earlier checks do not count. */
  doubtedAtMs: number;
  hasEnded: boolean;
};

export type LastingAccess = {
  follow: FollowAccess;
  /** Checks at once what has one of these ids: of a session, key, person or organisation. */
  doubt(ids: ReadonlySet<string>): void;
  close(): Promise<void>;
};

type LastingAccessOptions = {
  database: Database<AccountTables>;
  now: Clock;
  onFault: (error: unknown) => void;
  checkEveryMs?: number;
};

const keyOf = ({ credentialId, ownerId }: Access): string => `${credentialId} ${ownerId}`;

/**
 * What goes on after its request, for as long as the database says that it may. All of it is checked together, twice per
 * second: that needs no message, so it also holds while the bus is down. Messages only make it faster.
 */
export function createLastingAccess(options: LastingAccessOptions): LastingAccess {
  const { database, now, onFault, checkEveryMs = CHECK_EVERY_MS } = options;
  const all = new Map<string, Followed>();
  let isFailing = false;
  let checking: Promise<void> | undefined;

  function end(one: Followed): void {
    one.hasEnded = true;
    if (all.get(keyOf(one.access)) === one) all.delete(keyOf(one.access));
    for (const onEnd of one.followers) onEnd();
    one.followers.clear();
  }

  async function check(some: readonly Followed[]): Promise<void> {
    for (let from = 0; from < some.length; from += BATCH) {
      const batch = some.slice(from, from + BATCH);
      const startedAtMs = performance.now();
      const inForce = await findInForce(
        database,
        batch.map(({ access }) => access),
        now(),
      );
      for (const one of batch) {
        if (inForce.has(one.access)) one.checkedAtMs = startedAtMs;
        else if (!one.hasEnded) end(one);
      }
    }
  }

  /** Never fails. While the database is down nothing ends, as nothing else can be decided then. */
  async function checkInBackground(some: readonly Followed[]): Promise<void> {
    if (some.length === 0) return;
    try {
      await check(some);
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    for (const [key, { followers }] of all) if (followers.size === 0) all.delete(key);
    checking ??= checkInBackground([...all.values()]).finally(() => {
      checking = undefined;
    });
  }, checkEveryMs).unref();

  const isFresh = ({ checkedAtMs, doubtedAtMs }: Followed): boolean =>
    checkedAtMs > doubtedAtMs && performance.now() - checkedAtMs < CALLER_LIFE_MS;

  return {
    async follow(access, onEnd) {
      const key = keyOf(access);
      const one = all.get(key) ?? newlyFollowed(access);
      all.set(key, one);
      let isFollowing = false;
      const follower = () => {
        if (isFollowing) onEnd();
      };
      one.followers.add(follower);
      const stop = () => void one.followers.delete(follower);
      try {
        if (!isFresh(one)) await check([one]);
      } catch (error) {
        stop();
        throw error;
      }
      isFollowing = !one.hasEnded;
      return isFollowing ? stop : undefined;
    },

    doubt(ids) {
      const isMeant = ({ access }: Followed) =>
        [access.credentialId, access.userId, access.ownerId].some((id) => ids.has(id));
      const doubted = [...all.values()].filter(isMeant);
      for (const one of doubted) one.doubtedAtMs = performance.now();
      void checkInBackground(doubted);
    },

    async close() {
      clearInterval(timer);
      await checking;
    },
  };
}

const newlyFollowed = (access: Access): Followed => ({
  access,
  followers: new Set(),
  checkedAtMs: Number.NEGATIVE_INFINITY,
  doubtedAtMs: Number.NEGATIVE_INFINITY,
  hasEnded: false,
});

/** Which of these exist: the credential, and the membership where the owner is an organisation. */
async function findInForce(
  { durable }: Database<AccountTables>,
  accesses: readonly Access[],
  nowMs: number,
): Promise<ReadonlySet<Access>> {
  const isKey = ({ kind }: Access) => kind === "ApiKey";
  const isOwn = ({ userId, ownerId }: Access) => userId === ownerId;
  const idsOf = (some: readonly Access[], field: "credentialId" | "userId" | "ownerId") => [
    ...new Set(some.map((access) => access[field])),
  ];
  const sessionIds = idsOf(
    accesses.filter((access) => !isKey(access)),
    "credentialId",
  );
  const keyIds = idsOf(accesses.filter(isKey), "credentialId");
  const asMember = accesses.filter((access) => !isOwn(access));
  const sessions = durable
    .selectFrom("sessions")
    .select("id")
    .where("id", "in", sessionIds)
    .where("expires_at_ms", ">", nowMs);
  const keys = durable.selectFrom("api_keys").select("id").where("id", "in", keyIds);
  const memberships = durable
    .selectFrom("memberships")
    .select(["user_id", "organisation_id"])
    .where("user_id", "in", idsOf(asMember, "userId"))
    .where("organisation_id", "in", idsOf(asMember, "ownerId"));
  const [sessionRows, keyRows, memberRows] = await Promise.all([
    sessionIds.length > 0 ? sessions.execute() : [],
    keyIds.length > 0 ? keys.execute() : [],
    asMember.length > 0 ? memberships.execute() : [],
  ]);
  const credentials = new Set([...sessionRows, ...keyRows].map(({ id }) => id));
  const members = new Set(memberRows.map((row) => `${row.user_id} ${row.organisation_id}`));
  return new Set(
    accesses.filter(
      (access) =>
        credentials.has(access.credentialId) && (isOwn(access) || members.has(`${access.userId} ${access.ownerId}`)),
    ),
  );
}
