import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@backplane/kit/settings";
import type { Terminal } from "./terminal.ts";
import { createUpReport, warningIn } from "./up-report.ts";

function listen() {
  const lines: string[] = [];
  const terminal: Terminal = {
    line: (text = "") => lines.push(text),
    hint: (text) => lines.push(text),
    paint: (_tone, text) => text,
    isInteractive: true,
  };
  return { lines, terminal };
}

test("only warnings and errors of a process are shown, and the same one once per ten seconds", () => {
  const { lines, terminal } = listen();
  let nowMs = 0;
  const report = createUpReport(terminal, terminal, () => nowMs);
  report.addresses(readSettings({}, "/"), "home/", { credentials: undefined, path: "" });
  lines.length = 0;
  const warning = JSON.stringify({ level: "warn", msg: "lost a database connection", err: { message: "terminated" } });
  report.printed("platform", JSON.stringify({ level: "info", msg: "answered" }));
  report.printed("platform", warning);
  report.printed("platform", warning);
  nowMs += 10_000;
  report.printed("platform", warning);
  assert.deepEqual(lines, Array(2).fill("  ◆ platform  lost a database connection: terminated"));
});

test("a line that is not JSON is shown unchanged", () => {
  assert.equal(warningIn("Segmentation fault"), "Segmentation fault");
});

test("each event of a process is one line: running, ended, restarting, running again, failed", () => {
  const { lines, terminal } = listen();
  const report = createUpReport(terminal, terminal, () => 0);
  const running = { type: "running", pid: 7, url: "", afterMs: 640, facts: {} } as const;
  report.event("gateway", running);
  report.event("gateway", { type: "exited", pid: 7, reason: "ended by SIGKILL" });
  report.event("gateway", { type: "restarting", inMs: 0, attempt: 1, reason: "ended by SIGKILL" });
  report.event("gateway", { ...running, pid: 8 });
  report.event("gateway", { type: "restarting", inMs: 1_500, attempt: 2, reason: "The way is blocked." });
  // The same again is not news.
  report.event("gateway", { type: "restarting", inMs: 3_000, attempt: 3, reason: "The way is blocked." });
  report.event("gateway", { type: "failed", reason: "exited with code 1; automatic restart is off" });
  report.checkFailed("viewer", "no answer within 2 s", 1);
  report.stopping();
  report.event("gateway", running);
  assert.deepEqual(lines, [
    "  ● gateway   running after 0.6 s",
    "  ■ gateway   ended by SIGKILL (process 7)",
    "  ◆ gateway   restarting",
    "  ● gateway   running again, process 8 after 0.6 s",
    "  ■ gateway   The way is blocked.",
    "  ◆ gateway   restarting in 1.5 s",
    "  ■ gateway   exited with code 1; automatic restart is off. See its log. Start it with: backplane gateway start",
    "  ◆ viewer    check failed (1 of 3): no answer within 2 s",
    "\nStopping …",
  ]);
});

test("a process that does not start is named, and what it prints at each attempt is not shown", () => {
  const { lines, terminal } = listen();
  const report = createUpReport(terminal, terminal, () => 0);
  report.event("viewer", { type: "restarting", inMs: 0, attempt: 1, reason: "The way is blocked." });
  report.addresses(readSettings({}, "/"), "home/", { credentials: undefined, path: "" });
  assert.match(lines.at(-1) ?? "", /^Everything except viewer is running\./);
  lines.length = 0;
  report.printed("viewer", "The way is blocked.");
  assert.deepEqual(lines, []);
});

test("the table has every address, and the owner's credentials on the first start", () => {
  const { lines, terminal } = listen();
  const report = createUpReport(terminal, terminal, () => 0);
  const settings = readSettings({}, "/project");
  const credentials = { name: "ada", password: "secret-words", api_key: "bpk_x" };
  report.addresses(settings, ".backplane/logs/", { credentials, path: ".backplane/owner.json" });
  const text = lines.join("\n");
  for (const shown of ["http://localhost:8790", ":8795", ":8796", ":8770", "ada", "secret-words", "bpk_x"]) {
    assert.ok(text.includes(shown), shown);
  }
});
