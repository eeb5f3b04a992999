import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Script } from "node:vm";
import { SCRIPT, SCRIPT_FILES, STYLE } from "./assets.ts";
import { type PastePage, pastePolicy, renderPastePage } from "./page.ts";

const render = (changes: Partial<PastePage> = {}) =>
  renderPastePage({
    title: "Thermal run, rev C",
    instance: "left",
    token: "v1.0123456789abcdef.1.aaaa",
    url: "http://localhost:8770",
    folder: "screenshots/sp/",
    maxUploadBytes: 33_554_432,
    project: "/home/somebody/board",
    ...changes,
  });
const unescaped = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
const settingsOf = (page: string) => {
  const [, settings = ""] = /<body data-settings="([^"]*)">/.exec(page) ?? [];
  return JSON.parse(unescaped(settings)) as { title: string; token: string };
};
const withoutCode = (page: string) => page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, "");

test("the title is in the bar; the script gets title, instance and token", () => {
  const page = render();
  assert.match(page, /<title>Thermal run, rev C · Screenshot paste · Backplane<\/title>/);
  assert.match(page, /id="title">Thermal run, rev C<\/span>/);
  assert.deepEqual(settingsOf(page), {
    url: "http://localhost:8770",
    maxUploadBytes: 33_554_432,
    maxPixels: 50_000_000,
    maxListed: 200,
    imageTypes: "PNG, JPEG, WebP, GIF, AVIF or TIFF",
    isApp: false,
    title: "Thermal run, rev C",
    instance: "left",
    token: "v1.0123456789abcdef.1.aaaa",
  });
  assert.match(render({ title: null }), /<title>Screenshot paste · Backplane<\/title>/);
});

test("a title is escaped everywhere", () => {
  const title = `</script><b onclick="x">'&`;
  const page = render({ title, instance: title });
  assert.doesNotMatch(withoutCode(page), /<b |<\/script>/);
  assert.equal(page.split("</script>").length, 2);
  assert.equal(settingsOf(page).title, title);
});

test("an MCP App has no token", () => {
  assert.equal(settingsOf(render({ isApp: true })).token, "");
  assert.doesNotMatch(render({ isApp: true }), /v1\.0123/);
});

test("the page says where files go, what it accepts, and what to do without JavaScript", () => {
  const page = render();
  assert.match(
    page,
    /title="\/home\/somebody\/board\/screenshots\/sp\/">saves to <code><span class="cut">board<\/span>\/screenshots\/sp\/<\/code>/,
  );
  assert.match(page, /Saved twice: resized to at most 1568 px for models, and as it was\./);
  assert.match(page, /PNG, JPEG, WebP, GIF, AVIF or TIFF, up to 32 MB\./);
  assert.match(page, /<noscript>.*needs JavaScript.*reload/);
});

test("a project's name is escaped, and left out if unknown", () => {
  const page = withoutCode(render({ project: `/home/somebody/<b onclick="x">` }));
  assert.doesNotMatch(page, /<b /);
  assert.match(page, /<span class="cut">&lt;b onclick=/);
  for (const project of ["", "/"]) {
    assert.match(render({ project, isApp: true }), /where">saves to <code>screenshots\/sp\/<\/code>/);
  }
});

test("the policy allows exactly the style and the script of the page, blobs as images, and the viewer's own origin", () => {
  const page = render();
  const policy = pastePolicy({ frameAncestors: ["http://localhost:8790"], connect: ["http://127.0.0.1:8770"] });
  for (const tag of ["style", "script"]) {
    const [, source = ""] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page) ?? [];
    assert.ok(source.length > 1_000, tag);
    const hash = createHash("sha256").update(source).digest("base64");
    assert.ok(policy.includes(`${tag}-src 'sha256-${hash}';`), tag);
  }
  assert.match(policy, /^default-src 'none'; /);
  assert.ok(policy.includes("connect-src 'self' http://127.0.0.1:8770;"));
  assert.ok(policy.includes("img-src blob: data:;"));
  assert.ok(policy.includes("frame-ancestors 'self' http://localhost:8790;"));
  assert.ok(policy.endsWith("base-uri 'none'; form-action 'none'"));
});

test("the page uses nothing that the policy forbids", () => {
  assert.doesNotMatch(withoutCode(render()), / style="| on\w+="|javascript:|https?:\/\/(?!localhost)/);
  assert.doesNotMatch(STYLE, /url\(|@import/);
  assert.doesNotMatch(SCRIPT, /innerHTML|\beval\b|new Function|localStorage|document\.cookie/);
});

test("all files together are one valid script, in which no top-level name is used twice", () => {
  assert.doesNotThrow(() => new Script(SCRIPT));
  assert.doesNotMatch(SCRIPT, /^(import|export) /m);
  const folder = new URL("browser/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  assert.deepEqual(files.sort(), SCRIPT_FILES.map((name) => `${name}.js`).sort());
  const names = files.flatMap((file) => {
    const declared = readFileSync(new URL(file, folder), "utf8").matchAll(
      /^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/gm,
    );
    return [...declared].map(([, name]) => name);
  });
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test("there is no form: a frame without allow-forms would drop what is submitted", () => {
  assert.doesNotMatch(withoutCode(render()), /<form|<button(?![^>]* type="button")/);
});

test("every element that the script looks up exists", () => {
  const page = render();
  for (const [, id = ""] of SCRIPT.matchAll(/byId\("([a-z-]+)"\)/g)) assert.ok(page.includes(` id="${id}"`), id);
  for (const [, part] of SCRIPT.matchAll(/partOf\([^)]*?, "([a-z-]+)"\)/g)) {
    assert.ok(page.includes(` data-part="${part}"`), part);
  }
  const offered = new Set([...page.matchAll(/ data-do="([a-z-]+)"/g)].map(([, name]) => name));
  for (const name of offered) assert.match(SCRIPT, new RegExp(`["']?\\b${name}\\b["']?`), name);
});
