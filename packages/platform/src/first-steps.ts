import type { IncomingMessage } from "node:http";
import { type FirstStep, FirstSteps } from "@backplane/contract/platform";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { type Caller, requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, addressReader, callerKey } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PlatformTables } from "./tables.ts";

const WORKSPACE = "/api/workspaces/editor/:owner/:repo/current";
const isProgram = ({ kind }: Caller): boolean => kind !== "Browser";
const isApproval = (body: unknown): boolean => (body as { decision?: string } | null)?.decision !== "deny";

type Rule = { step: FirstStep; by?: (caller: Caller) => boolean; if?: (body: unknown) => boolean };

/** The calls by which a step is taken. A check of an archive is answered 200 and publishes nothing. */
const RULES: Readonly<Record<string, Rule & { status: readonly number[] }>> = {
  "POST /auth/passkeys": { step: "passkey", status: [201] },
  "PATCH /auth/intents/:token": { step: "connect", status: [200], if: isApproval },
  "POST /registry/packages": { step: "publish", status: [201] },
  [`POST ${WORKSPACE}/tabs`]: { step: "panel", status: [200, 201], by: isProgram },
  [`POST ${WORKSPACE}/splits`]: { step: "panel", status: [200, 201], by: isProgram },
  [`POST ${WORKSPACE}/ticket`]: { step: "workspace", status: [201], by: (caller) => !isProgram(caller) },
};

const MAX_KNOWN = 10_000;
const KICAD_KNOWN_MS = 24 * 3_600_000;
/** KiCad names itself first: "KiCad/9.0.2 (Linux…)". */
const KICAD = /^kicad\b/i;

export type FirstStepsOptions = {
  database: Database<PlatformTables>;
  whoIsCalling: WhoIsCalling;
  trustProxy: readonly string[];
  now: Clock;
  onStep: (step: FirstStep) => void;
  onFault: (error: unknown) => void;
};

/** Remembers when each person first did what the overview shows as their first steps. */
export function openFirstSteps({ database, whoIsCalling, trustProxy, now, onStep, onFault }: FirstStepsOptions) {
  const addressOf = addressReader(trustProxy);
  const taken = new BoundedMap<string, true>({ maxEntries: MAX_KNOWN });
  /** KiCad does not sign in: its address says whose it is. */
  const kicads = new BoundedMap<string, true>({ maxEntries: MAX_KNOWN, maxAgeMs: KICAD_KNOWN_MS, now });

  /** The first time counts: of several writers at once exactly one adds the row. */
  async function take(userId: string, step: FirstStep): Promise<void> {
    const key = `${userId} ${step}`;
    if (taken.get(key)) return;
    await database.durable
      .insertInto("first_steps")
      .values({ user_id: userId, step, at_ms: now() })
      .onConflict((known) => known.columns(["user_id", "step"]).doNothing())
      .execute();
    taken.set(key, true);
  }

  async function note(rule: (typeof RULES)[string], request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!rule.status.includes(reply.statusCode) || rule.if?.(request.body) === false) return;
    const caller = await whoIsCalling(request);
    if (!caller || rule.by?.(caller) === false) return;
    onStep(rule.step);
    await take(caller.userId, rule.step);
  }

  function watch(app: App): void {
    app.addHook("onRoute", (route) => {
      const rule = RULES[`${route.method} ${route.url}`];
      if (!rule) return;
      const noteStep = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
        note(rule, request, reply).catch(onFault);
      route.onResponse = [route.onResponse ?? [], noteStep].flat();
    });
  }

  return {
    /** For every request of the registry, before it is answered. */
    noteKicad(request: IncomingMessage): void {
      if (!request.url?.endsWith("/repository.json") || !KICAD.test(request.headers["user-agent"] ?? "")) return;
      kicads.set(callerKey(addressOf(request)), true);
    },

    /** Before all others: it watches those that are added later. */
    addRoutes(app: App): void {
      watch(app);
      app.get(
        "/api/first-steps",
        {
          schema: {
            tags: ["accounts"],
            summary: "When you took each of the first steps that the overview shows",
            access: "read",
            response: { 200: FirstSteps },
          },
        },
        async (request, reply) => {
          reply.header("cache-control", "no-store");
          const caller = await requireCaller(whoIsCalling, request, "read");
          if (!isProgram(caller) && kicads.get(callerKey(request.ip))) await take(caller.userId, "kicad");
          return readSteps(database, caller.userId);
        },
      );
    },
  };
}

async function readSteps({ durable }: Database<PlatformTables>, userId: string): Promise<FirstSteps> {
  const rows = await durable.selectFrom("first_steps").selectAll().where("user_id", "=", userId).execute();
  return Object.fromEntries(rows.map(({ step, at_ms }) => [step, new Date(at_ms).toISOString()]));
}
