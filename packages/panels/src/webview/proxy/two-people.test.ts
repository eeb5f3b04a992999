import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../frame-request.suite.ts";
import { html, openSite } from "../site-under-test.suite.ts";
import { enter, openUnderTest, type Visitor } from "../webviews-under-test.suite.ts";

const LAB = { owner: "lab" };

test("two people look at the same site in the same workspace: each has a frame of their own, and neither enters the other's", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (request, response) =>
    html(response, `cookies: ${request.headers.cookie ?? "none"}`, {
      "set-cookie": [
        `who=${request.url?.slice(1)}; Path=/`,
        // As wide as a site can ask for.
        `wide=${request.url?.slice(1)}; Path=/; Domain=localhost`,
        `wide-too=1; Path=/; Domain=.localhost`,
      ],
    }),
  );
  const ada = await enter(under, site.origin, { ...LAB, person: "ada" });
  const bob = await enter(under, site.origin, { ...LAB, person: "bob" });
  assert.notEqual(ada.host, bob.host);

  const page = await ada.get("/ada");
  const set = page.headers["set-cookie"] ?? [];
  assert.equal(set.length, 3);
  for (const cookie of set) assert.doesNotMatch(cookie, /domain/i, "a cookie stays at the host of its frame");

  const asked = site.seen.length;
  const at = (visitor: Visitor, cookie: string, headers: Record<string, string> = {}) =>
    ask(under.port, visitor.host, "/", { headers: { cookie, ...headers } });
  for (const [visitor, other] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    assert.equal((await at(visitor, other.cookie)).status, 403);
    // Both, as when somebody planted a second cookie: the right one counts, and none of the two reaches the site.
    const both = await at(visitor, `${other.cookie}; ${visitor.cookie}`);
    assert.match(both.body, /cookies: none/);
  }
  assert.equal(site.seen.length, asked + 2);
});

test("a page in one person's frame cannot use the other's frame in the same browser", async (t) => {
  const under = await openUnderTest(t);
  const site = await openSite(t, (_request, response) => html(response, "the inbox of bob"));
  const ada = await enter(under, site.origin, { ...LAB, person: "ada" });
  const bob = await enter(under, site.origin, { ...LAB, person: "bob" });
  // The browser sends bob's cookie with requests that ada's frame makes to bob's host.
  const from = { origin: ada.frame, referer: `${ada.frame}/`, "sec-fetch-site": "same-site" };
  const script = { ...from, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
  const read = await bob.get("/", { isPage: false, headers: script });
  assert.equal(read.headers["access-control-allow-origin"], undefined, "her script cannot read it");
  assert.equal(read.headers["cross-origin-resource-policy"], "same-origin", "nor embed it");
  const [seen] = site.seen;
  assert.deepEqual([seen?.headers.origin, seen?.headers.referer], ["null", undefined]);
  const framed = await bob.get("/", { headers: { ...from, "sec-fetch-dest": "iframe" } });
  assert.match(String(framed.headers["content-security-policy"]), /frame-ancestors 'self' http:\/\/localhost:8790 /);
  assert.doesNotMatch(String(framed.headers["content-security-policy"]), new RegExp(ada.label));

  // Her own pass does not lead into his frame, and his workspace gives her no pass in his name.
  const { body } = await under.call("POST", "/api/panels/webview/lab/demo/pass", { url: site.origin }, "ada");
  const { pathname, search, host } = new URL(body.src);
  assert.equal(host, ada.host);
  assert.equal((await ask(under.port, bob.host, pathname + search)).status, 403);
});

test("a sign-in to a site that is for a connection does not sign in the next person on that connection", async (t) => {
  const under = await openUnderTest(t);
  const signedIn = new WeakMap<object, string>();
  const site = await openSite(t, ({ headers, socket }, response) => {
    const [, who] = /^(?:NTLM|Negotiate) (.+)/.exec(headers.authorization ?? "") ?? [];
    if (who !== undefined) signedIn.set(socket, who);
    const asks = ["NTLM", "negotiate abc=", 'Basic realm="inbox"'];
    html(response, `the inbox of ${signedIn.get(socket) ?? headers.authorization ?? "nobody"}`, {
      "www-authenticate": asks,
    });
  });
  const ada = await enter(under, site.origin, { ...LAB, person: "ada" });
  const bob = await enter(under, site.origin, { ...LAB, person: "bob" });
  for (const authorization of ["NTLM ada", "Negotiate ada"]) {
    const hers = await ada.get("/", { headers: { authorization } });
    assert.equal(hers.headers["www-authenticate"], 'Basic realm="inbox"');
    assert.match((await bob.get("/")).body, /the inbox of nobody/);
  }
  assert.match((await ada.get("/", { headers: { authorization: "Basic YTpi" } })).body, /the inbox of Basic YTpi/);
});
