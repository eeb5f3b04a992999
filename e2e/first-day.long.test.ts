// Backplane as people install it, on other ports, and every command that they are shown, pasted into a new terminal.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, suite, test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import type { Browser, Page } from "playwright-core";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { freePort } from "../scripts/services/index.ts";
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
  const mqtt = { MQTT_PORT: String(await freePort()) };
  backplane = await startBackplane({ command: "backplane", args: ["up"], cwd: folder, env: { ...env, ...mqtt } });
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
    for (const path of ["LICENSE", "third-party-notices.txt", "app/node_modules/node/LICENSE"])
      assert.ok(existsSync(join(program, path)), path);
    assert.deepEqual(globSync(["**/*.{test,suite}.*", "**/{test,tests}/**"], { cwd: program }), []);
    const { folder, env } = installed;
    assert.equal(execFileSync("backplane", ["version"], { cwd: folder, env, encoding: "utf8" }), `${VERSION}\n`);
    assert.equal(
      execFileSync("backplane", ["address"], { cwd: folder, env, encoding: "utf8" }),
      `${backplane.url("platform")}\n`,
    );
  });

  test("the units that it writes start what is in the tarball", () => {
    const { folder, env } = installed;
    const root = newFolder("root");
    execFileSync("backplane", ["service", "install", "--root", root], { cwd: folder, env });
    const unit = readFileSync(join(root, "etc/systemd/system/backplane.service"), "utf8");
    const [, node = "", command = ""] = /^ExecStart="([^"]+)" "([^"]+)" up --exit-on-failure$/m.exec(unit) ?? [];
    assert.ok(
      node.includes("lib/node_modules/backplane/app/") && command.includes("lib/node_modules/backplane/app/"),
      unit,
    );
    assert.equal(execFileSync(node, [command, "version"], { cwd: folder, env, encoding: "utf8" }), `${VERSION}\n`);
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
  /** The commands that the owner sees on a page, after some steps there. */
  async function shownOn(path: string, takeSteps: (page: Page) => Promise<void> = async () => {}): Promise<string[]> {
    await using visited = await visit(browser, signedInWindow(owner));
    await visited.page.goto(backplane.url("platform", path));
    await takeSteps(visited.page);
    const commands = visited.page.locator("code.prompted, .later code");
    await commands.first().waitFor();
    // Awaited here: the window closes when this function returns.
    return await commands.allTextContents();
  }

  async function pasteAll(commands: readonly string[], folder: string): Promise<void> {
    for (const command of commands) {
      const { status, output } = await paste(command, folder);
      assert.equal(status, 0, `${command}\n${output}`);
    }
  }

  test("signing in, publishing, opening panels, running code, installing", async () => {
    const paths = ["/workspaces", "/", "/packages/publish", "/auth/intent?token=unknown"];
    const shown = new Set((await Promise.all(paths.map((path) => shownOn(path)))).flat());
    const folder = newFolder("pages");
    cpSync(STACKUP_CHECKER, folder, { recursive: true });
    // The guide publishes it too, and a version is published once.
    const metadata = join(folder, "metadata.json");
    writeFileSync(metadata, readFileSync(metadata, "utf8").replace("com.example.stackup-checker", IDENTIFIER));
    // In the order in which people get there.
    const inOrder = ["login", "pkg publish", "panel open webview", "panel open sandbox"].map((words) =>
      [...shown].filter((command) => command.startsWith(`backplane ${words} `)),
    );
    assert.deepEqual(
      inOrder.map(({ length }) => length),
      [1, 1, 1, 1],
      `${[...shown]}`,
    );
    assert.equal(shown.size, inOrder.length, `${[...shown]}`);
    await pasteAll(inOrder.flat(), folder);
    await pasteAll(await shownOn(`/packages/${IDENTIFIER}`), folder);
    const [evaluate = "", ...others] = await shownOn("/w/owner/main");
    assert.match(evaluate, /^backplane panel eval /);
    await pasteAll([evaluate, ...others], folder);
    const create = (page: Page) => page.getByRole("button", { name: "Create owner/empty" }).click();
    await pasteAll(await shownOn("/w/owner/empty", create), folder);
  });
});

/** Boxes that another test runs, or that need another machine. */
const NOT_PASTED = /^(?:npm |ssh |node examples\/)/;

const boxesOf = (text: string): string =>
  [...text.matchAll(/^ *```(?:ba)?sh\n(.*?)^ *```/gms)]
    .map(([, box = ""]) => box)
    .filter((box) => !NOT_PASTED.test(box.trim()))
    .join("\n")
    // What the person types there.
    .replace(/^read -rsp .* (\w+) && export \1$/gm, 'export $1="$TYPED"');

/** What a reader of the guide already has. */
const PREPARED: Record<string, () => Promise<AsyncDisposable>> = {
  /** A browser with the workspace. */
  "viewer.md": async () => {
    const visited = await visit(browser, signedInWindow(owner));
    await visited.page.goto(backplane.url("platform", "/w/owner/main"));
    return visited;
  },
};

/** Guides that sign in themselves. The others need an API key, or a session. */
const SIGNS_IN = ["packages.md", "viewer.md", "devices.md"];

/** A simulator runs until it is ended: the lines after it are for another terminal. */
const inTwoTerminals = (lines: string): string =>
  lines.replace(
    /^(backplane simulate .*)$/m,
    "$1 > simulate.log & simulator=$!; trap 'kill $simulator' EXIT\nuntil grep -q http simulate.log; do sleep 0.2; done",
  );

/** hosting.md needs machines of its own: hosting-guide.long.test.ts runs it. */
const DOCUMENTS = globSync(["README.md", "docs/guides/*.md", "examples/*/README.md"], {
  cwd: ROOT,
  exclude: ["docs/guides/hosting.md"],
}).sort();
const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

suite("commands in documents work in a new terminal in an empty folder, and so do the hints that they print", () => {
  for (const file of DOCUMENTS) {
    // Hints are about what is there before it is removed.
    const [walk = "", cleanUp = ""] = textOf(file).split("\n## Clean up\n").map(boxesOf);
    if (walk === "") continue;
    test(file, async () => {
      const folder = newFolder(file.replaceAll("/", "-"));
      await using _prepared = await PREPARED[basename(file)]?.();
      const signsIn = SIGNS_IN.includes(basename(file));
      if (signsIn) rmSync(join(installed.env.HOME ?? "", ".backplane/sessions"), { recursive: true, force: true });
      const own = {
        ...(signsIn ? { TYPED: owner.key } : { BACKPLANE_TOKEN: owner.key }),
        BACKPLANE_PKG_ROOT: join(folder, "packages"),
      };
      const { status, output } = await paste(inTwoTerminals(walk), folder, own);
      if (file !== "docs/guides/gateway.md") assert.equal(status, 0, output);
      else assert.match(output, /"code":"4711"/);
      for (const hint of new Set(hintsIn(output))) {
        const followed = await paste(hint, folder, own);
        assert.ok(!DEAD_ENDS.includes(followed.status), `${hint}\n${followed.output}`);
      }
      const cleaned = await paste(cleanUp, folder, own);
      assert.equal(cleaned.status, 0, cleaned.output);
    });
  }

  test("the commands with a prompt in the guide of screenshots, in the folder where Backplane runs", async () => {
    const prompted = [...textOf("docs/guides/viewer.md").matchAll(/^\$ (?!npx )(.*)$/gm)].map(([, line = ""]) => line);
    const picture = await pictureWithText("Reflow oven profile", 2_400, 1_200);
    writeFileSync(join(installed.folder, "scope.png"), picture);
    const { status, output } = await paste(prompted.join("\n"), installed.folder);
    assert.equal(status, 0, output);
    assert.match(output, /"status":"naming"/);
  });
});

/** These run until they are stopped, have something to fill in, or name a command without what it needs. */
const NOT_FOLLOWED =
  /[<…]|^backplane (?:up|platform|gateway|watchdog|viewer|pkg|pkg init|pkg publish --private|panel delete|viewer open|device record)(?: --|$)/;

test("commands in the sentences of documents lead somewhere", async () => {
  const inSentences = DOCUMENTS.flatMap((file) => [...textOf(file).matchAll(/`(?:eval "\$\()?(backplane [^`)]+)/g)]);
  const commands = [...new Set(inSentences.map(([, command = ""]) => command))].filter(
    (command) => !NOT_FOLLOWED.test(command),
  );
  assert.ok(commands.includes("backplane doctor") && commands.length > 10, `${commands}`);
  const folder = newFolder("sentences");
  for (const command of commands) {
    const { status, output } = await paste(command, folder, { BACKPLANE_TOKEN: owner.key });
    assert.ok(!DEAD_ENDS.includes(status), `${command}\n${output}`);
  }
});
