import type { ServerResponse } from "node:http";

const CHUNK = Buffer.alloc(64 * 1_024, 0x20);
/** What system and library buffer on both sides of a connection, and more. */
const MAX_TAKEN_BYTES = 16 * 1_048_576;

/** An answer that never ends, written as fast as it is read. */
export function endlessAnswer() {
  let bytes = 0;
  const closed = Promise.withResolvers<void>();
  function writeOn(response: ServerResponse): void {
    while (!response.destroyed) {
      bytes += CHUNK.length;
      if (!response.write(CHUNK)) return void response.once("drain", () => writeOn(response));
    }
  }
  return {
    write(response: ServerResponse): void {
      response.once("close", closed.resolve);
      writeOn(response);
    },
    /** Waits until the reader has closed the connection; false if it took much more than its limit. */
    async wasCutOff(): Promise<boolean> {
      await closed.promise;
      return bytes < MAX_TAKEN_BYTES;
    },
  };
}
