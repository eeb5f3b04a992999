import { type Layout, type OutlinePanel, PANELS_LIMITS } from "@backplane/contract/panels";
import { type Database, isUniqueViolation, prepare } from "@backplane/kit/database";
import { type Kysely, sql, type Transaction } from "kysely";
import { outlineOf } from "../layout/outline.ts";
import { tabsOf } from "../layout/tree.ts";
import type { Remembered } from "../layout/undo.ts";
import { workspaceRemoved } from "../problems.ts";
import type { PanelsTables } from "../tables.ts";

export type StoredWorkspace = { id: string; repo: string; folder: string; layout: Layout };
/** The change that the next undo reverts. */
export type LastChange = { revision: number; remembered: Remembered };
export type ListedWorkspace = {
  id: string;
  ownerId: string;
  repo: string;
  tabs: number;
  outline: OutlinePanel[];
  updatedAtMs: number;
  firstRepo?: string;
};

/** A layout that replaces the one that was read. */
export type Write = { id: string; layout: Layout; text: string; nowMs: number };

/** SQLite and PostgreSQL limit the parameters of a statement. */
const MAX_OWNERS_PER_STATEMENT = 1_000;

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export function createWorkspaceStore({ durable, shortLived }: Database<PanelsTables>) {
  // Every call of the area begins with one of these.
  const readById = prepare(({ id }: { id: string }) =>
    durable.selectFrom("panels_workspaces").select(["revision", "layout"]).where("id", "=", id),
  );
  const readByName = prepare(({ ownerId, repoKey }: { ownerId: string; repoKey: string }) =>
    durable
      .selectFrom("panels_workspaces")
      .select(["id", "repo", "repo_key", "folder", "revision", "layout"])
      .where("owner_id", "=", ownerId)
      .where("repo_key", "=", repoKey),
  );

  return {
    async read(id: string): Promise<Layout | undefined> {
      const { rows } = await readById(durable, { id });
      return rows[0] && layoutOf(rows[0]);
    },

    async readByName(ownerId: string, repo: string): Promise<StoredWorkspace | undefined> {
      const [row] = (await readByName(durable, { ownerId, repoKey: keyOf(repo) })).rows;
      return row && { id: row.id, repo: row.repo, folder: row.folder ?? row.repo_key, layout: layoutOf(row) };
    },

    async count(ownerId: string): Promise<number> {
      const { count } = await durable
        .selectFrom("panels_workspaces")
        .select((row) => row.fn.countAll<number>().as("count"))
        .where("owner_id", "=", ownerId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** When several instances create it at once, the first one wins and the others find it: false. */
    async insert(made: { id: string; ownerId: string; repo: string; layout: Layout; nowMs: number }): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await durable
        .insertInto("panels_workspaces")
        .values({
          ...{ id: made.id, owner_id: made.ownerId, repo: made.repo, repo_key: keyOf(made.repo) },
          folder: folderUnlessTaken(made),
          ...{ revision: made.layout.revision, layout: JSON.stringify(made.layout.root) },
          ...{ tab_count: tabsOf(made.layout.root).length, outline: JSON.stringify(outlineOf(made.layout.root)) },
          ...{ created_at_ms: made.nowMs, updated_at_ms: made.nowMs },
        })
        .onConflict((conflict) => conflict.columns(["owner_id", "repo_key"]).doNothing())
        .executeTakeFirst();
      return Number(numInsertedOrUpdatedRows) > 0;
    },

    /** A change that cannot be undone: a power cut may lose the last instant of these. */
    write: (change: Write): Promise<boolean> => writeLayout(shortLived, change),

    ...createUndoStore({ durable }),

    /** Those of the owners, and these; newest first. */
    async list(
      { ownerIds, ids }: { ownerIds: readonly string[]; ids: readonly string[] },
      limit: number,
    ): Promise<ListedWorkspace[]> {
      if (ownerIds.length + ids.length === 0) return [];
      const rows = await durable
        .selectFrom("panels_workspaces")
        .select(["id", "owner_id", "repo", "repo_key", "folder", "tab_count", "outline", "updated_at_ms"])
        .where((row) =>
          row.or([
            ...(ownerIds.length > 0 ? [row("owner_id", "in", ownerIds)] : []),
            ...(ids.length > 0 ? [row("id", "in", ids)] : []),
          ]),
        )
        .orderBy("updated_at_ms", "desc")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...{ id: row.id, ownerId: row.owner_id, repo: row.repo },
        ...{ tabs: row.tab_count, updatedAtMs: row.updated_at_ms },
        ...firstName(row),
        outline: row.outline === null ? [] : (JSON.parse(row.outline) as OutlinePanel[]),
      }));
    },

    ...createOwnerStore({ durable }),
  };
}

/** What only those who decide for an owner may do. */
function createOwnerStore({ durable }: Pick<Database<PanelsTables>, "durable">) {
  return {
    /** One statement: of several that want the same name, one gets it. Its files keep their folder. */
    async rename(id: string, repo: string): Promise<"renamed" | "taken" | "gone"> {
      try {
        const { numUpdatedRows } = await durable
          .updateTable("panels_workspaces")
          .set((row) => ({ repo, repo_key: keyOf(repo), folder: row.fn.coalesce("folder", "repo_key") }))
          .where("id", "=", id)
          .executeTakeFirst();
        return numUpdatedRows === 1n ? "renamed" : "gone";
      } catch (error) {
        if (isUniqueViolation(error)) return "taken";
        throw error;
      }
    },

    /** False: another call was faster. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await durable.deleteFrom("panels_workspaces").where("id", "=", id).executeTakeFirst();
      return numDeletedRows === 1n;
    },

    /** Returns the ids of the removed workspaces. */
    async removeOf(ownerIds: readonly string[]): Promise<string[]> {
      const removed: string[] = [];
      for (let from = 0; from < ownerIds.length; from += MAX_OWNERS_PER_STATEMENT) {
        const some = ownerIds.slice(from, from + MAX_OWNERS_PER_STATEMENT);
        await durable.deleteFrom("panels_usage").where("owner_id", "in", some).execute();
        await durable.deleteFrom("panels_shares").where("user_id", "in", some).execute();
        await durable.deleteFrom("panels_lessons").where("user_id", "in", some).execute();
        const gone = durable.deleteFrom("panels_workspaces").where("owner_id", "in", some).returning("id");
        removed.push(...(await gone.execute()).map(({ id }) => id));
      }
      return removed;
    },
  };
}

/** Only from the revision before: of several writers one wins. */
async function writeLayout(on: Kysely<PanelsTables>, { id, layout, text, nowMs }: Write): Promise<boolean> {
  const { numUpdatedRows } = await on
    .updateTable("panels_workspaces")
    .set({
      ...{ revision: layout.revision, layout: text, updated_at_ms: nowMs },
      ...{ tab_count: tabsOf(layout.root).length, outline: JSON.stringify(outlineOf(layout.root)) },
    })
    .where("id", "=", id)
    .where("revision", "=", layout.revision - 1)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function createUndoStore({ durable }: Pick<Database<PanelsTables>, "durable">) {
  return {
    writeUndoable: (change: Write, remembered: Remembered): Promise<boolean> =>
      durable.transaction().execute(async (transaction) => {
        if (!(await writeLayout(transaction, change))) return false;
        const { id, layout } = change;
        await transaction
          .insertInto("panels_undo")
          .values({ workspace_id: id, revision: layout.revision, layout: JSON.stringify(remembered) })
          .execute();
        await forgetOldest(transaction, id);
        return true;
      }),

    async lastChange(id: string): Promise<LastChange | undefined> {
      const row = await durable
        .selectFrom("panels_undo")
        .select(["revision", "layout"])
        .where("workspace_id", "=", id)
        .orderBy("revision", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && { revision: row.revision, remembered: JSON.parse(row.layout) as Remembered };
    },

    /** Writes the layout without the change, and forgets the change. */
    writeUndo: (change: Write, undoneRevision: number): Promise<boolean> =>
      durable.transaction().execute(async (transaction) => {
        if (!(await writeLayout(transaction, change))) return false;
        await transaction
          .deleteFrom("panels_undo")
          .where("workspace_id", "=", change.id)
          .where("revision", "=", undoneRevision)
          .execute();
        return true;
      }),
  };
}

async function forgetOldest(on: Transaction<PanelsTables>, id: string): Promise<void> {
  await on
    .deleteFrom("panels_undo")
    .where("workspace_id", "=", id)
    .where("revision", "<=", (outer) =>
      outer
        .selectFrom("panels_undo as kept")
        .select("kept.revision")
        .where("kept.workspace_id", "=", id)
        .orderBy("kept.revision", "desc")
        .limit(1)
        .offset(PANELS_LIMITS.maxUndo),
    )
    .execute();
}

const keyOf = (repo: string): string => repo.toLowerCase();

/** Null: the folder of its name. A folder of its own when a workspace that was renamed has that one; no name contains ~. */
const folderUnlessTaken = ({ id, ownerId, repo }: { id: string; ownerId: string; repo: string }) => sql<string | null>`
  case when exists (
    select 1 from panels_workspaces where owner_id = ${ownerId} and coalesce(folder, repo_key) = ${keyOf(repo)}
  ) then ${`${keyOf(repo)}~${id}`} else null end`;

/** The folder still has the first name, unless it is one of its own. */
const firstName = ({ repo_key: key, folder }: { repo_key: string; folder: string | null }) =>
  folder === null || folder === key || folder.includes("~") ? {} : { firstRepo: folder };

const layoutOf = ({ revision, layout }: { revision: number; layout: string }): Layout => ({
  revision,
  root: JSON.parse(layout) as Layout["root"],
});

/** Turns a failure of work on a workspace that was removed meanwhile into 404. */
export async function unlessRemoved<Result>(
  { shortLived }: Pick<Database<PanelsTables>, "shortLived">,
  workspaceId: string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (fault) {
    const found = await shortLived
      .selectFrom("panels_workspaces")
      .select("id")
      .where("id", "=", workspaceId)
      .executeTakeFirst();
    if (found) throw fault;
    throw workspaceRemoved();
  }
}
