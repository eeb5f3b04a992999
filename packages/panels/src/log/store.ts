import { LOG_LEVELS, type LogEntry, type LogLevel, PANELS_LIMITS } from "@backplane/contract/panels";
import type { Database } from "@backplane/kit/database";
import { sql, type Transaction } from "kysely";
import type { PanelsTables } from "../tables.ts";

export type NewEntry = { level: LogLevel; source: string; message: string };

export type LogQuery = {
  /** Only lines after this one; without it, the newest lines. */
  after?: number | undefined;
  limit: number;
  /** This level and worse ones. */
  level?: LogLevel | undefined;
  source?: string | undefined;
  /** Part of the message, case-insensitive. */
  q?: string | undefined;
};

export type LogStore = {
  /** All or nothing. Ids follow the order of the entries, and a reader that saw one of them misses no smaller one. */
  insert(workspaceId: string, entries: readonly NewEntry[], atMs: number): Promise<LogEntry[]>;
  /** In the order in which they came. */
  list(workspaceId: string, query: LogQuery): Promise<LogEntry[]>;
  hasWorkspace(workspaceId: string): Promise<boolean>;
};

type Row = { id: number; at_ms: number; level: string; source: string; message: string };

/** Which of the locks of a workspace. */
const LOG_LOCK = 1;
/** After this many lines, the oldest lines of the workspace are removed. */
export const TRIM_EVERY = 200;
/** Workspaces whose new lines are counted; beyond that the one counted first is trimmed early. */
const MAX_UNTRIMMED = 1_000;

export function createLogStore({ engine, shortLived }: Database<PanelsTables>): LogStore {
  /** By workspace: lines since its oldest ones were removed. */
  const untrimmed = new Map<string, number>();

  /**
   * PostgreSQL assigns ids before it commits: a reader that continues after the larger of two ids could miss the smaller
   * one. So entries are written one after the other, which SQLite does anyway.
   */
  async function waitForTurn(on: Transaction<PanelsTables>, workspaceId: string): Promise<void> {
    if (engine !== "postgres") return;
    await sql`select pg_advisory_xact_lock(hashtextextended(${workspaceId}, ${LOG_LOCK}))`.execute(on);
  }

  /** Keeps the newest lines, up to the limit per workspace. */
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

  async function trimInTime(workspaceId: string, more: number): Promise<void> {
    const count = (untrimmed.get(workspaceId) ?? 0) + more;
    untrimmed.set(workspaceId, count);
    const isFull = untrimmed.size > MAX_UNTRIMMED;
    if (count < TRIM_EVERY && !isFull) return;
    const [oldest = workspaceId] = untrimmed.keys();
    const due = isFull ? oldest : workspaceId;
    untrimmed.delete(due);
    await trim(due);
  }

  return {
    async insert(workspaceId, entries, atMs) {
      const rows = await shortLived.transaction().execute(async (transaction) => {
        await waitForTurn(transaction, workspaceId);
        return transaction
          .insertInto("panels_log")
          .values(entries.map((entry) => ({ workspace_id: workspaceId, at_ms: atMs, ...entry })))
          .returning("id")
          .execute();
      });
      const ids = rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
      await trimInTime(workspaceId, entries.length);
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
      // The engines disagree about upper and lower case beyond ASCII, so the search happens here.
      const wanted = q?.toLowerCase();
      const rows: Row[] = await query
        .orderBy("id", after === undefined ? "desc" : "asc")
        .limit(wanted === undefined ? limit : PANELS_LIMITS.maxLogEntries + TRIM_EVERY)
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
