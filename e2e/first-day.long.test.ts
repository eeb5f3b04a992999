// Backplane as people install it, on other ports, and every command that they are shown, pasted into a new terminal.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, suite, test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import type { Browser } from "playwright-core";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { PROCESS_NAMES, ROOT, type RunningBackplane, startBackplane } from "./support/backplane.ts";
import { openBrowser, visit } from "./support/browser.ts";
import { type Installed, installBackplane } from "./support/installed.ts";
import { type Person, signedInWindow, signInAs } from "./support/person.ts";
import { until } from "./support/processes.ts";
import { pictureWithText } from "./support/viewer.ts";

let installed: Installed;
let backplane: RunningBackplane;
let browser: Browser;
let owner: Person & { key: string };

before(async () => {
  installed = installBackplane();
  const { folder, env } = installed;
  backplane = await startBackplane({ command: "backplane", args: ["up"], cwd: folder, env });
  const { name, password, api_key: key } = JSON.parse(readFileSync(join(backplane.home, "owner.json"), "utf8"));
  owner = Object.assign(await signInAs(backplane.url("platform"), { name, password }), { key });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await backplane?.[Symbol.asyncDispose]();
  installed?.[Symbol.dispose]();
});

/** An empty folder of one's own. */
function newFolder(name: string): string {
  const folder = join(installed.folder, name);
  mkdirSync(folder);
  return folder;
}

/** Pastes lines into a new shell. The person approves what asks to sign in, and opens what says "open:". */
async function paste(lines: string, folder: string, env: NodeJS.ProcessEnv = {}) {
  const shell = spawn("sh", ["-e", "-c", lines], {
    cwd: folder,
    env: { ...installed.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const ended = new Promise<number>((resolve) => shell.once("close", (code) => resolve(code ?? 1)));
  const output: string[] = [];
  const approved = new Set<string>();
  const read = async (stream: NodeJS.ReadableStream) => {
    for await (const line of createInterface({ input: stream })) {
      output.push(line);
      const token = /\/auth\/intent\?token=([\w-]+)/.exec(line)?.[1];
      if (token !== undefined && !approved.has(token)) {
        approved.add(token);
        assert.equal((await owner.decide(backplane.url("platform"), token)).status, 200);
      }
      const address = /^open: (http\S+)$/.exec(line)?.[1];
      if (address !== undefined) await until(async () => (await fetch(address)).status === 200, address);
      // The client of the gateway's guide runs on.
      if (line.includes('"type":"callback"') && shell.pid !== undefined) process.kill(-shell.pid, "SIGTERM");
    }
  };
  await Promise.all([read(shell.stdout), read(shell.stderr)]);
  return { status: await ended, output: output.join("\n") };
}

/** Hints of commands, without those in which something is to be filled in. */
const hintsIn = (output: string): string[] =>
  [...output.matchAll(/(?:with|then|Run):? (backplane [^<…\n]+?)\.?$/gm)].map(([, command = ""]) => command);

/** Wrong usage, not reachable, not allowed, no such program. */
const DEAD_ENDS: readonly number[] = [2, 3, 4, 127];

suite("installed from the tarball into an empty prefix, without a network", () => {
  test("the command runs on the Node that came along, without development packages", () => {
    const program = join(installed.prefix, "lib/node_modules/backplane");
    assert.ok(existsSync(join(program, "app/node_modules/node/bin/node")));
    assert.ok(!existsSync(join(program, "app/node_modules/typescript")));
    const { folder, env } = installed;
    assert.equal(execFileSync("backplane", ["version"], { cwd: folder, env, encoding: "utf8" }), `${VERSION}\n`);
    assert.equal(
      execFileSync("backplane", ["address"], { cwd: folder, env, encoding: "utf8" }),
      `${backplane.url("platform")}\n`,
    );
  });

  test("backplane up serves everything from it", async () => {
    for (const name of PROCESS_NAMES) assert.equal((await fetch(backplane.url(name, "/ready"))).status, 200, name);
    assert.match(await (await fetch(backplane.url("platform"))).text(), /<div id="app">/);
    assert.equal((await fetch(backplane.url("platform", "/docs/"))).status, 200);
    assert.match(await (await fetch(backplane.url("watchdog"))).text(), /Gateway is running/);
  });

  test("a large archive is examined in a thread, which has a file of its own", async () => {
    const filler = Buffer.from(Array.from({ length: 200_000 }, (_, place) => (place * 7_919) % 251));
    const published = await fetch(backplane.url("platform", "/registry/packages"), {
      method: "POST",
      headers: { "x-api-key": owner.key, "content-type": "application/zip" },
      body: new Uint8Array(sampleArchive({ store: true, files: { "plugins/filler.bin": filler } })),
    });
    assert.equal(published.status, 201, await published.text());
  });

  test("text in a screenshot is recognised by a library that looks for its own files", async () => {
    const { secret } = JSON.parse(readFileSync(join(installed.folder, "screenshots/sp/.pastes/server.json"), "utf8"));
    const headers = { authorization: `Bearer ${secret}` };
    const pasted = await fetch(backplane.url("viewer", "/screenshot-paste"), {
      method: "POST",
      headers: { ...headers, "content-type": "image/png" },
      body: new Uint8Array(await pictureWithText("Supply rail undervoltage", 900, 600)),
    });
    const { id } = (await pasted.json()) as { id: string };
    await until(async () => {
      const paste = await fetch(backplane.url("viewer", `/screenshot-paste/${id}`), { headers });
      return ((await paste.json()) as { name: string }).name === "supply-rail-undervoltage";
    }, "the screenshot has its name");
  });
});

const STACKUP_CHECKER = join(ROOT, "examples/publish-a-package/stackup-checker");
const IDENTIFIER = "com.example.first-day";

suite("commands on pages work in a new terminal", () => {
  /** The commands that the owner sees on a page. */
  async function shownOn(path: string): Promise<string[]> {
    await using visited = await visit(browser, signedInWindow(owner));
    await visited.page.goto(backplane.url("platform", path));
    const commands = visited.page.locator("code.prompted, .later code");
    await commands.first().waitFor();
    return commands.allTextContents();
  }

  test("overview, packages, publish, sign-in and an empty workspace: signing in, publishing, opening a panel, installing", async () => {
    const paths = ["/", "/packages/publish", "/auth/intent?token=unknown", "/w/owner/empty"];
    const shown = new Set((await Promise.all(paths.map(shownOn))).flat());
    const folder = newFolder("pages");
    cpSync(STACKUP_CHECKER, folder, { recursive: true });
    // The guide publishes it too, and a version is published once.
    const metadata = join(folder, "metadata.json");
    writeFileSync(metadata, readFileSync(metadata, "utf8").replace("com.example.stackup-checker", IDENTIFIER));
    // In the order in which people get there.
    const inOrder = ["login", "pkg publish", "panel open"].flatMap((words) =>
      [...shown].filter((command) => command.startsWith(`backplane ${words} `)),
    );
    assert.equal(inOrder.length, shown.size, `${[...shown]}`);
    for (const command of inOrder) {
      const { status, output } = await paste(command, folder);
      assert.equal(status, 0, `${command}\n${output}`);
    }
    const [install = ""] = await shownOn(`/packages/${IDENTIFIER}`);
    const { status, output } = await paste(install, folder);
    assert.equal(status, 0, `${install}\n${output}`);
  });
});

/** Boxes that another test runs, or that need another machine. */
const NOT_PASTED = /^(?:npm |ssh |node examples\/)/;

/** What a reader of the guide already has. */
const PREPARED: Record<string, (folder: string) => Promise<void> | void> = {
  "viewer.md": async (folder) =>
    writeFileSync(join(folder, "scope.png"), await pictureWithText("Reflow oven profile", 2_400, 1_200)),
};

suite("commands in documents work in a new terminal in an empty folder, and so do the hints that they print", () => {
  for (const file of globSync(["README.md", "docs/guides/*.md", "examples/*/README.md"], { cwd: ROOT }).sort()) {
    const boxes = [...readFileSync(join(ROOT, file), "utf8").matchAll(/^ *```sh\n(.*?)^ *```/gms)]
      .map(([, box = ""]) => box)
      .filter((box) => !NOT_PASTED.test(box.trim()));
    if (boxes.length === 0) continue;
    test(file, async () => {
      const folder = newFolder(file.replaceAll("/", "-"));
      await PREPARED[basename(file)]?.(folder);
      const own = { BACKPLANE_TOKEN: owner.key, BACKPLANE_PKG_ROOT: join(folder, "packages") };
      const { status, output } = await paste(boxes.join("\n"), folder, own);
      if (file !== "docs/guides/gateway.md") assert.equal(status, 0, output);
      else assert.match(output, /"code":"4711"/);
      for (const hint of new Set(hintsIn(output))) {
        const followed = await paste(hint, folder, own);
        assert.ok(!DEAD_ENDS.includes(followed.status), `${hint}\n${followed.output}`);
      }
    });
  }
});
