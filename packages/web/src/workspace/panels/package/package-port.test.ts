import assert from "node:assert/strict";
import { test } from "node:test";
import { PANEL_PACKAGE_LIMITS, type PackageToPage } from "@backplane/contract/panels";
import { createPackagePort } from "./package-port.ts";

function open() {
  const clock = { nowMs: 0 };
  const timers: (() => void)[] = [];
  const sent: { type: string; id?: number }[] = [];
  const heard: PackageToPage[] = [];
  const refused: string[] = [];
  const silent: boolean[] = [];
  let floods = 0;
  let caughtUp = 0;
  const port = createPackagePort({
    port: { postMessage: (text) => void sent.push(JSON.parse(text) as { type: string; id?: number }) },
    onMessage: (message) => void heard.push(message),
    onSilent: (isSilent) => void silent.push(isSilent),
    onCaughtUp: () => {
      caughtUp += 1;
    },
    onFlood: () => {
      floods += 1;
    },
    onRefused: (words) => void refused.push(words),
    setTimer: (work) => {
      timers.push(work);
      return () => void timers.splice(timers.indexOf(work), 1);
    },
    now: () => clock.nowMs,
  });
  const beat = () => timers.shift()?.();
  return { port, clock, sent, heard, refused, silent, beat, floods: () => floods, caughtUp: () => caughtUp };
}

const CALL = JSON.stringify({ type: "call", id: 1, name: "log", args: ["x"] });

test("a panel that misses three heartbeats is silent, until it answers again", () => {
  const { port, sent, silent, beat } = open();
  beat();
  port.receive(JSON.stringify({ type: "pong", id: 1 }));
  for (let n = 0; n < PANEL_PACKAGE_LIMITS.missedHeartbeats; n += 1) beat();
  assert.deepEqual(silent, []);
  beat();
  beat();
  assert.deepEqual(silent, [true]);
  assert.equal(sent.filter(({ type }) => type === "ping").length, 4, "it does not get more to do meanwhile");
  port.receive(JSON.stringify({ type: "pong", id: 99 }));
  assert.deepEqual(silent, [true, false]);
});

test("what may be left out is left out while the panel is behind, which is said when it has caught up", () => {
  const { port, sent, beat, caughtUp } = open();
  const batches = () => sent.filter(({ type }) => type === "held").length;
  port.postUnlessBehind({ type: "held", isHeld: true });
  beat();
  beat();
  assert.equal(port.postUnlessBehind({ type: "held", isHeld: true }), false);
  assert.deepEqual([batches(), caughtUp()], [1, 0]);
  port.receive(JSON.stringify({ type: "pong", id: 2 }));
  port.receive(JSON.stringify({ type: "pong", id: 2 }));
  assert.equal(caughtUp(), 1);
  port.postUnlessBehind({ type: "held", isHeld: true });
  assert.equal(batches(), 2);
});

test("messages beyond the rate are refused, and a flood stops the panel, also one that is heard slowly", () => {
  const { port, clock, heard, sent, refused, floods } = open();
  const { messagesPerSecond, maxExcessMessages } = PANEL_PACKAGE_LIMITS;
  const send = (count: number) => {
    for (let n = 0; n < count; n += 1) port.receive(CALL);
  };
  send(messagesPerSecond + 5);
  assert.equal(heard.length, messagesPerSecond);
  assert.equal(refused.length, 1, "said once");
  assert.equal(sent.filter(({ type }) => type === "refused").length, 5);
  clock.nowMs += 1_000;
  send(1);
  clock.nowMs += 1_000;
  for (let second = 0; second < 4; second += 1) {
    send(messagesPerSecond + maxExcessMessages / 4);
    clock.nowMs += 1_000;
  }
  assert.equal(floods(), 0);
  send(messagesPerSecond + 1);
  assert.equal(floods(), 1);
  const before = heard.length;
  clock.nowMs += 1_000;
  send(1);
  assert.equal(heard.length, before, "nothing is heard after that");
});

test("only text of the protocol is heard, up to its length", () => {
  const { port, heard, refused } = open();
  const long = JSON.stringify({
    type: "call",
    id: 1,
    name: "x".repeat(PANEL_PACKAGE_LIMITS.maxMessageLength),
    args: [],
  });
  const wrong = [
    ...[null, 7, { type: "ready" }, long, "{", "null", "[]", '"ready"', '{"type":"eval"}', '{"type":"call","id":1}'],
    ...['{"type":"pong","id":"1"}', '{"type":"call","id":1,"name":"x","args":{}}', '{"type":"failed","text":{}}'],
  ];
  for (const data of wrong) port.receive(data);
  assert.deepEqual(heard, []);
  assert.equal(refused.length, wrong.length);
});
