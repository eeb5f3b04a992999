import { createWriteStream, openSync, renameSync, statSync, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../folder.ts";

const MAX_LOG_FILE_BYTES = 5 * 1024 * 1024;
/** name.log and this many older ones: name.log.1, name.log.2 … */
const OLDER_LOG_FILES = 2;
/** When a slow disk falls this far behind, lines are dropped and counted. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

export type LogFile = { write(line: string): void; close(): Promise<void> };

/** A log file that is rotated when it is full. With its older files it never takes more than three times its limit. */
export function openLogFile(path: string, maxBytes = MAX_LOG_FILE_BYTES): LogFile {
  let isBroken = false;
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let dropped = 0;
  let stream = open();

  /** Works also after its folder was removed or the disk was full. */
  function open(): WriteStream {
    makePrivateFolder(dirname(path));
    // Opened synchronously, so that the name is free for the next file while this one is still being written.
    const fd = openSync(path, "a", 0o600);
    // A full disk must not end the process.
    return createWriteStream(path, { fd }).on("error", () => {
      isBroken = true;
    });
  }
  function rotate(): void {
    stream.end();
    isBroken = false;
    for (let number = OLDER_LOG_FILES; number > 0; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
    }
    stream = open();
    bytes = 0;
  }
  function append(line: string): void {
    const text = `${line}\n`;
    bytes += Buffer.byteLength(text);
    stream.write(text);
  }

  return {
    write(line) {
      if (stream.writableLength > MAX_UNWRITTEN_BYTES) {
        dropped += 1;
        return;
      }
      try {
        if (bytes >= maxBytes || isBroken) rotate();
      } catch {
        isBroken = true;
        dropped += 1;
        return;
      }
      if (dropped > 0) append(`(${dropped} lines dropped)`);
      dropped = 0;
      append(line);
    },
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}
