import assert from "node:assert/strict";
import { test } from "node:test";
import type { Access } from "@backplane/kit/callers";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import { serveVideo } from "./video-routes.ts";

test("one person has one part of a recorded stream made at a time, and few that wait", async (t) => {
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "silent" as never, destination: { write: () => {} } }),
    ...{ metrics: createMetrics("test"), now: Date.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false },
  });
  t.after(() => app.close());
  const end = Promise.withResolvers<void>();
  let begun = 0;
  serveVideo(app, {
    openWorkspace: async ({ headers }) =>
      ({ workspace: { id: "w" }, access: { userId: headers.authorization } as Access }) as never,
    recordings: {
      async find() {
        begun += 1;
        await end.promise;
        throw new Problem("recording-unknown");
      },
    } as never,
  });
  const id = "7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11";
  const url = `/api/workspaces/editor/ada/demo/current/recordings/${id}/streams/door/part-0.m4s`;
  const ask = async (authorization: string) =>
    (await app.inject({ url, headers: { authorization, host: "localhost" } })).statusCode;
  const own = Array.from({ length: 33 }, () => ask("eve"));
  assert.equal(await Promise.race(own), 429, "the last of them");
  const other = ask("ada");
  assert.equal(begun, 1);
  end.resolve();
  assert.equal(await other, 404);
  assert.equal((await Promise.all(own)).filter((status) => status === 404).length, 32);
});
