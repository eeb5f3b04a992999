// Preloaded (`node --import`) into every test file's process: none goes on when the runner was killed.
// Node hands the flag on to what a test forks, which is the test's own business; the pid tells the two apart.
import process from "node:process";

const lookEveryMs = 500;
const runner = Number(process.env.TEST_RUNNER_PID);
// The run's process group, when it has one of its own: with what this test started.
const group = Number(process.env.TEST_RUNNER_GROUP ?? 0);

if (process.ppid === runner) {
  setInterval(() => {
    if (process.ppid !== runner) process.kill(group === 0 ? process.pid : -group, "SIGKILL");
  }, lookEveryMs).unref();
}
