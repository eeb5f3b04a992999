// What `npm start`, `npm test` and `npm run check` do first. Plain JavaScript without dependencies: it runs on the
// machine's own Node (20 or later), before anything is installed.
import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { programInputs } from "../packages/cli/bin/built.js";
import { withLock } from "./bootstrap/lock.mjs";
import { showProgress } from "./bootstrap/progress.mjs";
import {
  changedSince,
  hashFiles,
  hashText,
  nodePackage,
  nodeVersion,
  ONLY_RUNS,
  reasonToInstall,
  requiredPackages,
} from "./bootstrap/staleness.mjs";
import { removeUnused } from "./bootstrap/unused.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node this project runs on: 24, from npm, whatever the machine has. */
export const projectNode = join(root, "node_modules/node/bin/node");

/** Enough to start from: the project brings its own Node. */
const OLDEST_NODE = 20;
const cache = join(root, ".cache");
const installStamp = join(root, "node_modules/.backplane-install");
const web = join(root, "packages/web");
const webStamp = join(web, "dist/.inputs");
const webInputs = [
  web,
  "package-lock.json",
  "packages/contract/src",
  "packages/kit/src/page/tokens.css",
  "packages/kit/src/toolbox",
  "scripts/packing",
];
/** A file that changes now may get a time that is this old. */
const COARSE_CLOCK_MS = 50;

/** One sentence when this machine cannot run Backplane at all. */
export function refuseUnsupported({ platform, version }) {
  if (Number(version.split(".")[0]) < OLDEST_NODE) {
    return `Node ${version} is too old. Install Node ${OLDEST_NODE} or later.`;
  }
  if (platform === "linux" || platform === "darwin") return undefined;
  return `Backplane runs on Linux and macOS, not on ${platform}. On Windows, use WSL.`;
}

/** Runs `npm ci` when what is installed is not what package-lock.json says. */
export async function ensureInstalled({ withDev }) {
  if (installFault(withDev) === undefined) return;
  await withLock(join(cache, "install.lock"), "another install", async () => {
    placeNode();
    // Another process may have installed everything while this one waited for the lock.
    const reason = installFault(withDev);
    if (reason === undefined) return;
    const wanted = requiredPackages(lockText(), withDev).filter(([, entry]) => !entry.link);
    const progress = {
      unit: "packages",
      total: wanted.length,
      // npm makes all folders first, then fills them.
      done: () => wanted.filter(([path]) => existsSync(join(root, path, "package.json"))).length,
    };
    await showProgress(process.stderr, `Installing packages (${reason})`, progress, async () => {
      const dev = withDev ? "--include=dev" : "--omit=dev";
      await runNpm("ci", dev);
      // There is none for macOS to put into the lock file.
      if (!placeNode()) await runNpm("install", dev, "--no-save", `${nodePackage(process)}@${nodeVersion(lockText())}`);
      if (!placeNode()) throw new Error(`npm left no Node in node_modules/${nodePackage(process)}. Is "omit" set?`);
      if (!withDev) {
        writeFileSync(join(root, ONLY_RUNS), "");
        removeUnused(join(root, "node_modules"));
      }
      writeFileSync(installStamp, lockHash());
    });
  });
}

const builds = [
  {
    name: "the web app",
    stamp: webStamp,
    inputs: () => webInputs,
    build: async (hash) => {
      const vite = join(root, "node_modules/vite/bin/vite.js");
      await run(projectNode, [vite, "build", "--logLevel", "warn"], { cwd: web });
      mkdirSync(dirname(webStamp), { recursive: true });
      writeFileSync(webStamp, hash);
    },
  },
  {
    name: "the programs",
    stamp: join(root, "dist/current"),
    inputs: () => programInputs(),
    build: (hash) => run(projectNode, [join(root, "scripts/build-programs.ts"), hash]),
  },
];

/** Builds the browser app and the programs, at the same time, when a source of them has changed. */
export async function ensureBuilt() {
  if (staleBuilds().length === 0) return;
  await withLock(join(cache, "build.lock"), "another build", async () => {
    const stale = staleBuilds();
    if (stale.length === 0) return;
    const names = stale.map(({ name }) => name).join(" and ");
    await showProgress(process.stderr, `Building ${names}`, undefined, async () => {
      const ended = await Promise.allSettled(stale.map(({ build, hash }) => build(hash)));
      const failed = ended.find(({ status }) => status === "rejected");
      if (failed !== undefined) throw failed.reason;
    });
    for (const { refresh } of stale) refresh();
  });
}

/**
 * A build is fresh when its stamp has the hash of its inputs. The stamp then has a time when they were as they were hashed: while
 * none is newer, `backplane` runs the build, and nothing is hashed again.
 */
function staleBuilds() {
  return builds.flatMap(({ stamp, inputs, ...rest }) => {
    const stamped = statSync(stamp, { throwIfNoEntry: false });
    if (stamped !== undefined && !changedSince(root, inputs(), stamped.mtimeMs)) return [];
    const at = new Date(Date.now() - COARSE_CLOCK_MS);
    const refresh = () => utimesSync(stamp, at, at);
    const hash = hashFiles(root, inputs());
    if (read(stamp) !== hash) return { ...rest, hash, refresh };
    refresh();
    return [];
  });
}

/** Its place does not depend on the machine, and is the same in the tarball. Another command of npm may have removed it. */
function placeNode() {
  const [found, place] = [nodePackage(process), "node"].map((name) =>
    lstatSync(join(root, "node_modules", name), { throwIfNoEntry: false }),
  );
  if (found && !place) symlinkSync(nodePackage(process), join(root, "node_modules/node"));
  return found !== undefined;
}

function installFault(withDev) {
  const reason = reasonToInstall({
    lock: lockText(),
    withDev,
    hidden: read(join(root, "node_modules/.package-lock.json")),
    node: nodeHere(),
    stamp: read(installStamp),
    wantedStamp: lockHash(),
    exists: (path) => existsSync(join(root, path)),
  });
  // Somebody ran npm: remember that, so that the next check is quick.
  if (reason === undefined && read(installStamp) !== lockHash()) writeFileSync(installStamp, lockHash());
  return reason;
}

function lockText() {
  return readFileSync(join(root, "package-lock.json"), "utf8");
}

function lockHash() {
  return hashText(`${process.platform} ${process.arch} ${lockText()}`);
}

function nodeHere() {
  const manifest = read(join(root, "node_modules/node/package.json"));
  return manifest && JSON.parse(manifest).version;
}

function runNpm(...args) {
  const { npm_execpath: npm = "" } = process.env;
  const [command, ...words] = /npm-cli\.[cm]?js$/.test(npm) ? [process.execPath, npm] : ["npm"];
  // The machine's Node may be older than what packages ask for: its warnings would only hide a real error.
  return run(command, [...words, ...args, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    quietOutput: true,
  });
}

function run(command, args, { cwd = root, quietOutput = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", quietOutput ? "ignore" : "inherit", "inherit"] });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${args.slice(-3).join(" ")} ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
