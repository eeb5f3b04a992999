// Takes the lock that is named, says so, and keeps it until it is ended: `node hold-lock.ts PATH`.
import { withFileLock } from "../tokens/file-lock.ts";

await withFileLock(String(process.argv[2]), async () => {
  process.send?.("held");
  await new Promise((resolve) => process.once("message", resolve));
});
process.disconnect();
