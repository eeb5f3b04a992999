// `npm run pack`: makes backplane-<version>.tgz, which npm installs without a network and without scripts (ADR 19). It is for
// the system and processor of this machine, because Node and a few libraries in it are compiled for them.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { isUnused } from "./bootstrap/unused.mjs";
import { ensureBuilt, ensureInstalled, projectNode, refuseUnsupported, root } from "./bootstrap.mjs";

const BETWEEN_NOTICES = "\n\n\n";
const readText = (path) => readFileSync(join(root, path), "utf8");
const readManifest = (path) => JSON.parse(readText(join(path, "package.json")));
/** Packages below a package are copied by themselves, if they are needed. The rest is for those who work on a package. */
const LEFT_OUT = /^\/(?:\.github|docs|examples?|tests?)(?:\/|$)|\/node_modules(?:\/|$)/;

try {
  const refusal = refuseUnsupported({ platform: process.platform, version: process.versions.node });
  if (refusal !== undefined) throw new Error(refusal);
  await ensureInstalled({ withDev: false });
  await ensureBuilt();
  pack();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function pack() {
  const { version, description, license, engines } = readManifest(".");
  const folder = mkdtempSync(join(tmpdir(), "backplane-pack-"));
  try {
    const target = join(folder, "package");
    // In a folder of its own: npm leaves a `node_modules` there as it is, but looks up what one at the top needs.
    for (const path of contents()) copy(path, join(target, "app"));
    const compress = join(root, "scripts/packing/compress-best.ts");
    execFileSync(projectNode, [compress, join(target, "app/packages/web/dist")]);
    for (const path of ["README.md", "LICENSE"]) copy(path, target);
    writeFileSync(join(target, "third-party-notices.txt"), notices());
    const manifest = {
      ...{ name: "backplane", version, description, license, type: "module", engines },
      ...{ os: [process.platform], cpu: [process.arch], ...libc(), bin: { backplane: "app/backplane" } },
    };
    writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const tarball = `backplane-${version}.tgz`;
    execFileSync("tar", ["-czf", join(root, tarball), "-C", folder, "package"]);
    const megabytes = Math.round(statSync(join(root, tarball)).size / 1024 ** 2);
    process.stdout.write(`${tarball}, ${megabytes} MB, for ${process.platform} ${process.arch}.\n`);
    process.stdout.write(`Install it with: npm install -g ./${tarball}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What runs, as paths from the root. It has the same places as in a clone. */
function contents() {
  const node = ["package.json", "LICENSE", "bin/node"].map((name) => join("node_modules/node", name));
  return [
    ...[
      "backplane",
      "packages/cli/bin",
      "packages/cli/package.json",
      "packages/web/dist",
      "docs/guides",
      "README.md",
      "hosting",
      "dist/current",
      build(),
    ],
    ...[...assets(), ...node, ...libraries()],
  ];
}

function build() {
  return join("dist", readText("dist/current"));
}

/** What is not bundled, and what these packages need. */
function libraries() {
  return installed(JSON.parse(readText(join(build(), "not-bundled.json"))));
}

/** Licences of everything in the tarball that others wrote. Packages that are copied whole have their texts with them. */
function notices() {
  const copied = ["node_modules/node", ...libraries()].map((path) => {
    const { name, version, license } = readManifest(path);
    return `${name} ${version} (${license}): app/${path}/`;
  });
  const [servers, cli] = ["third-party-notices.txt", "third-party-notices-cli.txt"].map((name) => join(build(), name));
  const bundled = [servers, cli, "packages/web/dist/third-party-notices.txt"].flatMap((path) =>
    readText(path).split(BETWEEN_NOTICES),
  );
  return [copied.sort().join("\n"), ...new Set(bundled)].join(BETWEEN_NOTICES);
}

/** What programs read next to their sources. */
function assets() {
  return readdirSync(join(root, "packages"))
    .filter((name) => name !== "web")
    .flatMap((name) => {
      const source = join("packages", name, "src");
      const files = readdirSync(join(root, source), { recursive: true });
      return files.filter((file) => /\.(css|js)$/.test(file)).map((file) => join(source, file));
    });
}

/** Where these packages and what they need are installed. Optional ones for other machines are not. */
function installed(names, from = ".", found = new Set()) {
  for (const name of names) {
    const path = findInstalled(name, from);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    const { dependencies, optionalDependencies } = readManifest(path);
    installed(Object.keys({ ...dependencies, ...optionalDependencies }), path, found);
  }
  return found;
}

/** As Node looks it up: in the package itself, then in the folders above it. */
function findInstalled(name, from) {
  const path = join(from, "node_modules", name);
  if (existsSync(join(root, path, "package.json"))) return path;
  return from === "." ? undefined : findInstalled(name, dirname(from));
}

function copy(path, target) {
  const source = join(root, path);
  const isUsed = (file) =>
    !LEFT_OUT.test(file.slice(source.length)) && !isUnused(relative(join(root, "node_modules"), file));
  const filter = (file) => !path.startsWith("node_modules") || isUsed(file);
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(source, join(target, path), { recursive: true, dereference: true, filter });
}

/** So that npm refuses to install on a Linux with another C library, instead of leaving a Node that does not start. */
function libc() {
  if (process.platform !== "linux") return {};
  return { libc: [process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc"] };
}
