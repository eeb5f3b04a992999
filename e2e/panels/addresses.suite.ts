import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { ask } from "../../packages/panels/src/webview/frame-request.suite.ts";
import { REFUSED_ADDRESSES, REFUSED_TEXTS } from "../../packages/panels/src/webview/guard/refused-addresses.suite.ts";
import { someOf } from "../../scripts/testing/long.ts";
import type { FramedSite } from "../support/framed-site.ts";
import { makePerson } from "../support/person.ts";
import { until } from "../support/processes.ts";
import { type Driver, driverOf, startWorkspaces, type Workspaces } from "../support/workspaces.ts";
import type { HostileBench } from "./bench.ts";

const PROJECT = "addresses";
const PASS_PATH = `/api/panels/webview/owner/${PROJECT}/pass`;
const REFUSAL = /The proxy does not (connect to this address|use this port)/;

let strict: Workspaces;
/** Allows this machine's IP address. */
let allowing: Workspaces;
let site: FramedSite;

const driverAt = (workspaces: Workspaces): Driver => driverOf(workspaces, workspaces.pages, PROJECT);
const portOf = (workspaces: Workspaces): number => workspaces.instances[0]?.port ?? 0;
const passFor = (workspaces: Workspaces, url: string) => driverAt(workspaces).call("POST", PASS_PATH, { url });

type Entered = { host: string; cookie: string; path: string };

/** Exchanges the pass for a cookie, like a browser. */
async function enterAt(port: number, src: string): Promise<Entered> {
  const { host, pathname, search } = new URL(src);
  const { status, headers, body } = await ask(port, host, pathname + search);
  assert.equal(status, 307, body);
  return { host, cookie: headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "", path: headers.location ?? "" };
}

async function enter(workspaces: Workspaces, url: string): Promise<Entered> {
  const { status, body } = await passFor(workspaces, url);
  assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  return enterAt(portOf(workspaces), String(body.src));
}

/** Requests a page of the frame and follows its redirects. */
async function browse(workspaces: Workspaces, entered: Entered, path = entered.path) {
  let [at, place] = [entered, path];
  for (let hops = 0; hops < 10; hops += 1) {
    const { host, cookie } = at;
    const answer = await ask(portOf(workspaces), host, place, { headers: { cookie } });
    const { location } = answer.headers;
    if (location === undefined) return answer;
    const target = new URL(location, `http://${host}${place}`);
    if (target.host === host) place = target.pathname + target.search;
    else {
      at = await enterAt(portOf(workspaces), target.href);
      place = at.path;
    }
  }
  throw new Error("too many redirects");
}

/** The status with which a WebSocket of the frame is refused. */
function openSocket(
  workspaces: Workspaces,
  { host, cookie }: Entered,
  more: Record<string, string> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({
      ...{ host: "127.0.0.1", port: portOf(workspaces), path: "/socket", agent: false },
      headers: {
        ...{ host, cookie, origin: `http://${host}`, connection: "Upgrade", upgrade: "websocket" },
        ...{ "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", ...more },
      },
    });
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** What the proxy connects to, and for whom. */
export function testAddresses(bench: () => Pick<HostileBench, "workspaces" | "site">): void {
  before(async () => {
    ({ workspaces: allowing, site } = bench());
    strict = await startWorkspaces("one instance, embedded");
    for (const workspaces of [strict, allowing]) await driverAt(workspaces).open("webview");
  });
  after(() => strict?.[Symbol.asyncDispose]());

  // All of them through the proxy: packages/panels/src/webview/proxy/faults.test.ts.
  const addresses = someOf(REFUSED_ADDRESSES, 6);
  test(`${addresses.length} addresses and tricks are refused, for pages and for sockets`, async () => {
    for (const [url, trick] of addresses) {
      const entered = await enter(strict, url);
      const { status, body } = await browse(strict, entered);
      assert.equal(status, 403, `${url}: ${trick}`);
      assert.match(body, REFUSAL, `${url}: ${trick}`);
      assert.equal(await openSocket(strict, entered), 403, `a socket to ${url}: ${trick}`);
    }
  });

  test("every route that accepts a page address refuses other text and names the field", async () => {
    const driver = driverAt(strict);
    const [leaf] = await driver.leaves();
    for (const [url, trick] of REFUSED_TEXTS) {
      const { status, body } = await passFor(strict, url);
      assert.deepEqual([status, (body.errors as { pointer: string }[])[0]?.pointer], [422, "/url"], `${url}: ${trick}`);
      assert.equal(
        (await driver.webview({ panelId: leaf?.id, action: "navigate", url })).status,
        422,
        `${url}: ${trick}`,
      );
      if (url === "") continue;
      const opened = await driver.call("POST", `${driver.current}/tabs`, {
        panelType: "webview",
        initialState: { url },
      });
      assert.equal(opened.status, 422, `${url}: ${trick}`);
    }
    assert.equal((await driver.tabs()).length, 1);
  });

  test("an allowed site leads nowhere else: every redirect is checked like the first address", async () => {
    const entered = await enter(allowing, `${site.url}/`);
    assert.match((await browse(allowing, entered)).body, /<h1>Bad<\/h1>/);
    const own = portOf(allowing);
    const inside = [
      ...[
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.1/",
      ],
      ...["http://localhost.:1/", "http://0/", "http://127.0.0.1:22/", "http://[::]:80/", "http://2130706434/"],
      ...[`http://127.0.0.1:${own}/`, `http://localhost:${own}/`, `http://LOCALHOST.:${own}/api/workspaces`],
      ...[`http://any.localhost:${own}/`, `http://w-a.localhost:${own}/`, `http://s-a.localhost:${own}/run`],
    ];
    for (const target of inside) {
      const { status, body } = await browse(allowing, entered, `/moved?to=${encodeURIComponent(target)}`);
      assert.equal(status, 403, target);
      assert.match(body, REFUSAL, target);
    }
    for (const target of [
      "file:///etc/passwd",
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://127.0.0.1/",
      "http://u:p@127.0.0.1/",
    ]) {
      const { status } = await browse(allowing, entered, `/moved?to=${encodeURIComponent(target)}`);
      assert.equal(status, 403, target);
    }
    // Every hop of a redirect loop is checked; targets that only look like another host stay paths.
    for (const target of ["//127.0.0.2/", "\\\\127.0.0.2/", "/\\\\127.0.0.2/", "http:\\\\\\\\127.0.0.2"]) {
      const { status } = await browse(allowing, entered, `/moved?to=${encodeURIComponent(target)}`);
      assert.equal(status, 403, target);
    }
  });

  test("even when this machine is allowed, the platform's own ports are refused", async () => {
    const port = portOf(allowing);
    for (const host of [
      "127.0.0.1",
      "localhost",
      "LocalHost.",
      "2130706433",
      "127.1",
      "0x7f.1",
      "x.localhost",
      "s-a.localhost",
    ]) {
      const entered = await enter(allowing, `http://${host}:${port}/api/workspaces`);
      const { status, body } = await browse(allowing, entered);
      assert.deepEqual([status, REFUSAL.test(body)], [403, true], host);
      assert.equal(await openSocket(allowing, entered), 403, host);
    }
  });

  test("a pass is for one person, one workspace and one site; nobody can forge, change or borrow one", async () => {
    const port = portOf(allowing);
    const { body } = await passFor(allowing, `${site.url}/`);
    const src = new URL(String(body.src));
    const elsewhere = await enter(allowing, `${site.sameSite}/`);
    const own = await enterAt(port, src.href);
    const refused = async (what: string, host: string, path: string, headers: Record<string, string> = {}) =>
      assert.equal((await ask(port, host, path, { headers })).status, 403, what);

    const pass = src.searchParams.get("pass") ?? "";
    const stay = own.cookie.split("=")[1] ?? "";
    const [text = "", signature = ""] = pass.split(".");
    const changed = { ...JSON.parse(Buffer.from(text, "base64url").toString()), site: "http://127.0.0.1:1" };
    for (const [what, forged] of [
      ["none", ""],
      ["without its signature", `${text}.`],
      ["with another signature", `${text}.${signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`],
      ["changed", `${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${signature}`],
      ["of the wrong kind", stay],
      ["too long", `${"A".repeat(10_000)}.${signature}`],
      ["of binary data", "%00.%ff"],
    ] as const) {
      await refused(`a pass ${what}`, src.host, `/.backplane/enter?pass=${encodeURIComponent(forged)}&to=/`);
      await refused(`a cookie ${what}`, src.host, "/", {
        cookie: `backplane_pass=${what === "of the wrong kind" ? pass : forged}`,
      });
    }
    await refused("in the frame of another site", elsewhere.host, src.pathname + src.search);
    await refused("its cookie in the frame of another site", elsewhere.host, "/", { cookie: own.cookie });
    await refused("in a frame that does not exist", "w-aaaa.localhost", "/", { cookie: own.cookie });

    const person = await (await makePerson(allowing.owner, allowing.pages, "mallory")).signIn();
    const theirs = await person.call(allowing.pages, PASS_PATH, { method: "POST", body: { url: `${site.url}/` } });
    assert.equal(theirs.status, 403, "a pass for another person's workspace");
    const ownPass = await person.call(allowing.pages, PASS_PATH.replace("/owner/", "/mallory/"), {
      ...{ method: "POST", body: { url: `${site.url}/` } },
    });
    const { src: theirSrc, label } = (await ownPass.json()) as { src: string; label: string };
    assert.notEqual(label, body.label, "each person has their own frames");
    const their = await enterAt(port, theirSrc);
    await refused("another person's cookie", own.host, "/", { cookie: their.cookie });
    await refused("another person's pass", own.host, new URL(theirSrc).pathname + new URL(theirSrc).search);
  });

  test("a frame's entry paths lead only where its own pages may go: no open redirect, not usable by scripts or other sites", async () => {
    const port = portOf(allowing);
    const own = await enter(allowing, `${site.url}/`);
    const go = (target: string) => `/.backplane/go/${encodeURIComponent(target)}`;
    const from = (headers: Record<string, string>) =>
      ask(port, own.host, go("https://example.org/"), { isPage: false, headers });
    assert.equal((await ask(port, own.host, go("https://example.org/"))).status, 403, "without a cookie");
    assert.equal((await from({ cookie: own.cookie, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" })).status, 403);
    assert.equal(
      (await from({ cookie: own.cookie, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" })).status,
      403,
    );
    const led = await ask(port, own.host, go("https://example.org/x?y"), { headers: { cookie: own.cookie } });
    assert.match(String(led.headers.location), /^http:\/\/w-[a-z0-9]+\.localhost:\d+\/\.backplane\/enter\?pass=/);
    for (const target of [
      "javascript:alert(1)",
      "//example.org/",
      "/x",
      "",
      "http://u:p@example.org/",
      "%",
      "data:,x",
    ]) {
      const path = target === "%" ? "/.backplane/go/%" : go(target);
      assert.equal((await ask(port, own.host, path, { headers: { cookie: own.cookie } })).status, 403, target);
    }
    const { body } = await passFor(allowing, `${site.url}/`);
    for (const to of [
      "//example.org/",
      "/\\example.org/",
      "\\\\example.org",
      "https://example.org/",
      "@example.org/",
      "/%2f/example.org",
    ]) {
      const src = new URL(String(body.src));
      src.searchParams.set("to", to);
      const { status, headers } = await ask(port, src.host, src.pathname + src.search);
      const location = headers.location === undefined ? undefined : new URL(headers.location, src.origin);
      assert.ok(status === 403 || location?.origin === src.origin, `${to} leads to ${headers.location}`);
    }
  });

  test("only the frame's own pages can open a WebSocket", async () => {
    const own = await enter(allowing, `${site.url}/`);
    for (const origin of ["null", "https://example.org", allowing.pages, "http://w-a.localhost"]) {
      assert.equal(await openSocket(allowing, own, { origin }), 403, origin);
    }
    assert.equal(await openSocket(allowing, { ...own, cookie: "" }), 403, "without a pass");
    // The site has no WebSockets: its response is passed on, and nothing hangs.
    assert.ok([403, 502].includes(await openSocket(allowing, own)));
  });

  test("no refused request reached our servers, and no pass is in the logs", async () => {
    const log = allowing.instances[0]?.output() ?? "";
    assert.doesNotMatch(log, /pass=|backplane_pass/);
    const driver = driverAt(allowing);
    await until(async () => (await driver.call("GET", `${driver.current}/log`)).status === 200, "it still answers");
  });
}
