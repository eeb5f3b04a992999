import type { RunResult } from "@backplane/contract/panels";
import { type Database, prepare } from "@backplane/kit/database";
import type { PanelsTables } from "../tables.ts";
import { unlessRemoved } from "../workspaces/store.ts";

export type WaitingTab = { workspaceId: string; tabId: string };
export type NewEval = WaitingTab & { id: string; code: string; timeoutMs: number; nowMs: number };
type QueueLimits = { perTab: number; perOwner: number };
type Added = "added" | "tab-full" | "owner-full";
export type TakenEval = { id: string; code: string; timeoutMs: number };
/** unknown: it was given to a browser that did not answer. */
export type EvalOutcome = RunResult | { status: "unknown" };
export type KnownEval = { state: "queued" | "taken" | "done"; result: EvalOutcome | undefined };

/** Taken code may be put back: its browser may be gone before it gets it. */
const UNDONE = ["queued", "taken"] as const;

export type EvalStore = ReturnType<typeof createEvalStore>;

type ShortLived = Database<PanelsTables>["shortLived"];

/**
 * Code that waits for a browser, in the order it was sent. Every change is one conditional statement, so any number of
 * instances may work on one queue: code is taken once, and only while no other code of its tab is running.
 */
export function createEvalStore({ shortLived }: Database<PanelsTables>) {
  const read = prepare((given: { workspaceId: string; id: string }) =>
    shortLived
      .selectFrom("panels_evals")
      .select(["state", "result"])
      .where("workspace_id", "=", given.workspaceId)
      .where("id", "=", given.id),
  );
  /** The code is of no more use, and is not kept. */
  const done = (nowMs: number) => ({ state: "done", code: "", done_at_ms: nowMs }) as const;
  const finishAll = (result: EvalOutcome, nowMs: number) =>
    shortLived.updateTable("panels_evals").set({ ...done(nowMs), result: JSON.stringify(result) });

  return {
    add: (added: NewEval, limits: QueueLimits): Promise<Added> => add(shortLived, added, limits),
    countUndone: (tab: WaitingTab): Promise<number> => count(shortLived, tab, UNDONE),
    countQueued: (tab: WaitingTab): Promise<number> => count(shortLived, tab, ["queued"]),
    take: (tab: WaitingTab, nowMs: number): Promise<TakenEval | undefined> => take(shortLived, tab, nowMs),

    /** It was not run after all: it keeps its place. If it was dropped meanwhile, this is its result. */
    async putBack(id: string, ifDropped: RunResult): Promise<void> {
      await shortLived
        .updateTable("panels_evals")
        .set(({ eb }) => {
          const ifTaken = eb.case().when("state", "=", "taken");
          return {
            state: ifTaken.then<KnownEval["state"]>("queued").else(eb.ref("state")).end(),
            done_at_ms: ifTaken.then<number | null>(null).else(eb.ref("done_at_ms")).end(),
            result: ifTaken.then<string | null>(null).else(JSON.stringify(ifDropped)).end(),
          };
        })
        .where("id", "=", id)
        .where("state", "in", ["taken", "done"])
        .execute();
    },

    async finish(id: string, result: EvalOutcome, nowMs: number): Promise<void> {
      await finishAll(result, nowMs).where("id", "=", id).where("state", "=", "taken").execute();
    },

    /**
     * Drops what has not finished in this tab. Taken code too: its browser may be gone, and it would be put back and run
     * after the reset.
     */
    async drop(
      { workspaceId, tabId }: WaitingTab,
      results: { queued: RunResult; taken: RunResult },
      nowMs: number,
    ): Promise<number> {
      const [queued, taken] = [results.queued, results.taken].map((result) => JSON.stringify(result)) as [
        string,
        string,
      ];
      const { numUpdatedRows } = await shortLived
        .updateTable("panels_evals")
        .set(({ eb }) => ({
          ...done(nowMs),
          result: eb.case().when("state", "=", "queued").then(queued).else(taken).end(),
        }))
        .where("workspace_id", "=", workspaceId)
        .where("tab_id", "=", tabId)
        .where("state", "in", UNDONE)
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

    /** Taken by an instance that died. Nobody knows whether the code ran, so it is not run again. */
    async giveUpTaken(takenBeforeMs: number, result: EvalOutcome, nowMs: number): Promise<void> {
      await finishAll(result, nowMs).where("state", "=", "taken").where("done_at_ms", "<", takenBeforeMs).execute();
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

/** Concurrent callers may exceed a limit by their own number. */
async function add(shortLived: ShortLived, added: NewEval, { perTab, perOwner }: QueueLimits): Promise<Added> {
  const { workspaceId, tabId, id, code, timeoutMs, nowMs } = added;
  if ((await count(shortLived, added, UNDONE)) >= perTab) return "tab-full";
  if ((await countOfOwner(shortLived, workspaceId)) >= perOwner) return "owner-full";
  const insertion = shortLived
    .insertInto("panels_evals")
    .values({
      // As JSON: code may have characters, such as NUL, that not every engine keeps.
      ...{ id, code: JSON.stringify(code), workspace_id: workspaceId, tab_id: tabId, timeout_ms: timeoutMs },
      ...{ state: "queued", result: null, created_at_ms: nowMs, done_at_ms: null },
    })
    .execute();
  await unlessRemoved({ shortLived }, workspaceId, insertion);
  return "added";
}

/** Those that wait, and those whose result is kept, in all workspaces of the owner of this one. */
async function countOfOwner(shortLived: ShortLived, workspaceId: string): Promise<number> {
  const { count } = await shortLived
    .selectFrom("panels_evals")
    .innerJoin("panels_workspaces", "panels_workspaces.id", "panels_evals.workspace_id")
    .where("owner_id", "=", (query) =>
      query.selectFrom("panels_workspaces as this").select("this.owner_id").where("this.id", "=", workspaceId),
    )
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function count(
  shortLived: ShortLived,
  { workspaceId, tabId }: WaitingTab,
  states: readonly KnownEval["state"][],
): Promise<number> {
  const row = await shortLived
    .selectFrom("panels_evals")
    .where("workspace_id", "=", workspaceId)
    .where("tab_id", "=", tabId)
    .where("state", "in", states)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The next one, for the first instance that asks. */
async function take(
  shortLived: ShortLived,
  { workspaceId, tabId }: WaitingTab,
  nowMs: number,
): Promise<TakenEval | undefined> {
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
}
