import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machinePath, ROOT } from "./backplane.ts";

/** Backplane as people install it, and what a new terminal of such a person has. */
export type Installed = Disposable & {
  /** An empty folder of one's own. */
  folder: string;
  /** The prefix of `npm install -g`. */
  prefix: string;
  env: NodeJS.ProcessEnv;
};

/** Packs this checkout, and installs the tarball into an empty prefix. The registry that npm knows does not answer. */
export function installBackplane(): Installed {
  execFileSync("npm", ["run", "pack"], { cwd: ROOT, env: { ...process.env, PATH: machinePath() } });
  const base = mkdtempSync(join(tmpdir(), "backplane-installed-"));
  const [folder, prefix, home] = ["own", "prefix", "home"].map((name) => join(base, name)) as [string, string, string];
  for (const each of [folder, prefix, home]) mkdirSync(each);
  const env = {
    PATH: `${join(prefix, "bin")}:${machinePath()}`,
    HOME: home,
    npm_config_registry: "http://127.0.0.1:1/",
  };
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  execFileSync("npm", ["install", "-g", "--prefix", prefix, `./backplane-${version}.tgz`], { cwd: ROOT, env });
  return { folder, prefix, env, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}
