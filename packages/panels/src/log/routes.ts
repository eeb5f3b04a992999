import { LOG_LEVELS, type LogLevel, NewLogEntry, WorkspaceParams } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { type Static, Type } from "typebox";
import type { Services } from "../services.ts";
import { unlessRemoved } from "../workspaces/unless-removed.ts";
import { LOG_LIMITS } from "./limits.ts";
import { createLogStore } from "./store.ts";

const PATH = "/api/workspaces/editor/:owner/:repo/current/log";

const Level = Type.Unsafe<LogLevel>({ type: "string", enum: [...LOG_LEVELS] });
const Entries = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Type.String(),
      level: Level,
      source: Type.String(),
      message: Type.String(),
    }),
  ),
});
const Query = Type.Object({
  after: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: "Only lines after the one of this id",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_LIMITS.maxListed })),
  level: Type.Optional(Level),
  source: Type.Optional(NewLogEntry.properties.source),
  q: Type.Optional(
    Type.String({ maxLength: LOG_LIMITS.maxSearchLength, description: "Part of the message, in whatever case" }),
  ),
});
/** One entry, or several: which of the two is checked by hand, so that a fault names its field. */
const Body = Type.Object({
  ...Type.Partial(NewLogEntry).properties,
  entries: Type.Optional(Type.Array(NewLogEntry, { minItems: 1, maxItems: LOG_LIMITS.maxEntriesPerCall })),
});
type Body = Static<typeof Body>;

type LogServices = Pick<Services, "database" | "workspaces" | "log">;

export function serveLog(app: App, { database, workspaces, log }: LogServices): void {
  const store = createLogStore(database);

  app.get(
    PATH,
    {
      schema: {
        tags: ["panels"],
        summary: "Lines of the workspace's log, the oldest first",
        params: WorkspaceParams,
        querystring: Query,
        response: { 200: Entries },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const { limit = LOG_LIMITS.defaultListed, q, ...query } = request.query;
      const wanted = q === "" ? undefined : q;
      const entries = await store.list(workspace.id, { ...query, q: wanted, limit });
      return reply.header("cache-control", "no-store").send({ entries });
    },
  );

  app.post(
    PATH,
    {
      schema: {
        tags: ["panels"],
        summary: "Add a line, or several, to the workspace's log",
        params: WorkspaceParams,
        body: Body,
        response: { 201: Entries },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const source = sourceOf(caller);
      const entries = entriesIn(request.body).map((entry) => ({ level: "info" as const, source, ...entry }));
      const added = await unlessRemoved(database, workspace.id, log.add(workspace.id, entries));
      return reply.code(201).send({ entries: added });
    },
  );
}

const sourceOf = ({ kind }: Caller): string => (kind === "Browser" ? "browser" : "program");

function entriesIn({ entries, message, level, source }: Body): NewLogEntry[] {
  if (entries && message !== undefined) throw invalid("/entries", "cannot come with a message beside it");
  if (entries) return entries;
  if (message === undefined) throw invalid("/message", "is missing");
  return [{ message, ...(level === undefined ? {} : { level }), ...(source === undefined ? {} : { source }) }];
}

const invalid = (pointer: string, message: string): Problem =>
  new Problem("invalid-input", { detail: `${pointer} ${message}.`, errors: [{ pointer, message }] });
