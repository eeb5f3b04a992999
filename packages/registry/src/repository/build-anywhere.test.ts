import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sampleArchive, sampleMetadata } from "../archives/samples.suite.ts";
import { newSigningKey } from "../signing/keys.ts";
import { sampleVersion } from "./samples.suite.ts";
import { NOW_MS, Workspace } from "./workspace.suite.ts";

const INPUT: [name: string, bytes: Uint8Array | object][] = [
  ["one/ä.zip", sampleArchive({ identifier: "org.a", version: "1.0" })],
  ["one/B.zip", sampleArchive({ identifier: "org.a", version: "1.10" })],
  ["two/a.zip", sampleArchive({ identifier: "org.B", version: "2.0" })],
  ["two/z.zip", sampleArchive({ identifier: "org.B", version: "2.0" })],
  ["two/c.json", { ...sampleMetadata({ identifier: "org.a" }), versions: [sampleVersion("0.9")] }],
  ["two/d.json", { ...sampleMetadata({ identifier: "org.z" }), versions: [sampleVersion("0.9")], name: "One" }],
  ["two/e.json", { ...sampleMetadata({ identifier: "org.z" }), versions: [sampleVersion("0.9")], name: "Other" }],
];

const BUILD = `
  const [url, options] = process.argv.slice(1);
  const { buildRepository } = await import(url);
  const { nowMs, ...given } = JSON.parse(options);
  const result = await buildRepository({ ...given, now: () => nowMs });
  if ("faults" in result) throw new Error(JSON.stringify(result.faults));
`;

const signingKey = newSigningKey();

type Machine = {
  env: Record<string, string>;
  names: (input: typeof INPUT) => typeof INPUT;
  mtime: Date;
  folders: string[];
};

async function buildOn({ env, names, mtime, folders }: Machine): Promise<Record<string, string>> {
  using workspace = new Workspace();
  for (const [name, bytes] of names(INPUT)) utimesSync(workspace.put(name, bytes), mtime, mtime);
  const options = {
    from: folders.map((folder) => join(workspace.input, folder)),
    out: workspace.out,
    name: "Samples",
    brand: "kicad",
    baseUrl: "https://example.org/packages",
    nowMs: NOW_MS,
    signingKey,
  };
  const script = [
    "--input-type=module",
    "-e",
    BUILD,
    new URL("./build.ts", import.meta.url).href,
    JSON.stringify(options),
  ];
  await promisify(execFile)(process.execPath, script, { env: { ...process.env, ...env }, timeout: 60_000 });
  return workspace.files();
}

test("the same input gives the same bytes on any machine: other time zone, language, order and dates of files", async () => {
  const auckland = await buildOn({
    env: { TZ: "Pacific/Auckland", LC_ALL: "C" },
    names: (input) => input,
    mtime: new Date("2001-02-03T04:05:06Z"),
    folders: ["one", "two"],
  });
  const newYork = await buildOn({
    env: { TZ: "America/New_York", LC_ALL: "sv_SE.UTF-8" },
    names: (input) => input.toReversed(),
    mtime: new Date("2026-07-08T09:10:11Z"),
    folders: ["two", "one"],
  });
  assert.deepEqual(auckland, newYork);
  assert.ok(Object.keys(auckland).length > 10);
});
