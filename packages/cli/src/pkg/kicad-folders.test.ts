import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { isRefusal } from "../refusal.ts";
import type { Running } from "../run.ts";
import { runLineHere } from "../run-here.suite.ts";
import { offerPlace } from "./choose-place.ts";
import { findKicadFolders } from "./kicad-folders.ts";
import type { PkgOptions } from "./place.ts";

/** What is found on a machine with these folders. */
function found(
  platform: NodeJS.Platform,
  home: string,
  folders: Record<string, string[]>,
  env: NodeJS.ProcessEnv = {},
) {
  const list = (folder: string) => folders[folder] ?? [];
  return findKicadFolders({ env, platform }, { home, list }).map(({ version, root }) => [version, root]);
}

test("every version of KiCad that has settings or content is found, latest first", () => {
  const folders = {
    "/home/ada/.local/share/kicad": ["8.0", "template"],
    "/home/ada/.config/kicad": ["10.0", "8.0", "9.0", "old"],
    "/home/ada/.var/app/org.kicad.KiCad/config/kicad": ["9.0"],
  };
  const shared = "/home/ada/.local/share/kicad";
  assert.deepEqual(found("linux", "/home/ada", folders), [
    ["10.0", `${shared}/10.0/3rdparty`],
    ["9.0", `${shared}/9.0/3rdparty`],
    ["9.0", "/home/ada/.var/app/org.kicad.KiCad/data/kicad/9.0/3rdparty"],
    ["8.0", `${shared}/8.0/3rdparty`],
  ]);
  assert.deepEqual(found("linux", "/home/bob", folders), []);
});

test("also on macOS and Windows, and where the environment says", () => {
  const mac = { "/Users/ada/Library/Preferences/kicad": ["9.0"] };
  assert.deepEqual(found("darwin", "/Users/ada", mac), [["9.0", "/Users/ada/Documents/KiCad/9.0/3rdparty"]]);
  const windows = { "D:\\Roaming\\kicad": ["8.0"], "D:\\OneDrive\\Documents\\KiCad": ["9.0"] };
  const env = { APPDATA: "D:\\Roaming", OneDrive: "D:\\OneDrive" };
  assert.deepEqual(found("win32", "C:\\Users\\ada", windows, env), [
    ["9.0", "D:\\OneDrive\\Documents\\KiCad\\9.0\\3rdparty"],
    ["8.0", "C:\\Users\\ada\\Documents\\KiCad\\8.0\\3rdparty"],
  ]);
  const folders = { "/srv/settings": ["9.0", "8.0"] };
  const named = {
    KICAD_CONFIG_HOME: "/srv/settings",
    KICAD_DOCUMENTS_HOME: "/srv/kicad",
    KICAD8_3RD_PARTY: "/srv/eight",
  };
  assert.deepEqual(found("linux", "/home/ada", folders, named), [
    ["9.0", "/srv/kicad/9.0/3rdparty"],
    ["8.0", "/srv/eight"],
  ]);
});

// An account of its own, on which two versions of KiCad have run.
const home = mkdtempSync(join(tmpdir(), "kicad-"));
after(() => rmSync(home, { recursive: true }));
process.env.HOME = home;
const [eight, nine] = ["8.0", "9.0"].map((version) => join(home, ".local/share/kicad", version, "3rdparty"));
for (const version of ["8.0", "9.0"]) mkdirSync(join(home, ".config/kicad", version), { recursive: true });

/** A terminal at which somebody types these lines. */
async function offered(options: PkgOptions, typed: readonly string[] | undefined) {
  let said = "";
  const write = (piece: string) => {
    said += piece;
    return true;
  };
  const isTTY = typed !== undefined;
  const host = {
    ...{ env: {}, platform: "linux", cwd: () => home },
    stdin: Object.assign(Readable.from(typed ?? []), { isTTY }),
    stderr: Object.assign(new EventEmitter(), { isTTY, write }),
  } as unknown as NodeJS.Process;
  const running = { json: false, signal: new AbortController().signal } as Running;
  const place = await offerPlace(host, options, running);
  assert.ok(!isRefusal(place));
  return { said, root: place.root, tool: `${place.brand} ${place.tool.version}` };
}

test("installing offers the folders of KiCad as long as nothing says where, and nothing is installed", async () => {
  const own = join(home, ".backplane/packages");
  const first = await offered({}, ["\n"]);
  assert.deepEqual([first.root, first.tool], [nine, "kicad 9.0"]);
  assert.match(first.said, /1 {2}KiCad 9\.0.*\n.*2 {2}KiCad 8\.0.*\n.*3 {2}Only for Backplane/);
  assert.equal((await offered({}, ["7\n", "two\n", "2\n"])).root, eight);
  assert.equal((await offered({}, ["3\n"])).root, own);
  const piped = await offered({}, undefined);
  assert.deepEqual(
    [piped.root, piped.said],
    [own, "KiCad is on this machine (9.0, 8.0). To install for it, add --kicad.\n"],
  );
  assert.deepEqual(await offered({ root: "here" }, []), { said: "", root: join(home, "here"), tool: "tool 9.0" });
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "installed_packages.json"), "{}");
  assert.deepEqual(await offered({}, []), { said: "", root: own, tool: "tool 9.0" });
});

test("--kicad is the latest version on this account, and --tool chooses another", async () => {
  const list = (...options: string[]) =>
    runLineHere({ cwd: home, env: {} }, ["pkg", "list", "--kicad", "--json", ...options]);
  assert.equal((await list()).status, 0);
  assert.deepEqual(
    [nine, eight].map((root) => existsSync(join(root ?? "", ".backplane"))),
    [true, false],
  );
  assert.equal((await list("--tool", "8.0.4")).status, 0);
  assert.ok(existsSync(join(eight ?? "", ".backplane")));
  const none = await list("--tool", "7.0");
  assert.equal(none.status, 5);
  assert.match(JSON.parse(none.stdout).error.message, /KiCad 7\.0 has not run on this account\.\nFound: 9\.0, 8\.0\./);
  assert.equal((await list("--root", "x")).status, 2);
});
