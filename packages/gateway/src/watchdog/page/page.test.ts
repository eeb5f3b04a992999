import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { startWatchdog } from "../watchdog-under-test.suite.ts";
import { renderWatchdogPage, WATCHDOG_POLICY } from "./page.ts";
import { renderOutput } from "./parts.ts";

const NOW_MS = Date.parse("2026-08-08T12:00:00Z");
const at = (secondsAgo: number) => new Date(NOW_MS - secondsAgo * 1_000).toISOString();

const RUNNING: WatchdogSnapshot = {
  autoRestart: true,
  gateway: { state: "running", pid: 48213, uptime: 371 },
  lastCheck: { at: at(4), ok: true, latencyMs: 3 },
  consecutiveFailures: 0,
  restarts: 1,
  summary: { tone: "ok", title: "Gateway is running", detail: "Process 48213, up 6 min" },
  pending: 2,
  fault: null,
  nextAttempt: null,
  checks: [
    { at: at(24), outcome: "slow" },
    { at: at(14), outcome: "failed" },
    { at: at(4), outcome: "ok" },
  ],
  events: [{ at: at(9), says: "Gateway <b>started</b>" }],
};

const render = (changes: Partial<WatchdogSnapshot> = {}, output: readonly string[] = []) =>
  renderWatchdogPage({
    snapshot: { ...RUNNING, ...changes },
    output,
    nowMs: NOW_MS,
    address: "127.0.0.1:8796",
    homeUrl: "http://localhost:8790",
  });
const textOf = (page: string) =>
  page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
const buttonsOf = (page: string) =>
  [...page.matchAll(/action="([^"]+)"><button[^>]*>([^<]+)</g)].map(([, a, b]) => `${a} ${b}`);

test("without JavaScript the page shows state, figures, checks, switch and events", () => {
  const page = render();
  assert.match(textOf(page), /Gateway is running Process 48213, up 6 min Restart Stop/);
  assert.match(textOf(page), /Last check 4 s ago Answer 3 ms Failures in a row 0 of 3 Restarts 1/);
  assert.match(textOf(page), /Restart automatically After 3 failed checks in a row, and when the gateway exits\. On/);
  assert.match(
    page,
    /aria-label="3 checks: 1 answered, 1 failed, 1 slow">(<i><\/i>){57}<i class="slow"><\/i><i class="bad"><\/i><i class="ok"><\/i></,
  );
  assert.match(page, /role="switch" aria-checked="true"/);
  assert.match(page, /<noscript>.*Reload/);
});

test("only buttons that make sense are shown", () => {
  const commands = (changes: Partial<WatchdogSnapshot>) => buttonsOf(render(changes));
  const is = (state: WatchdogSnapshot["gateway"]["state"]) => ({ gateway: { state, pid: null, uptime: null } });
  assert.deepEqual(commands({}), ["/restart Restart", "/stop Stop"]);
  assert.deepEqual(commands({ consecutiveFailures: 2 }), ["/restart Restart now", "/stop Stop"]);
  assert.deepEqual(commands(is("starting")), ["/stop Stop"]);
  assert.deepEqual(commands(is("stopped")), ["/start Start"]);
  assert.deepEqual(commands(is("failed")), ["/start Start"]);
});

test("failures are shown as pins, and the answer says what kind of failure it was", () => {
  const failing = (error: string, consecutiveFailures = 2) =>
    render({ consecutiveFailures, lastCheck: { at: at(1), ok: false, latencyMs: 2_000, error } });
  assert.match(
    failing("no answer within 2 s"),
    /class="bad">timed out.*2 of 3<[^>]*><i class="bad"><\/i><i class="bad"><\/i><i><\/i>/s,
  );
  assert.match(failing("connection refused"), /class="bad">refused</);
  assert.match(failing("answered 503"), /class="bad">status 503</);
  assert.match(textOf(failing("connection refused", 4)), /Failures in a row 4 /);
});

test("before the first check the page says that there was none", () => {
  const page = render({ lastCheck: null, checks: [] });
  assert.match(textOf(page), /Last check none yet Answer none yet/);
  assert.match(page, /aria-label="No checks in the last 10 minutes"/);
});

test("the switch sends the position it should have, not a toggle, so that two tabs do not undo each other", () => {
  assert.match(render(), /name="enabled" value="false"/);
  assert.match(render({ autoRestart: false }), /name="enabled" value="true".*aria-checked="false"[^>]*>Off</);
});

test("the gateway's output is escaped, and log lines are made readable", () => {
  const line = JSON.stringify({
    level: "warn",
    time: "2026-08-08T11:00:00Z",
    msg: "bus fault",
    err: { message: "gone" },
  });
  const page = render({}, ["<script>alert(1)</script>", line]);
  assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;\n\d\d:00:00 {2}warn {2}bus fault: gone/);
  assert.match(page, /Gateway &lt;b&gt;started&lt;\/b&gt;/);
  assert.equal(renderOutput([], NOW_MS), "No output yet.");
  assert.equal(renderOutput(['{"level":1}', "{"], NOW_MS), '{"level":1}\n{');
});

test("the policy allows exactly the page's own style, script and origin", () => {
  const page = render();
  for (const [kind, tag] of [
    ["style-src", "style"],
    ["script-src", "script"],
  ]) {
    const [, source = ""] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page) ?? [];
    assert.ok(source.length > 100);
    const hash = createHash("sha256").update(source).digest("base64");
    assert.ok(WATCHDOG_POLICY.includes(`${kind} 'sha256-${hash}';`), kind);
  }
  assert.match(WATCHDOG_POLICY, /^default-src 'none'.*connect-src 'self'.*form-action 'self'$/);
  assert.doesNotMatch(page, / style="| on\w+="|src="/);
});

test("the script gets the same parts as the page; output lines only when they are shown", async (t) => {
  const { url, gateway } = await startWatchdog(t);
  await gateway.start();
  const parts = async (query = "") =>
    (await (await fetch(`${url}/parts${query}`)).json()) as {
      title: string;
      parts: Record<string, string>;
      output?: string;
    };
  const page = await (await fetch(url)).text();
  const { title, parts: named, output } = await parts();
  assert.equal(title, "Gateway is running");
  for (const name of ["actions", "history", "auto", "events"]) assert.ok(page.includes(named[name] ?? "missing"), name);
  assert.deepEqual(
    new Set([...page.matchAll(/data-part="(\w+)"/g)].map(([, name]) => name)),
    new Set(Object.keys(named)),
  );
  assert.equal(output, undefined);
  assert.equal(typeof (await parts("?output=true")).output, "string");
});

test("the page is never cached, and its forms send their origin", async (t) => {
  const { url } = await startWatchdog(t);
  const response = await fetch(url);
  await response.arrayBuffer();
  const { headers } = response;
  assert.equal(headers.get("content-security-policy"), WATCHDOG_POLICY);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "same-origin");
});
