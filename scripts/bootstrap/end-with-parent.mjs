// Preloaded (`node --import`) into what run-child.mjs runs: when that parent is killed, this process ends as if asked.
// Node hands the flag on to what this process forks; the pid tells the two apart.
import process from "node:process";

if (process.channel && process.ppid === Number(process.env.ENDS_WITH_PID)) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
