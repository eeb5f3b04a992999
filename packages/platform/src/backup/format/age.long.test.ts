import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findCommand } from "../../../../../scripts/services/find-or-install.ts";
import { decrypting, encrypting } from "./age.ts";
import type { Sink } from "./block-writer.ts";

const AGE = { name: "age", variable: "AGE_PATH", programs: ["age"], debianPackages: ["age"] };
const PASSPHRASE = "correct horse battery";

test("age reads what is encrypted here, and the other way round", async (t) => {
  const age = await findCommand(AGE);
  const folder = mkdtempSync(join(tmpdir(), "age-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const bytes = Buffer.alloc(200_000, "backup ");
  const parts: Buffer[] = [];
  const sink: Sink = {
    write: async (piece) => void parts.push(Buffer.from(piece)),
    finish: async () => {},
    abandon: async () => {},
  };
  const sealing = await encrypting(sink, PASSPHRASE);
  await sealing.write(bytes);
  await sealing.finish();
  writeFileSync(join(folder, "ours.age"), Buffer.concat(parts));
  writeFileSync(join(folder, "plain"), bytes);

  /** It asks on a terminal only. */
  const ask = (command: string, times: number) =>
    spawnSync("script", ["-qec", command, "/dev/null"], {
      cwd: folder,
      input: `${PASSPHRASE}\n`.repeat(times),
      encoding: "utf8",
    });
  const decrypted = ask(`${age} -d -o ours.plain ours.age`, 1);
  assert.equal(decrypted.status, 0, decrypted.stdout);
  assert.ok(readFileSync(join(folder, "ours.plain")).equals(bytes));

  const encrypted = ask(`${age} -p -o theirs.age plain`, 2);
  assert.equal(encrypted.status, 0, encrypted.stdout);
  const theirs = readFileSync(join(folder, "theirs.age"));
  const read = await Array.fromAsync(
    decrypting(
      (async function* () {
        yield theirs;
      })(),
      PASSPHRASE,
    ),
  );
  assert.ok(Buffer.concat(read).equals(bytes));
});
