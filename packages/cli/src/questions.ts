import { createInterface } from "node:readline";

export type Questions = Disposable & {
  /** The next line, without spaces around it. Undefined when there are no more answers. */
  ask(question: string): Promise<string | undefined>;
};

/** Asks on standard error and reads standard input, which may also be a file or a pipe with one answer per line. */
export function openQuestions({ stdin, stderr }: NodeJS.Process, signal: AbortSignal): Questions {
  const reader = createInterface({ input: stdin, signal });
  // Not `question`, which loses lines that arrive before it is called.
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask(question) {
      stderr.write(question);
      const { value, done } = await lines.next();
      signal.throwIfAborted();
      if (!done) return value.trim();
      stderr.write("\n");
      return undefined;
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
