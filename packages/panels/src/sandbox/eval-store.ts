import type { EvalResult } from "@backplane/contract/panels";
import { type Database, prepare } from "@backplane/kit/database";
import type { PanelsTables } from "../tables.ts";
import { unlessRemoved } from "../workspaces/store.ts";

export type WaitingTab = { workspaceId: string; tabId: string };
export type NewEval = WaitingTab & { id: string; code: string; timeoutMs: number; nowMs: number };
export type TakenEval = { id: string; code: string; timeoutMs: number };
export type KnownEval = { state: "queued" | "taken" | "done"; result: EvalResult | undefined };

/** What is taken may be put back: for a moment, each time it is looked whether a browser is there. */
const UNDONE = ["queued", "taken"] as const;

export type EvalStore = ReturnType<typeof createEvalStore>;

/**
 * Code that waits for a browser, in the order it was sent. Every change is one conditional statement, so that any number
 * of instances may work on one queue: a piece of code is taken once, and only while no other of its tab is under way.
 */
export function createEvalStore({ shortLived }: Database<PanelsTables>) {
  const read = prepare((given: { workspaceId: string; id: string }) =>
    shortLived
      .selectFrom("panels_evals")
      .select(["state", "result"])
      .where("workspace_id", "=", given.workspaceId)
      .where("id", "=", given.id),
  );
  const ofTab = ({ workspaceId, tabId }: WaitingTab) =>
    shortLived.selectFrom("panels_evals").where("workspace_id", "=", workspaceId).where("tab_id", "=", tabId);

  async function count(tab: WaitingTab, states: readonly KnownEval["state"][]): Promise<number> {
    const row = await ofTab(tab)
      .where("state", "in", states)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  return {
    /** False: as many wait already as may. Together, callers may exceed the number by how many they are. */
    async add({ workspaceId, tabId, id, code, timeoutMs, nowMs }: NewEval, max: number): Promise<boolean> {
      if ((await count({ workspaceId, tabId }, UNDONE)) >= max) return false;
      const insertion = shortLived
        .insertInto("panels_evals")
        .values({
          // As JSON: code may have characters, such as NUL, that not every engine keeps.
          ...{ id, code: JSON.stringify(code), workspace_id: workspaceId, tab_id: tabId, timeout_ms: timeoutMs },
          ...{ state: "queued", result: null, created_at_ms: nowMs, done_at_ms: null },
        })
        .execute();
      await unlessRemoved({ shortLived }, workspaceId, insertion);
      return true;
    },

    countUndone: (tab: WaitingTab): Promise<number> => count(tab, UNDONE),
    countQueued: (tab: WaitingTab): Promise<number> => count(tab, ["queued"]),

    /** The next one, for whoever is first to ask. */
    async take({ workspaceId, tabId }: WaitingTab, nowMs: number): Promise<TakenEval | undefined> {
      const row = await shortLived
        .updateTable("panels_evals")
        .set({ state: "taken", done_at_ms: nowMs })
        .where("state", "=", "queued")
        .where("seq", "=", (query) =>
          query
            .selectFrom("panels_evals")
            .select(({ fn }) => fn.min("seq").as("seq"))
            .where("workspace_id", "=", workspaceId)
            .where("tab_id", "=", tabId)
            .where("state", "in", UNDONE),
        )
        .returning(["id", "code", "timeout_ms"])
        .executeTakeFirst();
      return row && { id: row.id, code: JSON.parse(row.code) as string, timeoutMs: row.timeout_ms };
    },

    /** It was not run after all: it keeps its place. */
    async putBack(id: string): Promise<void> {
      await shortLived
        .updateTable("panels_evals")
        .set({ state: "queued", done_at_ms: null })
        .where("id", "=", id)
        .where("state", "=", "taken")
        .execute();
    },

    /** The code is of no more use, and is not kept. */
    async finish(id: string, result: EvalResult, nowMs: number): Promise<void> {
      await shortLived
        .updateTable("panels_evals")
        .set({ state: "done", code: "", result: JSON.stringify(result), done_at_ms: nowMs })
        .where("id", "=", id)
        .where("state", "=", "taken")
        .execute();
    },

    /** Of a tab, what has not begun. */
    async drop({ workspaceId, tabId }: WaitingTab, result: EvalResult, nowMs: number): Promise<number> {
      const { numUpdatedRows } = await shortLived
        .updateTable("panels_evals")
        .set({ state: "done", code: "", result: JSON.stringify(result), done_at_ms: nowMs })
        .where("workspace_id", "=", workspaceId)
        .where("tab_id", "=", tabId)
        .where("state", "=", "queued")
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    async find(workspaceId: string, id: string): Promise<KnownEval | undefined> {
      const row = (await read(shortLived, { workspaceId, id })).rows[0];
      return row && { state: row.state, result: row.result === null ? undefined : JSON.parse(row.result) };
    },

    /** Every tab that code waits for. */
    async waiting(): Promise<WaitingTab[]> {
      return shortLived
        .selectFrom("panels_evals")
        .select(["workspace_id as workspaceId", "tab_id as tabId"])
        .where("state", "in", UNDONE)
        .distinct()
        .execute();
    },

    /** Taken by an instance that did not live to tell how it ended. Nobody knows whether it ran, so it is not run again. */
    async giveUpTaken(takenBeforeMs: number, result: EvalResult, nowMs: number): Promise<void> {
      await shortLived
        .updateTable("panels_evals")
        .set({ state: "done", code: "", result: JSON.stringify(result), done_at_ms: nowMs })
        .where("state", "=", "taken")
        .where("done_at_ms", "<", takenBeforeMs)
        .execute();
    },

    async sweep(givenBeforeMs: number, doneBeforeMs: number): Promise<void> {
      await shortLived
        .deleteFrom("panels_evals")
        .where((row) =>
          row.or([
            row.and([row("state", "=", "queued"), row("created_at_ms", "<", givenBeforeMs)]),
            row.and([row("state", "=", "done"), row("done_at_ms", "<", doneBeforeMs)]),
          ]),
        )
        .execute();
    },
  };
}
