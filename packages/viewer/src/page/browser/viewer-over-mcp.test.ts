import assert from "node:assert/strict";
import { test } from "node:test";

const { createJsonRpc } = await import(new URL("viewer-over-mcp.js", import.meta.url).href);
const { pasteOf } = await import(new URL("viewer-over-mcp.js", import.meta.url).href);

type Message = { jsonrpc: string; id?: number; method?: string; result?: unknown; error?: { code: number } };

function connect(options = {}) {
  const sent: Message[] = [];
  const notified: string[] = [];
  const peer = { postMessage: (message: Message) => sent.push(message) };
  let hear: (event: object) => void = () => {};
  const rpc = createJsonRpc({
    peer,
    listen: (listener: typeof hear) => {
      hear = listener;
    },
    onNotification: (method: string) => notified.push(method),
    onRequest: (method: string) => (method === "ping" ? {} : undefined),
    ...options,
  });
  const say = (data: object, source: object = peer) => hear({ source, data: { jsonrpc: "2.0", ...data } });
  return { rpc, sent, notified, say };
}

test("an answer resolves the call with its id", async () => {
  const { rpc, sent, say } = connect();
  const [one, two] = [rpc.call("tools/call", { name: "a" }), rpc.call("tools/call", { name: "b" })];
  say({ id: 2, result: "second" });
  say({ id: 1, result: "first" });
  assert.deepEqual([await one, await two], ["first", "second"]);
  assert.equal(sent[0]?.jsonrpc, "2.0");
});

test("messages from other windows are ignored", async () => {
  const { rpc, notified, say } = connect();
  const call = rpc.call("ui/initialize", {});
  say({ id: 1, result: "forged" }, { other: true });
  say({ method: "ui/notifications/tool-input" }, { other: true });
  say({ id: 1, result: "real" });
  assert.equal(await call, "real");
  assert.deepEqual(notified, []);
});

test("requests of the chat client are answered, unknown ones with an error", () => {
  const { sent, say } = connect();
  say({ id: 7, method: "ping" });
  say({ id: 8, method: "other" });
  assert.deepEqual(sent[0], { jsonrpc: "2.0", id: 7, result: {} });
  assert.equal(sent[1]?.error?.code, -32_601);
});

test("a call that the chat client never answers fails, and the image is kept", async () => {
  const { rpc } = connect({ answerWithinMs: 1 });
  await assert.rejects(rpc.call("tools/call", {}), { code: "host-silent" });
});

test("a tool's result is the paste; a failed call has a code and a message", () => {
  const paste = { id: "a", status: "naming" };
  assert.equal(pasteOf({ structuredContent: paste }), paste);
  const failed = { isError: true, content: [{ type: "text", text: "disk-full: There is no room" }] };
  assert.throws(() => pasteOf(failed), { code: "disk-full", detail: "There is no room" });
  assert.throws(() => pasteOf({ content: [{ type: "text", text: "No screenshot yet" }] }), { code: "refused" });
});
