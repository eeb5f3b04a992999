import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleArchive } from "../../archives/samples.suite.ts";
import { startS3 } from "../blobs/s3-server.suite.ts";
import { openS3Store } from "../blobs/s3-store.ts";
import { openFreshSqlite } from "./open-sqlite.suite.ts";
import { problemOf, startOne } from "./registry-under-test.suite.ts";

test("archives in an S3-compatible store: published, refused and lost as in a folder, and no secret is revealed", async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const blobs = openS3Store({ ...s3.settings, fetch, limits: { firstPauseMs: 1 } });
  const site = await startOne(t, openFreshSqlite, { blobs });
  const archive = sampleArchive();
  const answers = await Promise.all([site.post("ada", archive), site.post("ada", archive)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  assert.deepEqual(
    [...s3.objects.values()].map(({ bytes }) => bytes),
    [archive],
  );
  s3.front.answer = (_request, response) => {
    response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    return true;
  };
  const away = await site.post("ada", sampleArchive({ version: "2.0" }));
  assert.deepEqual([away.status, problemOf(away).code], [503, "archives-unavailable"]);
  assert.equal((await site.listed()).length, 1);
  const told = site.lines.join("") + JSON.stringify(away.body);
  assert.match(told, /AccessDenied/);
  assert.doesNotMatch(told, /s3cr3t|AKTEST|Signature/);
});
