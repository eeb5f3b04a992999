import { type EvalRun, PANELS_LIMITS, type SandboxJournal } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type RawBuilder, sql } from "kysely";
import type { Services } from "../services.ts";
import type { PanelsTables } from "../tables.ts";
import type { WaitingTab } from "./eval-store.ts";
import { prepareCode } from "./prepare/prepare-code.ts";

type JournalLimits = { maxEvals: number; maxBytes: number; maxBytesPerOwner: number };

const LIMITS: JournalLimits = {
  maxEvals: PANELS_LIMITS.maxJournalEvals,
  maxBytes: PANELS_LIMITS.maxJournalBytes,
  maxBytesPerOwner: PANELS_LIMITS.maxJournalBytesPerOwner,
};
/** Short code takes more room in a table than its own length. */
const MIN_BYTES = 1_024;
/** What an owner has is counted once for this much code of a sandbox: that takes long where there is a lot. */
const STEP_BYTES = 16_384;
const TOO_MUCH = "too-much";
/** Frames of that age are rare: code that runs in one of them later would look like all that ever ran. */
const TOO_MUCH_LIFE_MS = 12 * PANELS_LIMITS.journalLifeMs;
const SWEEP_EVERY_MS = 3_600_000;
/** Sandboxes of which this instance knows something; then it forgets the one it learnt first. */
const MAX_KNOWN = 10_000;

type ShortLived = Database<PanelsTables>["shortLived"];

export type Journal = {
  /** Keeps code that ran. It never fails: the caller's answer is about the code. */
  note(tab: WaitingTab, code: string, ran: EvalRun): Promise<void>;
  read(tab: WaitingTab, generation: number): Promise<SandboxJournal>;
  /** Forgets what ran before this generation. */
  drop(tab: WaitingTab, generation: number): Promise<void>;
  sweep(): Promise<void>;
  close(): Promise<void>;
};

type Options = Pick<Services, "database" | "onFault"> & { now: Clock; limits?: JournalLimits };

/**
 * The code that ran in each sandbox, by generation, so that a page that loads later can run it again. It is all of it or
 * nothing: with a part missing, the rest could draw something that never was there.
 */
export function openJournal({ database, onFault, now, limits = LIMITS }: Options): Journal {
  const { shortLived } = database;
  /** Most sandboxes that run a lot of code go on doing so. They cost no statement. */
  const full = new Set<string>();
  /** Sandboxes whose last code could not be stored. */
  const broken = new Set<string>();
  const keyOf = ({ workspaceId, tabId }: WaitingTab, { generation }: EvalRun) =>
    `${workspaceId} ${tabId} ${generation}`;

  async function add(tab: WaitingTab, code: string, ran: EvalRun): Promise<void> {
    const key = keyOf(tab, ran);
    if (full.has(key)) return;
    // As JSON: code may have characters, such as NUL, that not every engine keeps.
    const entry = { ...ran, code: JSON.stringify(code), nowMs: now() };
    if (!broken.has(key) && (await insertWithinLimits(shortLived, tab, entry, limits))) return;
    await forget(tab, ran.generation);
    broken.delete(key);
    remember(full, key);
  }

  /** From now on nothing of this generation is kept. */
  async function forget(tab: WaitingTab, generation: number): Promise<void> {
    await insertTooMuch(shortLived, tab, generation, now());
    await shortLived
      .deleteFrom("panels_journal")
      .where("workspace_id", "=", tab.workspaceId)
      .where("tab_id", "=", tab.tabId)
      .where("generation", "=", generation)
      .where("ended", "!=", TOO_MUCH)
      .execute();
  }

  async function sweep(): Promise<void> {
    const expired = await shortLived
      .selectFrom("panels_journal")
      .select(["workspace_id as workspaceId", "tab_id as tabId", "generation"])
      .where("ended", "!=", TOO_MUCH)
      .groupBy(["workspace_id", "tab_id", "generation"])
      .having(({ fn }) => fn.max("at_ms"), "<", now() - PANELS_LIMITS.journalLifeMs)
      .execute();
    for (const { generation, ...tab } of expired) await forget(tab, Number(generation));
    await shortLived
      .deleteFrom("panels_journal")
      .where("ended", "=", TOO_MUCH)
      .where("at_ms", "<", now() - TOO_MUCH_LIFE_MS)
      .execute();
  }
  let sweeping: Promise<void> = Promise.resolve();
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onFault);
  }, SWEEP_EVERY_MS).unref();

  return {
    note: (tab, code, ran) =>
      add(tab, code, ran).catch((fault: unknown) => {
        remember(broken, keyOf(tab, ran));
        onFault(fault);
      }),
    async read(tab, generation) {
      const rows = await entriesOf(shortLived, tab, generation)
        .select(["id", "code", "ended"])
        .orderBy("seq")
        .execute();
      const isWhole = rows.every(({ ended }) => ended !== TOO_MUCH);
      return { generation, isWhole, evals: isWhole ? rows.flatMap(toEval) : [] };
    },
    async drop(tab, generation) {
      await shortLived
        .deleteFrom("panels_journal")
        .where("workspace_id", "=", tab.workspaceId)
        .where("tab_id", "=", tab.tabId)
        .where("generation", "<", generation)
        .execute();
    },
    sweep,
    async close() {
      clearInterval(sweeper);
      await sweeping;
    },
  };
}

function remember(keys: Set<string>, key: string): void {
  keys.add(key);
  const [oldest] = keys;
  if (keys.size > MAX_KNOWN && oldest !== undefined) keys.delete(oldest);
}

const entriesOf = (shortLived: ShortLived, { workspaceId, tabId }: WaitingTab, generation: number) =>
  shortLived
    .selectFrom("panels_journal")
    .where("workspace_id", "=", workspaceId)
    .where("tab_id", "=", tabId)
    .where("generation", "=", generation);

type Row = { id: string; code: string; ended: PanelsTables["panels_journal"]["ended"] };

/** As its frame runs it. What ran once can be prepared again. */
function toEval({ id, code, ended }: Row): SandboxJournal["evals"] {
  if (ended === TOO_MUCH) return [];
  const prepared = prepareCode(JSON.parse(code) as string);
  return prepared.ok ? [{ id, code: prepared.code, isPrepared: prepared.isPrepared, ended }] : [];
}

// The casts are for PostgreSQL, which treats a bare parameter in a select as text.
const text = <Text extends string>(value: Text): RawBuilder<Text> => sql`cast(${value} as text)`;
const integer = (value: number): RawBuilder<number> => sql`cast(${value} as bigint)`;

const COLUMNS = ["id", "workspace_id", "tab_id", "generation", "code", "bytes", "ended", "at_ms"] as const;

type NewEntry = Row & { generation: number; bytes: number; nowMs: number };

/** One row, while the workspace exists. Conditions are added to it. */
const newEntry = (shortLived: ShortLived, { workspaceId, tabId }: WaitingTab, entry: NewEntry) =>
  shortLived
    .selectFrom("panels_workspaces as own")
    .select([
      text(entry.id).as("id"),
      "own.id as workspace_id",
      text(tabId).as("tab_id"),
      integer(entry.generation).as("generation"),
      text(entry.code).as("code"),
      integer(entry.bytes).as("bytes"),
      text(entry.ended).as("ended"),
      integer(entry.nowMs).as("at_ms"),
    ])
    .where("own.id", "=", workspaceId);

/** What a sandbox has kept: one look at its entries for all limits. */
const keptBy = (entries: ReturnType<typeof entriesOf>) =>
  entries.select(({ fn, eb }) => [
    fn.countAll<number>().as("count"),
    fn.coalesce(fn.sum<number>("bytes"), sql.lit(0)).as("bytes"),
    fn.max(eb.case().when("ended", "=", TOO_MUCH).then(sql.lit(1)).else(sql.lit(0)).end()).as("is_too_much"),
  ]);

/** False: a limit is reached. Concurrent callers may exceed a limit by their own number. */
async function insertWithinLimits(
  shortLived: ShortLived,
  tab: WaitingTab,
  given: EvalRun & { code: string; nowMs: number },
  { maxEvals, maxBytes, maxBytesPerOwner }: JournalLimits,
): Promise<boolean> {
  const bytes = Math.max(MIN_BYTES, Buffer.byteLength(given.code));
  const { numInsertedOrUpdatedRows } = await shortLived
    .insertInto("panels_journal")
    .columns(COLUMNS)
    .expression(
      newEntry(shortLived, tab, { ...given, bytes })
        .innerJoin(keptBy(entriesOf(shortLived, tab, given.generation)).as("kept"), (join) => join.onTrue())
        .where(({ fn }) => fn.coalesce("kept.is_too_much", sql.lit(0)), "=", 0)
        .where("kept.count", "<", maxEvals)
        .where("kept.bytes", "<=", maxBytes - bytes)
        .where(
          (row) =>
            row
              .case()
              .when(
                sql<boolean>`kept.bytes > 0 and kept.bytes % ${integer(STEP_BYTES)} < ${integer(STEP_BYTES - bytes)}`,
              )
              .then(sql.lit(0))
              .else(
                row
                  .selectFrom("panels_journal as entry")
                  .innerJoin("panels_workspaces as each", "each.id", "entry.workspace_id")
                  .whereRef("each.owner_id", "=", "own.owner_id")
                  .select(({ fn }) => fn.coalesce(fn.sum<number>("entry.bytes"), sql.lit(0)).as("sum")),
              )
              .end(),
          "<=",
          maxBytesPerOwner - bytes,
        ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

async function insertTooMuch(
  shortLived: ShortLived,
  tab: WaitingTab,
  generation: number,
  nowMs: number,
): Promise<void> {
  const entry = { id: TOO_MUCH, code: "", ended: TOO_MUCH, bytes: 0, generation, nowMs } as const;
  await shortLived
    .insertInto("panels_journal")
    .columns(COLUMNS)
    .expression(newEntry(shortLived, tab, entry))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
