import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { explain, scriptCode } from "./run-script.ts";
import { afterEvent, IDLE, type RunEvent, stateWords } from "./run-state.ts";

const at = (second: number) => new Date(2026, 6, 28, 14, 30, second);
const started: RunEvent = { type: "started", path: "a.js", at: at(0) };
const after = (...events: RunEvent[]) => events.reduce(afterEvent, IDLE);
const printed = (text: string, level: "log" | "error" = "log"): RunEvent => ({
  type: "printed",
  level,
  text,
  at: at(1),
});

test("a run shows the output, the result, how it ended and how long it took", () => {
  const state = after(started, printed("one"), { type: "ended", outcome: "done", text: "42", at: at(2), tookMs: 12.4 });
  assert.deepEqual(
    state.lines.map(({ level, text }) => [level, text]),
    [
      ["log", "one"],
      ["result", "42"],
    ],
  );
  assert.deepEqual(stateWords(state), { tone: "ok", word: "Finished in 12 ms" });
});

test("a stopped run stays stopped, whatever comes later", () => {
  const stopped: RunEvent = { type: "ended", outcome: "stopped", text: "", at: at(3), tookMs: undefined };
  const late: RunEvent = { type: "ended", outcome: "failed", text: "too late", at: at(4), tookMs: 1 };
  const state = after(started, stopped, late);
  assert.deepEqual(stateWords(state), { tone: "off", word: "Stopped after 3.0 s" });
  assert.deepEqual(state.lines, []);
});

test("an error that is reported twice is shown once, with its line", () => {
  const fault: RunEvent = { type: "ended", outcome: "failed", text: "SyntaxError: nope, line 3", at: at(1), tookMs: 1 };
  const state = after(started, printed("SyntaxError: nope", "error"), fault);
  assert.deepEqual(
    state.lines.map(({ level, text }) => [level, text]),
    [["fault", "SyntaxError: nope, line 3"]],
  );
});

test("the next run starts empty, and output is bounded", () => {
  const ended: RunEvent = { type: "ended", outcome: "done", text: "", at: at(1), tookMs: 1 };
  const many = Array.from({ length: 2_100 }, (_, index) => printed(`${index}`));
  const state = after(started, ended, ...many);
  assert.deepEqual([state.lines.length, state.dropped, state.lines[0]?.text], [2_000, 100, "100"]);
  assert.equal(new Set(state.lines.map(({ key }) => key)).size, 2_000);
  assert.deepEqual(afterEvent(state, started).lines, []);
  assert.equal(after(started, printed("x".repeat(20_000))).lines[0]?.text.length, 10_001);
});

test("a script is passed on unchanged, and an import is explained", () => {
  const source = `const a = "\`$\{x}\` </script> \u2028";\n// end`;
  const sent = /\}\)\((".*")\)$/s.exec(scriptCode(source))?.[1];
  assert.equal(JSON.parse(sent ?? "").replace(/\n\/\/# sourceURL=code$/, ""), source);
  assert.match(
    explain('TypeError: Failed to resolve module specifier "./imu.js". Invalid'),
    /Scripts run alone here: copy what \.\/imu\.js/,
  );
  assert.equal(explain("TypeError: x"), "TypeError: x");
});

test("a run with more output than the frame passes on ends with a line that says so", () => {
  const { maxLogs } = PANELS_LIMITS;
  const state = after(started, ...Array.from({ length: maxLogs }, (_, index) => printed(`${index}`)));
  assert.deepEqual([state.lines.length, state.lines.at(-1)?.level], [maxLogs + 1, "warn"]);
  assert.equal(after(started, printed("one")).lines.length, 1);
});
