import { LogEntries, LogQuery, NewLogEntries, type NewLogEntry, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import type { App } from "@backplane/kit/http";
import { invalidField } from "../problems.ts";
import { about, aboutReading, CURRENT } from "../route-options.ts";
import type { Services } from "../services.ts";
import { unlessRemoved } from "../workspaces/store.ts";
import { createLogStore } from "./store.ts";

const PATH = `${CURRENT}/log`;

type LogServices = Pick<Services, "database" | "workspaces" | "log">;

export function serveLog(app: App, { database, workspaces, log }: LogServices): void {
  const store = createLogStore(database);

  app.get(
    PATH,
    {
      schema: {
        ...aboutReading("Lines of the workspace's log, the oldest first"),
        querystring: LogQuery,
        response: { 200: LogEntries },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      const { limit = PANELS_LIMITS.defaultLogEntriesListed, q, ...query } = request.query;
      const wanted = q === "" ? undefined : q;
      const entries = await store.list(workspace.id, { ...query, q: wanted, limit });
      return reply.header("cache-control", "no-store").send({ entries });
    },
  );

  app.post(
    PATH,
    {
      schema: {
        ...about("Add a line, or several, to the workspace's log"),
        body: NewLogEntries,
        response: { 201: LogEntries },
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

function entriesIn({ entries, message, level, source }: NewLogEntries): NewLogEntry[] {
  if (entries && message !== undefined) throw invalidField("/entries", "cannot be sent together with message");
  if (entries) return entries;
  if (message === undefined) throw invalidField("/message", "is missing");
  return [{ message, ...(level === undefined ? {} : { level }), ...(source === undefined ? {} : { source }) }];
}
