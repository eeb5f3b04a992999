import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrameToPage } from "@backplane/contract/panels";
import { readFrameMessage } from "./read-frame-message.ts";

test("every message of a frame is read as it is", () => {
  const messages: FrameToPage[] = [
    { type: "ready" },
    { type: "pong", id: 1 },
    { type: "waiting", id: 1 },
    { type: "log", id: null, level: "warn", text: "a" },
    { type: "log", id: 1, level: "log", text: "" },
    { type: "executed", id: 1, text: "undefined", durationMs: 0.1 },
    { type: "executed", id: 1, json: "1", text: "1", durationMs: 0 },
    { type: "failed", id: 1, error: "Error", durationMs: 3 },
    { type: "picture", id: 1, bytes: new ArrayBuffer(1) },
    { type: "no-picture", id: 1, error: "Error" },
  ];
  for (const message of messages) assert.equal(readFrameMessage(message), message, message.type);
});

test("what is none is not heard, whatever it is", () => {
  for (const other of [
    ...[null, undefined, 1, "ready", [], {}, new Map(), { type: "eval", id: 1, code: "" }, { type: "__proto__" }],
    ...[{ type: "pong" }, { type: "pong", id: "1" }, { type: "waiting", id: Number.NaN }],
    { type: "log", id: 1, level: "log", text: { toString: 1 } },
    { type: "log", id: 1, level: "loud", text: "a" },
    { type: "log", level: "log", text: "a" },
    { type: "executed", id: 1, json: { a: 1 }, text: "a", durationMs: 1 },
    { type: "executed", id: 1, json: "1", text: "1", durationMs: "1" },
    { type: "executed", id: 1, json: "1", durationMs: 1 },
    { type: "failed", id: 1, error: new Error("a"), durationMs: 1 },
    { type: "picture", id: 1, bytes: "a" },
    { type: "no-picture", id: 1 },
  ]) {
    assert.equal(readFrameMessage(other), undefined, JSON.stringify(other));
  }
});
