// Takes the lock, says so, and holds it until it gets a message or is killed: `node hold-lock.ts PATH`.
import { withFileLock } from "../tokens/file-lock.ts";

await withFileLock(String(process.argv[2]), async () => {
  process.send?.("held");
  await new Promise((resolve) => process.once("message", resolve));
});
process.disconnect();
