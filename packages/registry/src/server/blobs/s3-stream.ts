import { Readable } from "node:stream";
import { unavailable } from "./s3-calls.ts";

/** The body of an answer as it is asked for. Ended early, or without a byte for too long, it ends the connection too. */
export function s3Stream({ body }: Response, idleMs: number, abort: () => void): Readable {
  if (!body) return Readable.from([], { objectMode: false });
  const reader = body.getReader();
  return new Readable({
    read() {
      // A reader that takes its time is not the store's fault: only while it waits does the clock run.
      const timer = setTimeout(() => this.destroy(unavailable(new Error("The S3 store: a body stopped"))), idleMs);
      reader
        .read()
        .finally(() => clearTimeout(timer))
        .then(
          ({ value }) => this.push(value ?? null),
          () => this.destroy(unavailable(new Error("The S3 store: a body was cut off"))),
        );
    },
    destroy(error, done) {
      abort();
      done(error);
    },
  });
}
