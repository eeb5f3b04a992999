// What `npm start`, `npm test` and `npm run check` do first. Plain JavaScript without dependencies: it runs on the Node
// the machine happens to have (18 or later), before anything is installed.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { withLock } from "./bootstrap/lock.mjs";
import { hashFiles, hashText, reasonToInstall } from "./bootstrap/staleness.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node this project runs on: 24, from npm, whatever the machine has. */
export const projectNode = join(root, "node_modules/.bin/node");

const cache = join(root, ".cache");
const installStamp = join(root, "node_modules/.backplane-install");
const web = join(root, "packages/web");
const webStamp = join(web, "dist/.inputs");
const webInputs = [web, "package-lock.json", "packages/kit/src/page/tokens.css", "packages/contract/src"];

/** One sentence when this machine cannot run Backplane at all. */
export function refuseUnsupported({ platform, version }) {
  if (Number(version.split(".")[0]) < 18) return `Node ${version} is too old to start from. Install Node 18 or later.`;
  if (platform === "linux" || platform === "darwin") return undefined;
  return `Backplane runs on Linux and macOS, not on ${platform}. On Windows, use WSL.`;
}

/** Runs `npm ci` when what is installed is not what package-lock.json says. */
export async function ensureInstalled() {
  if (installFault() === undefined) return;
  await withLock(join(cache, "install.lock"), "another install", async () => {
    // Whoever held the lock may have done the work.
    const reason = installFault();
    if (reason === undefined) return;
    await saying(`Installing dependencies (${reason})`, async () => {
      const npm = npmCommand(process.env.npm_execpath);
      // Started by an old Node on purpose: its engine warnings would only hide a real error.
      await run(npm.command, [...npm.args, "ci", "--include=dev", "--loglevel=error"], { quietOutput: true });
      if (!existsSync(projectNode)) {
        throw new Error(`npm ci left no ${projectNode}. Is "ignore-scripts" set? The package node needs its script.`);
      }
      writeFileSync(installStamp, lockHash());
    });
  });
}

/** Builds the browser app when a source of it has changed. */
export async function ensureWebBuilt() {
  if (!existsSync(join(web, "index.html")) || read(webStamp) === webHash()) return;
  await withLock(join(cache, "web.lock"), "another build of the web app", async () => {
    const wanted = webHash();
    if (read(webStamp) === wanted) return;
    await saying("Building the web app", async () => {
      const vite = join(root, "node_modules/vite/bin/vite.js");
      await run(projectNode, [vite, "build", "--logLevel", "warn"], { cwd: web });
      mkdirSync(dirname(webStamp), { recursive: true });
      writeFileSync(webStamp, wanted);
    });
  });
}

function installFault() {
  const reason = reasonToInstall({
    lock: readFileSync(join(root, "package-lock.json"), "utf8"),
    hidden: read(join(root, "node_modules/.package-lock.json")),
    stamp: read(installStamp),
    wantedStamp: lockHash(),
    exists: (path) => existsSync(join(root, path)),
  });
  // Installed by hand with npm: remember, so that the next look is quick.
  if (reason === undefined && read(installStamp) !== lockHash()) writeFileSync(installStamp, lockHash());
  return reason;
}

function lockHash() {
  return hashText(`${process.platform} ${process.arch} ${readFileSync(join(root, "package-lock.json"), "utf8")}`);
}

function webHash() {
  return hashFiles(root, webInputs);
}

function npmCommand(execpath) {
  const given = execpath !== undefined && /npm-cli\.[cm]?js$/.test(execpath);
  return given ? { command: process.execPath, args: [execpath] } : { command: "npm", args: [] };
}

/** One line when it begins and one when it is done; in a terminal one line that counts the seconds. */
async function saying(what, work) {
  const startedMs = Date.now();
  const seconds = (digits) => ((Date.now() - startedMs) / 1000).toFixed(digits);
  const line = process.stderr.isTTY ? (text) => `\r\u001b[K${text}` : (text) => `${text}\n`;
  process.stderr.write(line(`${what} …`));
  const ticking =
    process.stderr.isTTY && setInterval(() => process.stderr.write(line(`${what} … ${seconds(0)} s`)), 1000);
  try {
    await work();
    process.stderr.write(line(`${what}: done in ${seconds(1)} s.`));
  } finally {
    clearInterval(ticking);
    if (process.stderr.isTTY) process.stderr.write("\n");
  }
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
