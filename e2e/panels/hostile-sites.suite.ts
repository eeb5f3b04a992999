import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame, Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { type Visit, visit } from "../support/browser.ts";
import { addressIn, type FramedSite, isProxied, MODES, type Mode, startFramedSite } from "../support/framed-site.ts";
import { type Attempt, attemptCode } from "../support/hostile-panels.ts";
import { signedInWindow } from "../support/person.ts";
import { OWNER } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { assertUndisturbed, noteDisturbances } from "../support/undisturbed.ts";
import { connected, type Driver, driverOf, type Workspaces } from "../support/workspaces.ts";
import type { HostileBench } from "./bench.ts";

const PROJECT = "hostile-sites";

let workspaces: Workspaces;
let site: FramedSite;
let other: FramedSite;
let driver: Driver;
let panel: string;
let seen: Visit;
let page: Page;
let disturbances: string[] = [];

async function assertUntouched(what: string): Promise<void> {
  const address = `${workspaces.pages}/w/${OWNER.name}/${PROJECT}`;
  await assertUndisturbed(page, workspaces, { address, disturbances, what });
}

let visits = 0;
/** Shows a path of the site in the first panel, and returns its frame. */
async function show(path: string, mode: Mode): Promise<Frame> {
  visits += 1;
  const place = `${path}${path.includes("?") ? "&" : "?"}visit=${visits}`;
  await driver.webview({ panelId: panel, action: "setProxyEnabled", enabled: isProxied(mode) });
  await driver.webview({ panelId: panel, action: "navigate", url: `${addressIn(site, mode)}${place}` });
  const found = () =>
    page.frames().find((frame) => frame.parentFrame() === page.mainFrame() && frame.url().endsWith(place));
  await until(async () => (await headingOf(found())) === "Bad", `${path} is shown`);
  return found() as Frame;
}

const headingOf = (frame: Frame | undefined) =>
  frame?.evaluate(() => document.querySelector("h1")?.textContent).catch(() => undefined);

const REFUSED = /^refused (SecurityError|NotAllowedError|TypeError|InvalidStateError)$/;
const NOTHING = /^(undefined|null|false|)$/;
const DENIED = /^(denied|false|null|undefined|refused \w*Error)$/;

/** Without prompts and permissions, which need the whole browser: hostile-code.suite.ts tries them. */
const attemptsOn = (app: string): readonly Attempt[] => [
  ["the page's document", "top.document", REFUSED],
  ["the page's storage", "parent.localStorage", REFUSED],
  ["the page's address", "top.location.href", REFUSED],
  [
    "the frame of another panel",
    "[...Array(top.length).keys()].map((n) => top[n]).find((it) => it !== window).document",
    REFUSED,
  ],
  ["its own element", "window.frameElement", NOTHING],
  ["the app's domain", "document.domain = 'localhost'", REFUSED],
  ["who opened it", "window.opener ?? top.opener", NOTHING],
  ["the app's address", "document.referrer", NOTHING],
  ["the whole page", `top.location = "${app}/elsewhere"`, REFUSED],
  ["the whole page, replaced", `top.location.replace("${app}/elsewhere")`, REFUSED],
  [
    "the whole page, by a link",
    `Object.assign(document.createElement("a"), { href: "${app}/account", target: "_top" }).click()`,
    NOTHING,
  ],
  [
    "the whole page, by a form",
    `(() => { const form = Object.assign(document.createElement("form"), { action: "${app}/account", target: "_top" }); document.body.append(form); HTMLFormElement.prototype.submit.call(form) })()`,
    NOTHING,
  ],
  [
    "a window, from a nested frame",
    `document.body.appendChild(document.createElement("iframe")).contentWindow.open("${app}/")`,
    NOTHING,
  ],
  [
    "a download",
    `Object.assign(document.createElement("a"), { href: "data:application/octet-stream,x", download: "x" }).click()`,
    NOTHING,
  ],
  ["going back", "history.go(-50)", NOTHING],
  ["closing the page", "top.close() ?? window.close()", NOTHING],
  ["the app's data", `fetch("${app}/api/workspaces", { credentials: "include" })`, REFUSED],
  ["the app's data, as a program", `fetch("${app}/api/workspaces", { headers: { "x-api-key": "x" } })`, REFUSED],
  [
    "the app's cookie",
    "document.cookie.includes('session_token') || document.cookie.includes('backplane_pass')",
    NOTHING,
  ],
];

const PROXIED = MODES[0];
const app = () => workspaces.pages;
const reportOf = () => driver.webviewReport(panel);

/** Sends tracker messages with other sites' addresses. */
const forge = (frame: Frame) =>
  frame.evaluate((url) => {
    for (const event of ["page", "failed", "leaving"]) {
      for (const forged of ["https://bank.example/login", `${url}/`, "http://127.0.0.1:1/"]) {
        const message = {
          backplane: "webview",
          event,
          url: forged,
          title: "Bank",
          detail: "Bank",
          hasUserActivation: true,
        };
        for (const to of [parent, top as Window]) to.postMessage(message, "*");
      }
    }
  }, other.url);

/** Sites that try to get out of their frame. */
export function testHostileSites(bench: () => HostileBench): void {
  before(async () => {
    ({ workspaces, site } = bench());
    other = await startFramedSite("Good");
    driver = driverOf(workspaces, workspaces.pages, PROJECT);
    panel = (await driver.open("webview", { initialState: { url: `${site.url}/`, proxyEnabled: true } })).panelId;
    const state = { initialState: { url: `${other.url}/`, proxyEnabled: true } };
    await driver.split(panel, "webview", state);
    seen = await visit(bench().browser, signedInWindow(workspaces.owner));
    page = seen.page;
    await page.goto(`${workspaces.pages}/workspaces`);
    await page.goto(`${workspaces.pages}/w/${OWNER.name}/${PROJECT}`);
    await connected(page);
    disturbances = noteDisturbances(page);
  });
  after(async () => {
    await seen?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  });

  for (const mode of MODES) {
    test(`a site shown ${mode} cannot get out of its frame`, async () => {
      const frame = await show("/", mode);
      for (const [what, code, outcome] of attemptsOn(workspaces.pages)) {
        assert.match(String(await frame.evaluate(attemptCode(code))), outcome, `${what}, ${mode}`);
        await assertUntouched(`${what}, ${mode}`);
      }
    });

    test(`a site shown ${mode} cannot change anything in the app with the viewer's cookie`, async () => {
      const frame = await show("/", mode);
      const opened = async () => (await driver.tabs()).map(({ tabId, panelId, name }) => [tabId, panelId, name]);
      const before = await opened();
      const path = `${workspaces.pages}${driver.current}`;
      const outcomes = await frame.evaluate(async (at) => {
        const body = JSON.stringify({ panelType: "sandbox" });
        const results: string[] = [];
        for (const init of [
          { method: "POST", mode: "no-cors" },
          { method: "POST", headers: { "content-type": "application/json" } },
          { method: "DELETE" },
          { method: "PATCH" },
        ] as RequestInit[]) {
          const asked = fetch(`${at}/tabs`, { body, credentials: "include", ...init });
          results.push(
            await asked.then(
              ({ type }) => type,
              () => "refused",
            ),
          );
        }
        navigator.sendBeacon(`${at}/tabs`, body);
        return results;
      }, path);
      for (const outcome of outcomes) assert.match(outcome, /^(opaque|refused)$/);
      assert.deepEqual(await opened(), before);
      await assertUntouched(mode);
    });

    test(`a site shown ${mode} cannot frame the app`, async () => {
      const frame = await show("/", mode);
      for (const path of ["/workspaces", `/w/${OWNER.name}/${PROJECT}`, "/auth/intent", "/api/workspaces"]) {
        await frame.evaluate((src) => {
          document.body.append(Object.assign(document.createElement("iframe"), { src }));
        }, `${workspaces.pages}${path}`);
        await until(() => frame.childFrames().at(-1)?.url().startsWith("chrome-error:"), `${path} is refused`);
      }
      await assertUntouched(mode);
    });

    test(`a site shown ${mode} cannot trap people: frame busting, beforeunload prompts, dialogs`, async () => {
      await show(`/bust?to=${encodeURIComponent(`${workspaces.pages}/account`)}`, mode);
      await assertUntouched("busting");
      await show("/trap", mode);
      await show("/", mode);
      await assertUntouched("traps");
    });
  }

  test("a site's headers about hosts and cookies apply to its own frame only", async () => {
    const frame = await show("/reaching", PROXIED);
    await assertUntouched("headers");
    await frame.evaluate(() => {
      const { set } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie") as { set(line: string): void };
      for (const line of [
        "session_token=forged; domain=localhost; path=/",
        "session_token=forged; domain=.localhost; path=/; SameSite=None; Secure",
        "backplane_pass=forged; path=/; SameSite=None; Secure; Partitioned",
        "backplane_pass=forged; path=/deeper; SameSite=None; Secure; Partitioned",
        "=backplane_pass=forged; path=/; SameSite=None; Secure; Partitioned",
      ]) {
        set.call(document, line);
        Reflect.set(document, "cookie", line);
      }
    });
    await assertUntouched("cookies");
    // The real pass still works, even where the site set cookies of the same name.
    await show("/deeper/still", PROXIED);
    const asked = site.asked.filter(({ path }) => path === "/deeper/still").at(-1);
    assert.match(String(asked?.headers.cookie), /own=kept/);
    for (const { path, headers } of [...site.asked, ...other.asked]) {
      const sent = JSON.stringify(headers);
      // At the app's own host name the browser sends the cookie itself: cookies ignore ports.
      if (String(headers.host).startsWith("localhost:")) continue;
      assert.ok(!sent.includes(workspaces.owner.cookie), `the app's cookie was sent to ${path}`);
      assert.ok(
        !/backplane_pass|x-api-key|bpk_/.test(sent.replace("backplane_pass=forged", "")),
        `${path} was sent ${sent}`,
      );
      assert.ok(!sent.includes(new URL(workspaces.pages).host), `${path} was sent the app's address: ${sent}`);
    }
    assert.ok(
      !other.asked.some(({ headers }) => JSON.stringify(headers).includes("own=kept")),
      "the other site got it",
    );
  });

  test("a proxied site can report only its own address, and no other site's name", async () => {
    const frame = await show("/", PROXIED);
    await until(async () => (await reportOf()).title === "Bad", "its title is reported");
    const { url: here } = await reportOf();
    assert.ok(here?.startsWith(`${site.url}/`), String(here));
    await forge(frame);
    // Messages arrive in order, so this one is last.
    await frame.evaluate(() => {
      document.title = "Said last";
    });
    await until(async () => (await reportOf()).title === "Said last", "the last message has arrived");
    const { url, fault } = await reportOf();
    assert.deepEqual([url, fault], [here, null]);
    assert.equal(await page.getByRole("textbox", { name: "Address" }).first().inputValue(), here);

    // A real navigation is reported.
    await frame.evaluate((to) => location.assign(to), `${other.url}/visited`);
    await until(async () => (await reportOf()).url === `${other.url}/visited`, "the other site's address is shown");
    await until(async () => (await reportOf()).title === "Good", "the other site's title is shown");
    await assertUntouched("forged addresses");
  });

  test("messages from a site shown directly are ignored", async () => {
    const frame = await show("/", "directly, as another site");
    const { url: here } = await reportOf();
    await forge(frame);
    await frame.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    const { url, title, fault } = await reportOf();
    assert.deepEqual([url, title, fault], [here, null, null]);
    await assertUntouched("forged addresses");
  });

  test("a site that reports thousands of addresses at once changes the layout only a few times", async () => {
    const frame = await show("/", PROXIED);
    const { revision } = await driver.layout();
    const addresses = isLongRun ? 5_000 : 1_000;
    await frame.evaluate(
      ([here, count]) => {
        for (let n = 1; n <= count; n += 1) {
          const message = { backplane: "webview", event: "page", url: `${here}/flood?${n}`, title: `Flood ${n}` };
          parent.postMessage(message, "*");
        }
      },
      [site.url, addresses] as const,
    );
    await until(async () => (await reportOf()).title === `Flood ${addresses}`, "the last message has arrived");
    const kept = async () => String((await driver.tabs())[0]?.panelState.url);
    await until(async () => (await kept()) === `${site.url}/flood?${addresses}`, "the last address is stored");
    const after = (await driver.layout()).revision;
    assert.ok(after - revision < 20, `${after - revision} changes`);
    await assertUntouched("a flood");
  });

  test("a site that floods the page with messages is stopped", async () => {
    const frame = await show("/", PROXIED);
    await frame.evaluate(() => {
      for (let n = 0; n < 12_000; n += 1) parent.postMessage(0, "*");
    });
    await until(async () => /more messages than it can take/.test(String((await reportOf()).fault)), "it is stopped");
    await assertUntouched("a flood of messages");
  });

  test("a proxied site reaches neither another site nor the entry paths of the proxy", async () => {
    const frame = await show("/", PROXIED);
    const theirs = page.frames().find((each) => each.url().startsWith("http://w-") && each !== frame);
    const their = new URL(theirs?.url() ?? "").origin;
    const attempts: readonly Attempt[] = [
      ["its data", `fetch("${their}/", { credentials: "include" })`, REFUSED],
      ["its data, unread", `fetch("${their}/", { credentials: "include", mode: "no-cors" })`, REFUSED],
      [
        "a socket there",
        `new Promise((done) => { const it = new WebSocket("${their.replace("http", "ws")}/"); it.onopen = () => done("open"); it.onerror = () => done("denied") })`,
        DENIED,
      ],
      [
        "its script",
        `new Promise((done) => document.head.append(Object.assign(document.createElement("script"), { src: "${their}/worker.js", onload: () => done("loaded"), onerror: () => done("denied") })))`,
        DENIED,
      ],
      ["a service worker", "navigator.serviceWorker.register('/worker.js')", DENIED],
      [
        "the go path, by a script",
        "fetch('/.backplane/go/http%3A%2F%2Fsite.example%2F').then(({ status }) => status)",
        /^403$/,
      ],
      ["the enter path, by a script", "fetch('/.backplane/enter?pass=x&to=/').then(({ status }) => status)", /^403$/],
      ["other paths of the proxy", "fetch('/.backplane/').then(({ status }) => status)", /^403$/],
    ];
    for (const [what, code, outcome] of attempts) {
      assert.match(String(await frame.evaluate(attemptCode(code))), outcome, what);
    }
    for (const src of [`${their}/`, `/.backplane/go/${encodeURIComponent(`${other.url}/`)}`]) {
      await frame.evaluate((address) => {
        document.body.append(Object.assign(document.createElement("iframe"), { src: address }));
      }, src);
      await until(() => frame.childFrames().at(-1)?.url().startsWith("chrome-error:"), `${src} is not framed`);
    }
    await assertUntouched("another site");
  });

  test("no link from a proxied site leads into the app, and downloads are blocked", async () => {
    const to = encodeURIComponent(`${app()}/account`);
    for (const path of [`/refresh?to=${to}`, `/moved?to=${to}`, "/download"]) {
      await driver.webview({ panelId: panel, action: "navigate", url: `${site.url}${path}` });
      await until(async () => (await reportOf()).fault !== null, `${path}: a fault is reported`);
      await assertUntouched(path);
    }
    for (const code of [`location.href = "${app()}/account"`, `location.href = "/.backplane/go/${to}"`]) {
      const frame = await show("/", PROXIED);
      await frame.evaluate(code).catch(() => {});
      await until(async () => (await reportOf()).fault !== null, `${code}: a fault is reported`);
      await assertUntouched(code);
    }
  });
}
