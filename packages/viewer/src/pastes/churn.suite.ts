import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { openPastes } from "./pastes.ts";
import { fakeImages, newUpload } from "./pastes-under-test.suite.ts";

/** A program that saves, renames, removes and restores on the real disk until it is killed. */
async function churn(project: string): Promise<void> {
  const limits = { squeezeAfterMs: 0 };
  const pastes = await openPastes({ project, images: fakeImages(), now: Date.now, random: randomBytes, limits });
  process.stdout.write("churning\n");
  for (;;) {
    const upload = await newUpload(pastes, randomBytes(16).toString("hex"), { receivedAtMs: Date.now() });
    const { id } = await pastes.add(upload);
    await Promise.all([
      pastes.rename(id, `name-${randomInt(3)}`, "text"),
      pastes.finishNaming(id, { text: "text", suggestions: [], name: "same-name", by: "model" }),
    ]);
    const { pastes: all } = pastes.list({ limit: 200 });
    const other = all[randomInt(all.length)];
    if (other && all.length > 10) await pastes.remove(other.id);
    if (other && randomInt(3) === 0) await pastes.restore(other.id);
  }
}

if (import.meta.main) {
  // Started early, because starting takes longer than its work.
  process.stdout.write("waiting\n");
  await once(process.stdin, "data");
  await churn(process.argv[2] ?? "");
}
