import { limitConcurrency } from "../../packages/kit/src/toolbox/concurrency.ts";

const CHECKS_AT_ONCE = 4;

/** What the caller of an operation was told about it. Every error must say whether it was done, or that it is unknown. */
export type Told = "done" | "not done" | "unknown" | "nothing";

export type Operation = {
  kind: string;
  told: Told;
  /** Status and code, or how the connection ended; only of operations that were not told to be done. */
  error?: string;
  /** Whether the sdk makes such a call again by itself. */
  isRepeated?: boolean;
  /** How often it was really done. Asked when everything runs again. */
  times(): Promise<number>;
};

/** Codes of 5xx answers which say that nothing was done, without saying it in words. */
const NOT_DONE: ReadonlySet<string> = new Set(["not-ready", "shot-failed", "disk-full"]);

type Answer = { status: number; code: string; body: Record<string, unknown> };

export function toldBy({ status, code, body }: Answer): Told {
  if (status < 400) return "done";
  if (code === "") return "unknown"; // Of nginx.
  const words = `${body.title}. ${body.detail}`;
  if (status < 500 || NOT_DONE.has(code) || /nothing was done/i.test(words)) return "not done";
  return /It is not known whether this was done/.test(words) ? "unknown" : "nothing";
}

type ErrorLine = { told: Told; isRepeated: boolean; count: number; done: number };
type KindLine = { all: number; done: number };

export type Ledger = ReturnType<typeof createLedger>;

/** Collects operations, then compares what callers were told with what is there. */
export function createLedger() {
  let open: Operation[] = [];
  const kinds = new Map<string, KindLine>();
  const lost: string[] = [];
  const wrong: string[] = [];
  const errors = new Map<string, ErrorLine>();

  function find(faults: string[], fault: string): void {
    faults.push(fault);
    console.log(`  FAULT ${fault}`);
  }

  function judge({ kind, told, error = "", isRepeated = false }: Operation, times: number): void {
    const { all, done } = kinds.get(kind) ?? { all: 0, done: 0 };
    kinds.set(kind, { all: all + 1, done: done + (told === "done" ? 1 : 0) });
    const what = `${kind}: told ${told}${error && ` (${error})`}`;
    if (told === "done" && times === 0) find(lost, `${what}, but it was not done`);
    if (told === "not done" && times === 1) find(wrong, `${what}, but it was done`);
    if (told === "nothing") find(wrong, `${what} of whether it was done`);
    if (times > 1) find(wrong, `${what}, but done ${times} times`);
    if (told === "done") return;
    const name = `${kind}: ${error}`;
    const line = errors.get(name) ?? { told, isRepeated, count: 0, done: 0 };
    errors.set(name, { ...line, count: line.count + 1, done: line.done + Math.min(times, 1) });
  }

  return {
    record: (operation: Operation): void => void open.push(operation),
    async verify(): Promise<void> {
      const checked = open;
      open = [];
      const pool = limitConcurrency({ atOnce: CHECKS_AT_ONCE });
      await Promise.all(checked.map((operation) => pool(async () => judge(operation, await operation.times()))));
    },
    isClean: (): boolean => lost.length + wrong.length === 0,
    /** Errors that a program with the sdk sees. */
    seenErrors: (): string[] => [...errors].flatMap(([name, { isRepeated }]) => (isRepeated ? [] : [name])),
    report(): string {
      const lines = [...errors].sort(([a], [b]) => a.localeCompare(b));
      const total = (which: keyof KindLine) => [...kinds.values()].reduce((sum, line) => sum + line[which], 0);
      return [
        ...Array.from(kinds, ([kind, { all, done }]) => `${kind}: ${all} times, ${done} told done`),
        ...lines.map(([name, { told, isRepeated, count, done }]) => {
          const sdk = isRepeated ? "the sdk tries again" : "the sdk reports it";
          return `${name}: ${count} times, told ${told}, in truth ${done} done, ${count - done} not done; ${sdk}`;
        }),
        ...[...lost, ...wrong].map((line) => `FAULT ${line}`),
        `${total("all")} operations, ${total("done")} told done, ${total("all") - total("done")} errors`,
        `lost ${lost.length} of ${total("done")}, ${wrong.length} wrong statements`,
      ].join("\n");
    },
  };
}
