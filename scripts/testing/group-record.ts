import type { TestEvent } from "node:test/reporters";
import { add, type Failure, nothing, type Tally } from "./tally.ts";

export type FileResult = {
  file: string;
  tally: Tally;
  failures: Failure[];
  /** Undefined if it did not come to its end. */
  durationMs: number | undefined;
};

type Verdict = Extract<TestEvent, { type: "test:pass" | "test:fail" }>;

/**
 * Gathers what node:test says about a group of files (see group.ts): counts, failing tests, and what was printed if one
 * failed. `entry` is the path of the program that runs them.
 */
export function createGroupRecord(files: readonly string[], entry: string) {
  const results = new Map<string, FileResult>(
    files.map((file) => [file, { file, tally: nothing, failures: [], durationMs: undefined }]),
  );
  let current = files[0] ?? "";
  let printed = "";

  function fail(file: string, failure: Failure): void {
    const result = results.get(file);
    if (result === undefined) return;
    result.tally = add(result.tally, { ...nothing, failed: 1 });
    result.failures.push(failure);
  }

  /** Of the process: something went on after the tests were over, or ended them. */
  function takeProcess({ data }: Verdict): void {
    const { error } = data.details as { error?: Error };
    const failureType = error !== undefined && "failureType" in error ? error.failureType : undefined;
    if (error === undefined || failureType === "subtestsFailed") return;
    const others = files.length > 1 ? `It ran with: ${files.join(", ")}.\n` : "";
    const details = `${processFault(error, failureType)}\n${others}`;
    fail(current, { name: current, where: current, details });
  }

  function takeFile({ type, data }: Verdict): void {
    const result = results.get(data.name);
    if (result === undefined) {
      fail(current, { name: data.name, where: current, details: "This test was added when its file had been read." });
      return;
    }
    result.durationMs = data.details.duration_ms;
    if (type === "test:fail" && !isBecauseOfOthers(data.details.error)) {
      fail(data.name, { name: data.name, where: data.name, details: causeOf(data.details.error) });
    } else if (sum(result.tally) === 0) {
      fail(data.name, { name: data.name, where: data.name, details: "No test ran in this file." });
    }
  }

  function takeTest({ type, data }: Verdict): void {
    const result = results.get(current);
    if (result === undefined) return;
    const failed = type === "test:fail" && data.todo === undefined;
    // A parent fails because of a child that is listed itself.
    if (failed && !isBecauseOfOthers(data.details.error)) {
      const where = data.line === undefined ? current : `${current}:${data.line}`;
      result.failures.push({ name: data.name, where, details: causeOf(data.details.error) });
    }
    if (data.details.type === "suite" && !(failed && !isBecauseOfOthers(data.details.error))) return;
    const skipped = data.skip !== undefined || data.todo !== undefined;
    result.tally = add(result.tally, {
      passed: failed || skipped ? 0 : 1,
      failed: failed ? 1 : 0,
      skipped: skipped ? 1 : 0,
    });
  }

  return {
    take(event: TestEvent): void {
      if (event.type === "test:stdout" || event.type === "test:stderr") printed += event.data.message;
      // Why a file fails none of whose tests did: something went on after they were over.
      if (event.type === "test:diagnostic" && !isCount(event.data.message)) printed += `${event.data.message}\n`;
      if (event.type === "test:start" && event.data.nesting === 0 && results.has(event.data.name)) {
        current = event.data.name;
      }
      if (event.type !== "test:pass" && event.type !== "test:fail") return;
      if (event.data.name === entry) takeProcess(event);
      else if (event.data.nesting === 0) takeFile(event);
      else takeTest(event);
    },
    results(): FileResult[] {
      const all = [...results.values()];
      for (const { file, durationMs, failures } of all) {
        if (durationMs !== undefined || failures.length > 0) continue;
        fail(file, { name: file, where: file, details: "The process ended before the tests of this file did." });
      }
      const first = all.find(({ failures }) => failures.length > 0)?.failures[0];
      if (first !== undefined && printed.trim() !== "") first.details += `\nIt printed:\n${printed}`;
      return all;
    },
  };
}

const MAX_CAUSES = 4;

const sum = ({ passed, failed, skipped }: Tally): number => passed + failed + skipped;

/** What node:test says of every process, beside why one failed. */
const isCount = (message: string) =>
  /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);

const isBecauseOfOthers = (error: Error): boolean => "failureType" in error && error.failureType === "subtestsFailed";

function processFault(error: Error, failureType: unknown): string {
  if (failureType === "testAborted") return "It did not end in time: something is still open. It was ended.";
  if ("signal" in error && typeof error.signal === "string") return `The process was ended by ${error.signal}.`;
  if ("exitCode" in error && typeof error.exitCode === "number")
    return `The process ended with code ${error.exitCode}.`;
  return causeOf(error);
}

/** node:test wraps what was thrown. Its own causes say why, such as the lost connection behind "fetch failed". */
function causeOf(error: Error): string {
  if (!(error.cause instanceof Error)) return error.message;
  const lines: string[] = [];
  for (let cause: unknown = error.cause; cause instanceof Error && lines.length < MAX_CAUSES; cause = cause.cause) {
    lines.push(cause.stack ?? cause.message);
  }
  return lines.join("\nCaused by ");
}
