import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { findOlderNode } from "../../packages/sdk/src/testing/older-node.ts";
import { scratchFolder } from "../../packages/sdk/src/testing/scratch.ts";
import { CLI, Program, plainEnvironment } from "../support/backplane.ts";
import { changePerson, type Visit, visit } from "../support/browser.ts";
import { buildSdk, serveFolder } from "../support/built-sdk.ts";
import { signedInWindow } from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { HANG_MS } from "../support/processes.ts";
import type { PlatformBench } from "./bench.ts";

const run = promisify(execFile);

/** Programs that sign in, while the owner approves in a browser. */
export function testLogin(bench: () => PlatformBench): void {
  let platform: RunningPlatform;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  before(async () => {
    ({ platform, browser, seen, page } = bench());
    await changePerson(page, signedInWindow(bench().owner));
    seen.complaints.length = 0;
  });

  /** Opens the link that a program printed and decides; returns the code on the page. */
  async function answer(url: string, button: "Approve" | "Deny"): Promise<string> {
    await page.goto(url);
    const label = await page.getByRole("img", { name: /^Confirmation code/ }).getAttribute("aria-label");
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("heading", { name: button === "Approve" ? /is signed in$/ : "Sign-in denied" }).waitFor();
    assert.deepEqual(seen.complaints, []);
    return String(label).replace("Confirmation code ", "").replaceAll(" ", "").replace(",", "-");
  }

  suite("backplane login, without a terminal", () => {
    const home = scratchFolder();
    after(() => home[Symbol.dispose]());
    const sessions = join(home.path, ".backplane/sessions");
    const start = (...args: string[]) =>
      new Program(process.execPath, [CLI, ...args, "--url", platform.url], {
        cwd: home.path,
        env: { ...plainEnvironment(), HOME: home.path },
      });
    const finish = async (...args: string[]) => {
      await using program = start(...args);
      return { code: await program.ended(), output: program.output };
    };
    const linkOf = async (program: Program) => {
      await program.prints(/http\S+token=\S+/);
      await program.prints(/[B-Z]{4}-[B-Z]{4}/);
      const [url = ""] = /http\S+token=\S+/.exec(program.output) ?? [];
      const [code = ""] = /[B-Z]{4}-[B-Z]{4}/.exec(program.output) ?? [];
      return { url, code };
    };

    test("prints the address and the code, waits for the browser, stores the session for this user only; then whoami, sessions, logout", async () => {
      await using login = start("login", "--name", "bench", "--no-browser");
      const { url, code } = await linkOf(login);
      assert.equal(await answer(url, "Approve"), code);
      assert.equal(await login.ended(), 0, login.output);
      assert.match(login.output, new RegExp(`Signed in as ${OWNER.name} at ${platform.url}`));
      const [file = ""] = readdirSync(sessions);
      assert.equal((statSync(join(sessions, file)).mode & 0o777).toString(8), "600");
      const { accessToken } = JSON.parse(readFileSync(join(sessions, file), "utf8")) as { accessToken: string };
      assert.match(accessToken, /^tok_/);

      const who = await finish("whoami");
      assert.equal(who.code, 0, who.output);
      assert.match(who.output, /owner[\s\S]*a program's session, "bench"/);
      const where = await finish("sessions");
      assert.match(where.output, /bench +application .*this one/);
      assert.match(where.output, /browser/);
      const out = await finish("logout");
      assert.equal(out.code, 0, out.output);
      assert.deepEqual(readdirSync(sessions), []);
      const response = await fetch(`${platform.url}/user`, { headers: { authorization: `Bearer ${accessToken}` } });
      assert.equal(response.status, 401);
      const after = await finish("whoami");
      assert.equal(after.code, 4);
      assert.match(after.output, /You are not signed in at .*\n +Run backplane login --url/);
      for (const { output } of [login, who, where, out, after]) assert.ok(!output.includes(accessToken));
    });

    test("after a denial it says so and exits with 4", async () => {
      await using login = start("login", "--no-browser");
      await answer((await linkOf(login)).url, "Deny");
      assert.equal(await login.ended(), 4);
      assert.match(login.output, /denied/i);
      assert.deepEqual(readdirSync(sessions), []);
    });

    test("Ctrl-C ends the wait", async () => {
      await using login = start("login", "--no-browser");
      await linkOf(login);
      assert.equal(await login.stop("SIGINT"), 130);
    });
  });

  suite("the built sdk", () => {
    const sdk = buildSdk();
    after(() => sdk[Symbol.dispose]());

    /** A third-party program that depends only on the published package. */
    writeFileSync(
      join(sdk.folder, "sign-in.js"),
      `import { getUser, signIn, signOut } from "@backplane/sdk";
       const baseUrl = process.argv[2];
       const { sessionToken } = await signIn({ baseUrl, appName: "elsewhere", onUrl: ({ url }) => console.log(url) });
       const { name } = await getUser({ baseUrl, sessionToken });
       await signOut({ baseUrl, sessionToken });
       const gone = await getUser({ baseUrl, sessionToken }).catch(({ code }) => code);
       console.log(JSON.stringify([name, gone]));`,
    );

    const signInWith = async (node: string) => {
      const running = run(node, ["sign-in.js", platform.url], { cwd: sdk.folder, timeout: HANG_MS });
      const url = await new Promise<string>((resolve) => {
        running.child.stdout?.once("data", (chunk) => resolve(String(chunk).trim()));
      });
      await answer(url, "Approve");
      return JSON.parse((await running).stdout.trim().split("\n").at(-1) ?? "");
    };

    test("signs in a program", async () => {
      assert.deepEqual(await signInWith(process.execPath), [OWNER.name, "not-signed-in"]);
    });

    const olderNode = findOlderNode();
    test("signs in a program on Node 20", {
      skip: olderNode === undefined && "no Node 20 or 21 is on the PATH",
    }, async () => {
      assert.deepEqual(await signInWith(String(olderNode)), [OWNER.name, "not-signed-in"]);
    });

    test("signs in a page of another origin, unbundled", async () => {
      await using site = await serveFolder(sdk.built);
      await using seen = await visit(browser);
      const { page } = seen;
      await page.goto(site.url);
      const url = await page.evaluate(async (baseUrl) => {
        const address = "/index.js";
        const { getUser, signIn } = (await import(address)) as typeof import("../../packages/sdk/src/index.ts");
        return new Promise<string>((resolve, reject) => {
          const signedIn = signIn({ baseUrl, onUrl: (link) => resolve(link.url) });
          signedIn.catch(reject);
          const user = signedIn.then(({ sessionToken }) => getUser({ baseUrl, sessionToken }));
          Object.assign(globalThis, { user: user.then(({ name, session }) => `${name} ${session.kind}`) });
        });
      }, platform.url);
      await answer(url, "Approve");
      const user = await page.evaluate(() => (globalThis as unknown as { user: Promise<string> }).user);
      assert.equal(user, `${OWNER.name} Application`);
      assert.deepEqual(seen.complaints, []);
    });
  });
}
