import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Layout, OPENING_ID, type Opening } from "@backplane/contract/panels";
import { makePerson, type Person } from "../support/person.ts";
import type { PlatformBench } from "./bench.ts";

const PAGE = "/w/owner/opening";
const CURRENT = "/api/workspaces/editor/owner/opening/current";
const HOSTILE = "</script><script>alert(1)//<!--";
/** As a browser sends them for an address that a person typed. */
const TYPED = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
/** A page of another site shows it in a frame, or reads it. */
const FOREIGN = [
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
  {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "cors",
    "sec-fetch-dest": "empty",
    origin: "https://other.example",
  },
];

/** What the page of a workspace asks first is in its document, for whoever may see it and nobody else. */
export function testDocument(bench: () => PlatformBench): void {
  let url: string;
  let owner: Person;
  before(async () => {
    const { platform } = bench();
    ({ url } = platform);
    owner = bench().owner;
    await owner.call(url, CURRENT);
    const made = await owner.call(url, `${CURRENT}/tabs`, { method: "POST", body: { panelType: "led" } });
    const { tabId } = (await made.json()) as { tabId: string };
    const named = { tabId, displayName: HOSTILE };
    assert.equal((await owner.call(url, `${CURRENT}/tabs`, { method: "PATCH", body: named })).status, 200);
  });

  async function open(headers: Record<string, string>, path = PAGE) {
    const answer = await fetch(`${url}${path}`, { headers, redirect: "manual" });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const [, json] = new RegExp(`id="${OPENING_ID}">([^<]*)</script>`).exec(text) ?? [];
    const scripts = text.match(/<script/g)?.length ?? 0;
    return {
      cacheControl: answer.headers.get("cache-control"),
      scripts,
      opening: json && (JSON.parse(json) as Opening),
    };
  }

  test("it is what the API answers to the same person, as data, and is not stored", async () => {
    const plain = await open(TYPED);
    const { opening, cacheControl, scripts } = await open({ ...TYPED, cookie: owner.cookie });
    assert.ok(opening);
    const of = async (path: string) => (await owner.call(url, path)).json();
    const layout = (await of(CURRENT)) as Layout;
    assert.deepEqual(opening.layout.root, layout.root);
    assert.equal(opening.layout.revision, layout.revision);
    assert.deepEqual(opening.user, await of("/user"));
    const { categories: _unused, ...catalog } = (await of("/api/panels/catalog")) as Record<string, unknown>;
    assert.deepEqual(opening.catalog, catalog);
    assert.equal(cacheControl, "no-store");
    assert.equal(scripts, plain.scripts + 1, "the name of the tab begins no script");
  });

  test("strangers, other people, programs, foreign pages and ended sessions get the plain page", async () => {
    const { name, signIn } = await makePerson(owner, url, "opens-nothing");
    const other = await signIn();
    const token = owner.cookie.slice(owner.cookie.indexOf("=") + 1);
    const asked: Record<string, string>[] = [
      TYPED,
      { ...TYPED, cookie: other.cookie },
      { authorization: `Bearer ${token.replace(/.$/, "_")}`, cookie: owner.cookie },
      ...FOREIGN.map((headers) => ({ ...headers, cookie: owner.cookie })),
    ];
    for (const headers of asked) assert.equal((await open(headers)).opening, undefined, JSON.stringify(headers));

    const own = { ...TYPED, cookie: other.cookie };
    await other.call(url, `/api/workspaces/editor/${name}/own/current`);
    assert.ok((await open(own, `/w/${name}/own`)).opening);
    await other.call(url, "/auth/logout", { method: "POST" });
    assert.equal((await open(own, `/w/${name}/own`)).opening, undefined);
  });

  test("a page of a workspace that does not exist creates none", async () => {
    assert.equal((await open({ ...TYPED, cookie: owner.cookie }, "/w/owner/mistyped")).opening, undefined);
    const answer = await owner.call(url, "/api/workspaces/editor/owner/mistyped/current/ticket?create=false", {
      method: "POST",
    });
    assert.equal(answer.status, 404);
  });
}
