import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { existingWords, savedWords, uploadFiles } from "./upload.ts";

const project = { owner: "ann", repo: "rover" };

test("files are saved under their names; those that exist are kept unless they are to be replaced", async () => {
  const asked: string[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const name = url.split("/").at(-1);
    asked.push(`${name} ${headers.get("if-match") ?? headers.get("if-none-match")}`);
    const exists = name === "b.txt" && headers.has("if-none-match");
    return new Response("{}", { status: exists ? 412 : 201, headers: { etag: '"1"' } });
  }) as typeof globalThis.fetch;
  const files = ["a.txt", "b.txt"].map((name) => new File(["x"], name));
  const large = new File([new Uint8Array(PANELS_LIMITS.maxFileBytes + 1)], "large.bin");
  const first = await uploadFiles(project, [...files, large], {}, fetch);
  assert.deepEqual(first, { saved: ["a.txt"], existing: [files[1]], faults: ["large.bin has more than 16 MB."] });
  assert.equal(existingWords(first.existing), "b.txt exists already.");
  const again = await uploadFiles(project, first.existing, { replace: true }, fetch);
  assert.deepEqual(again.saved, ["b.txt"]);
  assert.deepEqual(asked, ["a.txt *", "b.txt *", "b.txt *"]);
  assert.deepEqual([savedWords(["a.txt"]), savedWords(["a", "b"])], ["Saved a.txt.", "Saved 2 files."]);
});
