// Increments a number in a file, holding the lock each time: `node count-alone.ts LOCK FILE TIMES`.
import { readFileSync, writeFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { withFileLock } from "../tokens/file-lock.ts";

const [lock = "", file = "", times] = process.argv.slice(2);
for (let count = 0; count < Number(times); count += 1) {
  await withFileLock(lock, async () => {
    const before = Number(readFileSync(file, "utf8"));
    await turn();
    writeFileSync(file, String(before + 1));
  });
}
process.send?.("done");
process.disconnect();
