import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";
import { Problem } from "./problems.ts";

const CANARY = "cAnArY0123456789abcdef";

function capture(level: "trace" | "info" = "trace") {
  const lines: string[] = [];
  const log = createLog({ process: "test", level, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

test("a line is JSON with the process, a readable level and an ISO time", () => {
  const { log, lines } = capture();
  log.info({ port: 8790 }, "listening");
  const line = JSON.parse(lines[0] ?? "");
  assert.equal(line.process, "test");
  assert.equal(line.level, "info");
  assert.equal(line.port, 8790);
  assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
});

test("an error is logged with its cause but without what a library attached to it", () => {
  const { log, lines } = capture();
  const error = Object.assign(new Error("upstream failed", { cause: new Error("socket hang up") }), {
    request: { headers: { "x-private": CANARY } },
  });
  log.error({ err: error }, "call failed");
  assert.match(lines[0] ?? "", /socket hang up/);
  assert.doesNotMatch(lines[0] ?? "", new RegExp(CANARY));
});

test("a secret in a message, a field or a child's binding does not reach the output", () => {
  const { log, lines } = capture();
  log.info(`redirected to /callback?code=${CANARY}`);
  log.info({ authorization: CANARY }, "call");
  log.child({ url: `/auth/intents/${CANARY}` }).warn("slow");
  assert.equal(lines.length, 3);
  assert.doesNotMatch(lines.join(), new RegExp(CANARY));
});

test("an outage is an error whoever logs it, one line per minute and code, with the number of repetitions", () => {
  const lines: string[] = [];
  let nowMs = 0;
  const log = createLog({
    process: "test",
    level: "info",
    destination: { write: (line) => lines.push(line) },
    now: () => nowMs,
  });
  const full = { err: new Problem("disk-full", { detail: "The disk is full." }) };
  for (let call = 0; call < 3; call += 1) log.warn(full, "intents fault");
  log.error({ err: new Problem("out-of-descriptors") }, "request failed");
  log.error({ err: new Error("something else") }, "request failed");
  log.error({ err: new Error("something else") }, "request failed");
  nowMs = 60_000;
  log.error(full, "request failed");
  const seen = lines.map((line) => JSON.parse(line)).map(({ level, err, repeated }) => [level, err.message, repeated]);
  assert.deepEqual(seen, [
    ["error", "The disk is full.", undefined],
    ["error", "This process has no file descriptors left", undefined],
    ["error", "something else", undefined],
    ["error", "something else", undefined],
    ["error", "The disk is full.", 2],
  ]);
});
