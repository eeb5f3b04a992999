import type { TestEvent } from "node:test/reporters";
import { type Failure, nothing, type Tally } from "./tally.ts";

export type FileResult = { tally: Tally; failures: Failure[] };

/** Gathers what node:test says about one file: its counts, its failing tests, and what it printed if one failed. */
export function createFileRecord(file: string, path: string) {
  let tally: Tally = nothing;
  let hasTests = false;
  let printed = "";
  const failures: Failure[] = [];

  return {
    take(event: TestEvent): void {
      if (event.type === "test:stdout" || event.type === "test:stderr") printed += event.data.message;
      // Why a file fails none of whose tests did: something went on after they were over.
      if (event.type === "test:diagnostic" && !isCount(event.data.message)) printed += `${event.data.message}\n`;
      if (event.type === "test:pass" && event.data.name !== path) hasTests = true;
      if (event.type === "test:fail") {
        hasTests = true;
        const failure = describe(event.data, file, path);
        if (failure !== undefined) failures.push(failure);
      }
      // Without a file it is the summary of the whole run, which also counts a file that crashed.
      if (event.type === "test:summary" && event.data.file === undefined) tally = count(event.data.counts);
    },
    result(): FileResult {
      if (!hasTests) return empty(file, printed);
      const [first, ...others] = failures;
      if (first === undefined || printed.trim() === "") return { tally, failures };
      return { tally, failures: [{ ...first, details: `${first.details}\nIt printed:\n${printed}` }, ...others] };
    },
  };
}

/** What node:test says of every file, beside why one failed. */
const isCount = (message: string) =>
  /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);

function count(counts: { tests: number; passed: number; skipped: number; todo: number }): Tally {
  const skipped = counts.skipped + counts.todo;
  return { passed: counts.passed, failed: counts.tests - counts.passed - skipped, skipped };
}

function empty(file: string, printed: string): FileResult {
  const details = `No test ran in this file.\n${printed}`;
  return { tally: { passed: 0, failed: 1, skipped: 0 }, failures: [{ name: file, where: file, details }] };
}

type FailData = Extract<TestEvent, { type: "test:fail" }>["data"];

function describe(data: FailData, file: string, path: string): Failure | undefined {
  const { error } = data.details;
  const failureType = "failureType" in error ? error.failureType : undefined;
  // A parent fails because of a child that is listed itself.
  if (failureType === "subtestsFailed" || data.todo !== undefined) return undefined;
  if (data.name === path) return { name: file, where: file, details: fileFault(error, failureType) };
  const cause = causeOf(error);
  return { name: data.name, where: data.line === undefined ? file : `${file}:${data.line}`, details: cause };
}

function fileFault(error: Error, failureType: unknown): string {
  if (failureType === "testAborted")
    return "The file did not end in time: something in it is still open. It was ended.";
  if ("signal" in error && typeof error.signal === "string") return `The file was ended by ${error.signal}.`;
  if ("exitCode" in error && typeof error.exitCode === "number") return `The file ended with code ${error.exitCode}.`;
  // A hook of the file.
  return causeOf(error);
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : error.message;
}
