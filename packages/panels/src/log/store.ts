import type { Database } from "@backplane/kit/database";
import { LOG_LEVELS, type LogEntry, type LogLevel, PANELS_LIMITS } from "../contract.ts";
import type { PanelsTables } from "../tables.ts";
import { LOG_LIMITS } from "./limits.ts";

export type NewEntry = { level: LogLevel; source: string; message: string };

export type LogQuery = {
  /** Only what came after this line, from there on; without it, the newest lines. */
  after?: number | undefined;
  limit: number;
  /** This level and worse ones. */
  level?: LogLevel | undefined;
  source?: string | undefined;
  /** Part of the message, in whatever case. */
  q?: string | undefined;
};

export type LogStore = {
  /** In one statement; ids go up in the order of the entries. */
  insert(workspaceId: string, entries: readonly NewEntry[], atMs: number): Promise<LogEntry[]>;
  /** In the order in which they came. */
  list(workspaceId: string, query: LogQuery): Promise<LogEntry[]>;
  hasWorkspace(workspaceId: string): Promise<boolean>;
};

type Row = { id: number; at_ms: number; level: string; source: string; message: string };

export function createLogStore({ shortLived }: Database<PanelsTables>): LogStore {
  /** Keeps the newest lines, and no more of them than a workspace may have. */
  async function trim(workspaceId: string): Promise<void> {
    const newestToGo = shortLived
      .selectFrom("panels_log")
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .orderBy("id", "desc")
      .limit(1)
      .offset(PANELS_LIMITS.maxLogEntries);
    await shortLived
      .deleteFrom("panels_log")
      .where("workspace_id", "=", workspaceId)
      .where("id", "<=", newestToGo)
      .execute();
  }

  return {
    async insert(workspaceId, entries, atMs) {
      const rows = await shortLived
        .insertInto("panels_log")
        .values(entries.map((entry) => ({ workspace_id: workspaceId, at_ms: atMs, ...entry })))
        .returning("id")
        .execute();
      const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
      if (ids.some((id) => id % LOG_LIMITS.trimEvery === 0)) await trim(workspaceId);
      return entries.map((entry, index) => ({
        id: ids[index] ?? 0,
        at: new Date(atMs).toISOString(),
        ...entry,
      }));
    },

    async list(workspaceId, { after, limit, level, source, q }) {
      let query = shortLived
        .selectFrom("panels_log")
        .select(["id", "at_ms", "level", "source", "message"])
        .where("workspace_id", "=", workspaceId);
      if (after !== undefined) query = query.where("id", ">", after);
      if (level !== undefined) query = query.where("level", "in", LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
      if (source !== undefined) query = query.where("source", "=", source);
      // The engines do not agree on what upper and lower case are beyond ASCII: what is searched is searched here.
      const wanted = q?.toLowerCase();
      const rows: Row[] = await query
        .orderBy("id", after === undefined ? "desc" : "asc")
        .limit(wanted === undefined ? limit : PANELS_LIMITS.maxLogEntries + LOG_LIMITS.trimEvery)
        .execute();
      const found = wanted === undefined ? rows : rows.filter(({ message }) => message.toLowerCase().includes(wanted));
      const listed = found.slice(0, limit).map(toEntry);
      return after === undefined ? listed.reverse() : listed;
    },

    async hasWorkspace(workspaceId) {
      const found = await shortLived
        .selectFrom("panels_workspaces")
        .select("id")
        .where("id", "=", workspaceId)
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}

const toEntry = ({ id, at_ms, level, source, message }: Row): LogEntry => ({
  id: Number(id),
  at: new Date(Number(at_ms)).toISOString(),
  level: level as LogLevel,
  source,
  message,
});
