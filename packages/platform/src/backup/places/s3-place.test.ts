import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
// @ts-expect-error It has no types.
import s3rver from "s3rver";
import { newBackupName } from "../taking/take.ts";
import { readS3Backup, s3Place } from "./s3-place.ts";

type S3rver = { run(): Promise<AddressInfo>; close(): Promise<void>; httpServer: { closeAllConnections(): void } };

test("in an S3 store a backup appears when it is complete, and not before", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "backup-s3-"));
  const options = { address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: [{ name: "lab" }] };
  const server = new s3rver(options) as S3rver;
  const { port } = await server.run();
  t.after(async () => {
    server.httpServer.closeAllConnections();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const access = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
  };
  const settings = { ...access, bucket: "lab", prefix: "nightly/" };
  const place = s3Place(settings, fetch);
  const content = Buffer.alloc(40 * 1024 * 1024, "backup ");
  const [first, second] = [newBackupName(1_000, false), newBackupName(2_000_000, false)];
  const { sink, place: address } = await place.write(first);
  assert.equal(address, `s3://lab/nightly/${first}`);
  for (let at = 0; at < content.length; at += 1_048_576) await sink.write(content.subarray(at, at + 1_048_576));
  assert.deepEqual(await place.list(), []);
  await sink.finish();
  assert.deepEqual(
    (await place.list()).map(({ name, bytes }) => [name, bytes]),
    [[first, content.length]],
  );
  const parts = await Array.fromAsync(readS3Backup({ ...settings, prefix: `nightly/${first}/` }, fetch));
  assert.ok(Buffer.concat(parts).equals(content));

  // This store does not list uploads; nothing is swept, and nothing fails.
  await place.sweep(Date.now());
  const abandoned = await place.write(second);
  await abandoned.sink.write(Buffer.from("half"));
  await abandoned.sink.abandon();
  assert.deepEqual(
    (await place.list()).map(({ name }) => name),
    [first],
  );
  await place.remove(first);
  assert.deepEqual(await place.list(), []);
  await assert.rejects(
    Array.fromAsync(readS3Backup({ ...settings, prefix: `nightly/${first}/` }, fetch)),
    /There is no backup/,
  );
});
