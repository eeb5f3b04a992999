import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { describeAccess } from "../client/access.suite.ts";
import type { Pastes } from "../services.ts";
import { createAccess } from "./in-process-access.ts";

describeAccess("in the process", ({ access }) => access);

test("images inside messages have the same limit as uploads; one more gets 429", async (t) => {
  const incomingFolder = await mkdtemp(join(tmpdir(), "incoming-"));
  t.after(() => rm(incomingFolder, { recursive: true }));
  const { promise: worked, resolve: end } = Promise.withResolvers<void>();
  const add = async () => {
    await worked;
    throw new Error("refused");
  };
  const pastes = { incomingFolder, newest: () => undefined, onChange: () => () => {}, add };
  const access = createAccess({
    pastes: pastes as unknown as Pastes,
    naming: { add: () => {} },
    openWidget: add,
    project: incomingFolder,
  });
  const paste = () => access.paste(Buffer.from("image"), undefined);
  const underWay = Array.from({ length: VIEWER_LIMITS.maxUploadsUnderWay }, paste);
  await assert.rejects(paste(), { code: "too-many-requests" });
  end();
  for (const { reason } of (await Promise.allSettled(underWay)) as PromiseRejectedResult[]) {
    assert.match(String(reason), /refused/);
  }
  await assert.rejects(paste(), /refused/);
  assert.deepEqual(await readdir(incomingFolder), []);
});
