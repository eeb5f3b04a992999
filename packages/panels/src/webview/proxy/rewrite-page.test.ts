import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { SiteFault } from "./faults.ts";
import { createHeldTexts } from "./held-text.ts";
import { createPageRewriter, type PagePlace } from "./rewrite-page.ts";

const PLACE = { url: new URL("https://site.example/folder/page?q=1"), frame: "http://w-x.localhost:8790" };

async function rewrite(page: string, chunkLength = page.length, place: PagePlace = PLACE): Promise<string> {
  const rewriter = createPageRewriter(place, "{T}");
  const written = text(rewriter.pipe(new PassThrough()));
  for (let at = 0; at < page.length; at += chunkLength) rewriter.write(page.slice(at, at + chunkLength));
  rewriter.end();
  return written;
}
const body = async (page: string) => (await rewrite(`<head></head>${page}`)).replace("<head>{T}</head>", "");

test("the tracker comes before any script of the page, wherever the page begins", async () => {
  const pages: Record<string, string> = {
    "<!doctype html><html lang=en><head><script>1</script>": "<!doctype html><html lang=en><head>{T}<script>1</script>",
    "<!doctype html>\n<!-- c --><title>x</title>": "<!doctype html>\n<!-- c -->{T}<title>x</title>",
    "<script>1</script>": "{T}<script>1</script>",
    "<body onload=1>": "{T}<body onload=1>",
    "<html><frameset>": "<html>{T}<frameset>",
    "just words": "{T}just words",
    "</head><script>": "{T}</head><script>",
  };
  for (const [page, expected] of Object.entries(pages)) assert.equal(await rewrite(page), expected);
});

test("what is not changed stays byte for byte, however it is split into chunks", async () => {
  const page = `<!DOCTYPE html>\r\n<HTML><HEAD>\r\n<Title>a &amp b</Title></HEAD><body CLASS='x'  data-a=1>é😀 &copy; <pre>\n x</pre>
<script>if (a < b && "</a>") document.write("<a href='https://site.example/'>")</script><!-- <a target=_top> --><svg viewBox="0 0 1 1"><path d="M0"/></svg>`;
  const expected = page.replace("<HEAD>", "<HEAD>{T}");
  for (const length of [1, 7, 64, page.length]) assert.equal(await rewrite(page, length), expected, String(length));
});

test("very many tiny tags are passed on in few pieces", async () => {
  const page = "<b>".repeat(20_000);
  const rewriter = createPageRewriter(PLACE, "");
  const pieces: string[] = [];
  rewriter.on("data", (piece: string) => pieces.push(piece));
  rewriter.end(page);
  await once(rewriter, "end");
  assert.equal(pieces.join(""), page);
  assert.ok(pieces.length < 10, `${pieces.length} pieces`);
});

test("of many pages at once, one piece of one page is rewritten at a time, and others are answered in between", async () => {
  const piece = "<p>hello</p> ".repeat(1_000);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const pages = Array.from({ length: 20 }, () => createPageRewriter(PLACE, ""));
  const ended = Promise.all(pages.map((page) => text(page.pipe(new PassThrough()))));
  for (const page of pages) page.end(piece);
  await ended;
  clearImmediate(counting);
  assert.ok(turns >= pages.length, `${turns} turns`);
});

test("absolute addresses of the site become paths of the frame; relative ones stay", async () => {
  assert.equal(await body(`<img src="https://site.example/a.png?x=1&y=2">`), `<img src="/a.png?x=1&amp;y=2">`);
  assert.equal(await body(`<link rel=stylesheet href=//site.example/a.css>`), `<link rel="stylesheet" href="/a.css">`);
  assert.equal(
    await body(`<img src="pic.png" srcset="https://site.example/a 2x">`),
    `<img src="pic.png" srcset="https://site.example/a 2x">`,
  );
  assert.equal(await body(`<a href="#x">`), `<a href="#x">`);
  // A path alone that begins with two slashes would be another host.
  const twoSlashes = `<script src="https://site.example//evil.example/x.js">`;
  assert.equal(await body(twoSlashes), `<script src="/.//evil.example/x.js">`);
  assert.equal(
    await body(`<svg><a xlink:href="https://site.example/b" xlink:title="t">`),
    `<svg><a xlink:href="/b" xlink:title="t">`,
  );
});

test("links and forms to other sites go through the proxy; what a page loads from them does not", async () => {
  const go = "/.backplane/go/https%3A%2F%2Fother.example%2Fx%3Fa%3D1";
  assert.equal(await body(`<a href="https://other.example/x?a=1">`), `<a href="${go}">`);
  assert.equal(await body(`<form action="https://other.example/x?a=1">`), `<form action="${go}">`);
  assert.equal(await body(`<button formaction="https://other.example/x?a=1">`), `<button formaction="${go}">`);
  assert.equal(await body(`<area href=" https://other.example/x?a=1">`), `<area href="${go}">`);
  for (const same of [
    `<img src="https://other.example/x">`,
    `<script src="https://other.example/x"></script>`,
    `<iframe src="https://other.example/x"></iframe>`,
  ]) {
    assert.equal(await body(same), same);
  }
  for (const same of [`<a href="mailto:a@b.c">`, `<a href="javascript:void 0">`, `<a href="http://">`])
    assert.equal(await body(same), same);
});

test("an http address of an https site is another site", async () => {
  assert.match(await body(`<a href="http://site.example/">`), /\/\.backplane\/go\/http%3A/);
});

test("no target leaves the frame", async () => {
  for (const target of ["_top", "_parent", "_blank", " _TOP "]) {
    assert.equal(await body(`<a href="/a" target="${target}">`), `<a href="/a" target="_self">`);
  }
  assert.equal(await body(`<a href="/a" target=inner>`), `<a href="/a" target=inner>`);
  assert.equal(await body(`<base target=_blank>`), `<base target="_self">`);
});

test("where a page may open windows, a link to a new one stays such a link", async () => {
  const page = `<base target=_blank><a target=_blank></a><a target=_top></a><button formtarget=_blank></button>`;
  assert.equal(
    await rewrite(page, page.length, { ...PLACE, popups: true }),
    `{T}<base target="_self"><a target=_blank></a><a target="_self"></a><button formtarget="_self"></button>`,
  );
});

test("with a base of another site, resources load from there and links go through the proxy", async () => {
  const page = `<base href="https://cdn.example/v1/"><img src="a.png"><a href="b">b</a><a href="https://site.example/c">c</a>`;
  const go = "http://w-x.localhost:8790/.backplane/go/https%3A%2F%2Fcdn.example%2Fv1%2Fb";
  assert.equal(
    await body(page),
    `<base href="https://cdn.example/v1/"><img src="a.png"><a href="${go}">b</a><a href="http://w-x.localhost:8790/c">c</a>`,
  );
  assert.equal(await body(`<base href="https://site.example/v1/">`), `<base href="/v1/">`);
});

test("meta: policies are dropped, a refresh stays in the frame, the rest is untouched", async () => {
  assert.equal(await body(`<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`), "");
  assert.equal(await body(`<meta name=referrer content=unsafe-url>`), "");
  assert.equal(
    await body(`<meta http-equiv=refresh content="3; url=https://site.example/n">`),
    `<meta http-equiv="refresh" content="3; url=/n">`,
  );
  assert.match(
    await body(`<meta http-equiv=refresh content="0;URL='https://other.example/'">`),
    /content="0;URL=\/\.backplane\/go\//,
  );
  for (const same of [
    `<meta http-equiv="refresh" content="5">`,
    `<meta http-equiv="refresh" content="5; url=/x">`,
    `<meta http-equiv="refresh" content="5; url=">`,
    `<meta http-equiv="refresh" content="  ">`,
    `<meta name="viewport" content="width=1">`,
  ]) {
    assert.equal(await body(same), same);
  }
});

test("a refresh is read as browsers do: spaces, separators, quotes and `url=` in any form", async () => {
  const forms = {
    "0;https://site.example/n": "0;/n",
    " 1.5 , URL = 'https://site.example/n' trailing": " 1.5 , URL = /n",
    '3 url="https://site.example/n"': "3 url=/n",
    "3;url=https://site.example/n'": "3;url=/n'",
    "3; url https://site.example/n": "3; url https://site.example/n",
    ".5;url='https://site.example/n": ".5;url=/n",
    "https://site.example/n": "/n",
  };
  for (const [content, expected] of Object.entries(forms)) {
    const tag = (value: string) => `<meta http-equiv="refresh" content="${value.replaceAll('"', "&quot;")}">`;
    assert.equal(await body(tag(content)), tag(expected), content);
  }
});

test("a refresh that is longer than an address may be is dropped", async () => {
  const spaces = " ".repeat(1_000_000);
  assert.equal(await body(`<meta http-equiv=refresh content="0;url=a${spaces}b">`), "");
  const address = `https://site.example/${"a".repeat(PANELS_LIMITS.maxUrlLength)}`;
  assert.equal(await body(`<meta http-equiv=refresh content="0;url=${address}">`), "");
});

const TOO_LARGE = (error: unknown) => error instanceof SiteFault && error.reason === "too-large";

for (const [what, page] of [
  ["a tag with very many attributes", `<a${Array.from({ length: 20_000 }, (_, n) => ` a${n}`).join("")}`],
  ["a very long name of a tag", `<${"a".repeat(200_000)}`],
  ["a very long name of an attribute", `<a ${"a".repeat(200_000)}`],
  ["a very long document type", `<!doctype ${"a".repeat(200_000)}`],
  ["very much nested <svg>", "<svg>".repeat(20_000)],
] as const) {
  test(`${what} is not held until its end: the page is refused`, async () => {
    const rewriter = createPageRewriter(PLACE, "{T}");
    const failed = once(rewriter, "error");
    rewriter.write(page);
    assert.ok(TOO_LARGE((await failed)[0]));
  });
}

test("what pages hold back is limited per person and in all, and given back at their end", () => {
  const MANY = 1_000_000;
  const hold = createHeldTexts(2 * MANY, 3 * MANY);
  const [first, second, other] = [hold("ada"), hold("ada"), hold("bob")];
  assert.ok(first.need(MANY));
  assert.equal(second.need(2 * MANY), false);
  assert.ok(other.need(MANY));
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.ok(hold("ada").need(MANY));
});

test("a page that may hold no more is refused", async () => {
  using held = createHeldTexts(1, 1)("ada");
  const rewriter = createPageRewriter(PLACE, "{T}", held);
  const failed = once(rewriter, "error");
  rewriter.write(`<!--${"x".repeat(200_000)}`);
  assert.ok(TOO_LARGE((await failed)[0]));
});
