import { limitConcurrency } from "../../packages/kit/src/toolbox/concurrency.ts";

const CHECKS_AT_ONCE = 4;

/** What the caller of an operation was told about it. */
export type Told = "done" | "not done" | "unknown";

export type Operation = {
  kind: string;
  told: Told;
  /** Status and code, or how the connection ended; only of operations that were not told to be done. */
  error?: string;
  /** How often it was really done. Asked when everything runs again. */
  times(): Promise<number>;
};

/** Codes of 5xx answers which say that nothing was done. All other 5xx answers say nothing about it. */
const NOT_DONE: ReadonlySet<string> = new Set(["not-ready", "browser-timeout"]);

export function toldBy({ status, code }: { status: number; code: string }): Told {
  if (status < 400) return "done";
  return status < 500 || NOT_DONE.has(code) ? "not done" : "unknown";
}

type ErrorLine = { told: Told; count: number; done: number };

export type Ledger = ReturnType<typeof createLedger>;

/** Collects operations, then compares what callers were told with what is there. */
export function createLedger() {
  let open: Operation[] = [];
  const counts = { all: 0, confirmed: 0, errors: 0 };
  const lost: string[] = [];
  const wrong: string[] = [];
  const errors = new Map<string, ErrorLine>();

  function judge({ kind, told, error = "" }: Operation, times: number): void {
    counts.all += 1;
    if (told === "done") counts.confirmed += 1;
    if (told === "done" && times === 0) lost.push(`${kind}: told done${error && ` (${error})`}, but it was not done`);
    if (times > 1) wrong.push(`${kind}: told ${told}${error && ` (${error})`}, but done ${times} times`);
    if (told === "not done" && times === 1) wrong.push(`${kind}: told not done (${error}), but it was done`);
    if (told === "done") return;
    counts.errors += 1;
    const name = `${kind}: ${error}`;
    const line = errors.get(name) ?? { told, count: 0, done: 0 };
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
    report(): string {
      const lines = [...errors].sort(([a], [b]) => a.localeCompare(b));
      return [
        ...lines.map(([name, { told, count, done }]) => {
          return `${name}: ${count} times, told ${told}, in truth ${done} done, ${count - done} not done`;
        }),
        ...[...lost, ...wrong].map((line) => `FAULT ${line}`),
        `${counts.all} operations, ${counts.confirmed} told done, ${counts.errors} errors`,
        `lost ${lost.length} of ${counts.confirmed}, ${wrong.length} wrong statements`,
      ].join("\n");
    },
  };
}
