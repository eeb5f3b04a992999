import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_PATH, type Paste } from "@backplane/contract/viewer";
import { jsonOf, pngOf, startViewer, type ViewerUnderTest } from "./viewer-under-test.suite.ts";

async function openStream(viewer: ViewerUnderTest, headers: Record<string, string>) {
  const stop = new AbortController();
  const response = await fetch(`${viewer.url}${PAGE_PATH}/events`, { headers, signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return {
    response,
    stop: () => stop.abort(),
    /** The next event; comments and `retry` lines are skipped. */
    async next(): Promise<[name: string, data: unknown]> {
      for (;;) {
        const end = rest.indexOf("\n\n");
        if (end !== -1) {
          const block = rest.slice(0, end);
          rest = rest.slice(end + 2);
          const [, name, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
          if (name !== undefined && data !== undefined) return [name, JSON.parse(data)];
          continue;
        }
        const piece = await reader?.read();
        assert.equal(piece?.done, false, "the stream has ended");
        rest += piece?.value;
      }
    },
  };
}

test("the stream starts with hello, then reports when a screenshot is saved, named, removed and restored", async (t) => {
  const viewer = await startViewer(t);
  const stream = await openStream(viewer, { ...viewer.page(), origin: "null" });
  t.after(stream.stop);
  assert.match(stream.response.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(stream.response.headers.get("access-control-allow-origin"), "null");
  assert.deepEqual(await stream.next(), ["hello", { newest: null }]);

  const paste: Paste = jsonOf(await viewer.upload(await pngOf()));
  assert.deepEqual(await stream.next(), ["paste", paste]);
  const named = await viewer.name(paste.id, "login-dialog");
  assert.deepEqual(await stream.next(), ["paste", named]);
  await viewer.pastes.remove(paste.id);
  assert.deepEqual(await stream.next(), ["removed", { id: paste.id }]);
  await viewer.pastes.restore(paste.id);
  assert.equal(((await stream.next())[1] as Paste).name, "login-dialog");

  await viewer.pastes.remove(paste.id);
  const later = await openStream(viewer, viewer.page());
  t.after(later.stop);
  assert.deepEqual(await later.next(), ["hello", { newest: paste.id }], "one that is put back is not new");
});

test("beyond the limit of streams: 429 with a time to try again", async (t) => {
  const viewer = await startViewer(t, { limits: { maxEventStreams: 2 } });
  for (let opened = 0; opened < 2; opened += 1) t.after((await openStream(viewer, viewer.page())).stop);
  const full = await viewer.ask(`${PAGE_PATH}/events`, { headers: viewer.page() });
  assert.deepEqual([full.status, full.headers["retry-after"]], [429, "5"]);
});
