import assert from "node:assert/strict";
import { test } from "node:test";
import { startS3 } from "./s3-server.suite.ts";
import { abortUploads } from "./s3-uploads.ts";

const keys = /^backup-\d+\.tar$/;
const begunBeforeMs = 1_000_000;

test("uploads in parts that were begun long ago are aborted; younger ones and those of others stay", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const upload = (key: string, initiatedMs: number) =>
    s3.uploads.set(`${key} & ${initiatedMs}`, { key, initiatedMs, parts: new Map() });
  // More than a page of them.
  for (let at = 0; at < 7; at += 1) upload(`back/plane/backup-${at}.tar`, begunBeforeMs - 1 - at);
  const others = [
    ["back/plane/backup-1.tar", begunBeforeMs],
    ["back/plane/notes.tar", 1],
    ["back/plane/deeper/backup-1.tar", 1],
    ["backup-1.tar", 1],
    ["somebody/else/backup-1.tar", 1],
  ] as const;
  for (const [key, initiatedMs] of others) upload(key, initiatedMs);
  await abortUploads(s3.settings, fetch, { keys, begunBeforeMs });
  assert.deepEqual([...s3.uploads.keys()].sort(), others.map((each) => each.join(" & ")).sort());
});

test("a store that does not list uploads is left alone; one that is away is an outage", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  let status = 501;
  s3.front.answer = (_request, response) => {
    response.writeHead(status).end("<Error><Code>NotImplemented</Code></Error>");
    return true;
  };
  await abortUploads(s3.settings, fetch, { keys, begunBeforeMs });
  status = 403;
  await assert.rejects(abortUploads(s3.settings, fetch, { keys, begunBeforeMs }), { code: "archives-unavailable" });
});
