import assert from "node:assert/strict";
import { test } from "node:test";
import { classes, Message, methods, StunProtocol } from "werift";
import { createPeerCheck } from "./peer-check.ts";

const PASSWORD = "password-of-the-answer";
const BROWSER = ["192.0.2.7", 5_000] as const;
const STRANGER = ["203.0.113.9", 6_000] as const;

const request = () => new Message(methods.BINDING, classes.REQUEST).setAttribute("USERNAME", "ours:theirs");
const signed = (password: string): Buffer =>
  request().setAttribute("USE-CANDIDATE", null).addMessageIntegrity(Buffer.from(password)).addFingerprint().bytes;
const unsigned = (): Buffer => request().setAttribute("USE-CANDIDATE", null).addFingerprint().bytes;

function open() {
  const taken: string[] = [];
  const seen = { heard: 0 };
  const protocol = new StunProtocol();
  protocol.transport = { onData: (_data: Buffer, [host]: readonly [string, number]) => taken.push(host) } as never;
  const check = createPeerCheck(
    () => ["another", PASSWORD],
    () => {
      seen.heard += 1;
    },
  );
  const arrive = (data: Buffer, from: readonly [string, number]) => protocol.transport.onData(data, from);
  return { check: () => check(request() as Message, STRANGER, protocol), arrive, taken, seen };
}

test("only requests that are signed with our password reach the connection", () => {
  const { check, arrive, taken, seen } = open();
  assert.equal(check(), false, "nobody has checked the first one");
  for (const data of [unsigned(), signed("guessed"), signed("")]) arrive(data, STRANGER);
  assert.deepEqual(taken, []);
  arrive(signed(PASSWORD), BROWSER);
  assert.deepEqual([taken, seen.heard], [[BROWSER[0]], 1]);
  assert.equal(check(), true, "what comes through was checked");
});

test("other packets are taken only from where signed requests came from", () => {
  const { check, arrive, taken } = open();
  check();
  const media = Buffer.from([0x80, 96, 0, 1]);
  arrive(media, BROWSER);
  assert.deepEqual(taken, []);
  arrive(signed(PASSWORD), BROWSER);
  for (const data of [media, Buffer.from([22, 0xfe, 0xfd]), Buffer.alloc(0)]) {
    arrive(data, BROWSER);
    arrive(data, STRANGER);
    arrive(data, [BROWSER[0], 5_001]);
  }
  assert.deepEqual(taken, Array(4).fill(BROWSER[0]));
});

test("a browser that changes networks very often goes on", () => {
  const { check, arrive, taken } = open();
  check();
  for (let port = 1; port <= 100; port += 1) {
    const from = [BROWSER[0], port] as const;
    arrive(signed(PASSWORD), from);
    arrive(Buffer.from([0x80, 96]), from);
  }
  assert.equal(taken.length, 200);
  arrive(Buffer.from([0x80, 96]), [BROWSER[0], 1]);
  assert.equal(taken.length, 200, "where it was long ago");
});
