import { randomUUID } from "node:crypto";
import { Latest, type LatestKind, PLATFORM_LIMITS } from "@backplane/contract/platform";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PlatformTables } from "./tables.ts";

/** What a person or one of their programs did. `what` never holds a secret. */
export type Event = { userId: string; kind: LatestKind; what: string };

type Answer = Readonly<Record<string, unknown>>;
/** `what`: a name in the answer or in the request; undefined: it is not an event. */
type Rule = { kind: LatestKind; status: number; what: (answer: Answer, body: Answer) => string | undefined };

/** Calls that are events when they succeed. Nobody else is told the name of a private package. */
const RULES: Readonly<Record<string, Rule>> = {
  "POST /registry/packages": {
    ...{ kind: "publish", status: 201 },
    what: ({ identifier, version, private: isPrivate }) => (isPrivate ? "" : `${identifier} ${version}`),
  },
  "PATCH /auth/intents/:token": {
    ...{ kind: "connect", status: 200 },
    what: (_answer, { decision }) => (decision === "deny" ? undefined : ""),
  },
  "POST /auth/invitations": { kind: "invite", status: 201, what: ({ note }) => text(note) },
  "POST /auth/api-keys": { kind: "key", status: 201, what: ({ name }) => text(name) },
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export type LatestOptions = {
  database: Database<PlatformTables>;
  now: Clock;
  onFault: (error: unknown) => void;
};

const { maxLatestKept, maxLatestListed, maxLatestText } = PLATFORM_LIMITS;

/** Remembers the last things that people did, for the owner's overview. */
export function createLatest({ database: { shortLived }, now, onFault }: LatestOptions) {
  const newest = shortLived.selectFrom("latest").orderBy("at_ms", "desc").orderBy("id");
  const writing = new Set<Promise<void>>();

  async function add({ userId, kind, what }: Event): Promise<void> {
    const row = { id: randomUUID(), at_ms: now(), user_id: userId, kind, what: what.slice(0, maxLatestText) };
    await shortLived.insertInto("latest").values(row).execute();
    await shortLived.deleteFrom("latest").where("id", "not in", newest.select("id").limit(maxLatestKept)).execute();
  }

  return {
    /** Never fails the caller. */
    note(event: Event): void {
      const written = add(event)
        .catch(onFault)
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    /** When all that was noted is written, or has failed. */
    async written(): Promise<void> {
      await Promise.all(writing);
    },

    /** `nameOf`: the name of an account today. */
    async read(nameOf: (userId: string) => Promise<string | undefined>): Promise<Latest> {
      const rows = await newest.selectAll().limit(maxLatestListed).execute();
      const events = rows.map(async ({ at_ms, user_id, kind, what }) => ({
        ...{ at: new Date(at_ms).toISOString(), by: (await nameOf(user_id)) ?? "", kind, what },
      }));
      return { events: await Promise.all(events) };
    },
  };
}

export type LatestRoutes = {
  latest: ReturnType<typeof createLatest>;
  whoIsCalling: WhoIsCalling;
  requireInstanceOwner(request: FastifyRequest): Promise<unknown>;
  nameOf(userId: string): Promise<string | undefined>;
  onFault: (error: unknown) => void;
};

/** GET /api/latest. Before all other routes: it watches those that are added later. */
export function serveLatest(app: App, { latest, whoIsCalling, requireInstanceOwner, nameOf, onFault }: LatestRoutes) {
  async function note(rule: Rule, request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<void> {
    if (reply.statusCode !== rule.status) return;
    const what = rule.what((answer ?? {}) as Answer, (request.body ?? {}) as Answer);
    const caller = what === undefined ? undefined : await whoIsCalling(request);
    if (caller && what !== undefined) latest.note({ userId: caller.userId, kind: rule.kind, what });
  }

  app.addHook("onRoute", (route) => {
    const rule = RULES[`${route.method} ${route.url}`];
    if (!rule) return;
    const noteEvent = async (request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> => {
      note(rule, request, reply, answer).catch(onFault);
      return answer;
    };
    route.preSerialization = [route.preSerialization ?? [], noteEvent].flat();
  });

  app.get(
    "/api/latest",
    {
      schema: {
        tags: ["Operation"],
        summary: "The last things that people did here: published, let programs in, created workspaces, invited",
        access: "instance-owner",
        response: { 200: Latest },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      await requireInstanceOwner(request);
      return latest.read(nameOf);
    },
  );
}
