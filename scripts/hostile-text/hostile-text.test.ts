import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { displayName, nameCandidates, verifiedEmail } from "../../packages/accounts/src/openid/account.ts";
import { flowCookies } from "../../packages/accounts/src/openid/flows.ts";
import {
  dxlStatuses,
  firmataReports,
  kissFrames,
  mspAnswers,
  vescAnswers,
} from "../../packages/devices/src/sources/codecs.ts";
import { odriveAnswers, odriveRequests, readNumbers } from "../../packages/devices/src/sources/odrive/codec.ts";
import { readMeasured, readText, scpiAnswers, scpiCommands } from "../../packages/devices/src/sources/scpi/codec.ts";
import { veDirectBlocks } from "../../packages/devices/src/sources/ve-direct/codec.ts";
import { readCallback } from "../../packages/gateway/src/gateway/callback/parameters.ts";
import { readClientMessage } from "../../packages/gateway/src/gateway/messages.ts";
import { callerKey } from "../../packages/kit/src/http/caller-address.ts";
import { prefersHtml, programOf } from "../../packages/kit/src/http/caller-program.ts";
import { bearerToken, isLoopbackHost } from "../../packages/kit/src/http/local-access.ts";
import { scrub } from "../../packages/kit/src/scrub.ts";
import { prepareCode } from "../../packages/panels/src/sandbox/prepare/prepare-code.ts";
import { framingRefusal } from "../../packages/panels/src/webview/framing/framing-headers.ts";
import { cookiesForSite, passesIn, rewriteSetCookie } from "../../packages/panels/src/webview/passes/cookies.ts";
import { goTarget } from "../../packages/panels/src/webview/passes/frame-addresses.ts";
import { SiteFault } from "../../packages/panels/src/webview/proxy/faults.ts";
import { textOfPage, unpackers } from "../../packages/panels/src/webview/proxy/page-text.ts";
import { headersForSite } from "../../packages/panels/src/webview/proxy/request-headers.ts";
import { headersForBrowser, isDownload } from "../../packages/panels/src/webview/proxy/response-headers.ts";
import {
  createAddressMap,
  createPageRewriter,
  rewriteRefresh,
} from "../../packages/panels/src/webview/proxy/rewrite-page.ts";
import { inspectBytes } from "../../packages/registry/src/archives/read-archive.ts";
import { sampleMetadata } from "../../packages/registry/src/archives/samples.suite.ts";
import { writeZip } from "../../packages/registry/src/archives/write-zip.ts";
import { lintKeep } from "../../packages/registry/src/metadata/lint/keep-patterns.ts";
import { lintPackage, lintPackages } from "../../packages/registry/src/metadata/lint/lint.ts";
import { jsonFaultAt, positionsIn } from "../../packages/registry/src/metadata/positions.ts";
import { readPackage, readPackages, readRepository } from "../../packages/registry/src/metadata/read.ts";
import { wordsOf } from "../../packages/registry/src/server/search/words.ts";
import { namesFile, readEncodings, readRange } from "../../packages/registry/src/server/serving/http-headers.ts";
import { readStatement } from "../../packages/registry/src/signing/signed-index.ts";
import { readToolVersion, readVersion, readVersionKey } from "../../packages/registry/src/versions/version-numbers.ts";
import { createEventParser } from "../../packages/sdk/src/sign-in/event-parser.ts";
import { plainText } from "../../packages/sdk/src/text.ts";
import { nameFromAnswer } from "../../packages/viewer/src/naming/models/name-from-answer.ts";
import { cleanText, hideSecrets } from "../../packages/viewer/src/naming/names/secret-labels.ts";
import { looksSecret } from "../../packages/viewer/src/naming/names/secrets.ts";
import { suggestNames } from "../../packages/viewer/src/naming/names/suggest-names.ts";
import { parseName } from "../../packages/viewer/src/pastes/parse-name.ts";
import { readPlainText } from "../../packages/web/src/packages/details/plain-text.ts";
import { highlight } from "../../packages/web/src/packages/highlight.ts";
import { someOf } from "../testing/long.ts";
import { type Parse, repeated, type Shape, whyTooSlow } from "./growth.ts";

/** What parsers stumble over: long runs, openings that are never closed, and separators without end. */
const SHAPES: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    [
      ..."aA0 \t\n-_.,;:=/\\&%'\"`()[]{}<>!#*+?@|é\u0301\u0000\ud800",
      ...["\r\n", "a ", "a.", "a-", "a=", "a;", "a,", "a\n", "0.", "0 ", "aA", "a0"],
      ...["://", "a://", "a@", "a@a.", "a=b; ", "%2"],
      ...["<a ", "<a href=", '<a b="', "</a>", "<!--", "<![CDATA[", "<meta ", "<script>", "&amp", "&#", "<b><i>"],
      ...["PK\u0001\u0002", "PK\u0003\u0004", "PK\u0005\u0006", "PK\u0006\u0007"],
      ...["-p ", "-pA", "key ", "password", "BEGIN ", "-----BEGIN ", "AAAA ", "0000-", "mkdir -p x ", "bearer "],
      ...['{"a":', "[", '"a",', "0,", "{},", '"\\', "data: a\n", "url=", "; url=", "(\\", ")}\\", "- ", "1. ", "```\n"],
      ...["http://a/ ", "http://a/", "let a;", "a=>", "`${", "await ", "W/", "q=0;", "a;q=", "frame-ancestors "],
    ].map((pump) => [JSON.stringify(pump), repeated(pump)]),
  ),
  "spaces before the end": repeated(" ", "0;url=a", "b"),
  "a key that never ends": repeated(" ", '{"a"', ":"),
};

const PLACE = { url: new URL("https://site.example/folder/page?q=1"), frame: "http://w-x.localhost:8790" };
const EMBEDDER = new URL("http://localhost:8790");
const map = createAddressMap(PLACE);

async function rewritePage(page: string, chunkLength: number): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(page.length / chunkLength) }, (_, at) =>
    page.slice(at * chunkLength, (at + 1) * chunkLength),
  );
  const rewriter = createPageRewriter(PLACE, "{T}");
  const ended = pipeline(Readable.from(chunks, { objectMode: true }), rewriter, new PassThrough().resume());
  // A page may be refused, if that comes soon.
  await ended.catch((error: unknown) => assert.ok(error instanceof SiteFault, String(error)));
}

const ONE_BYTE = Buffer.alloc(1);
const line = (read: string) => ({ text: read, height: 14, x: 20, y: 20, width: 80, confidence: 92 });

/** Every parser of text from outside. */
const PARSERS: Readonly<Record<string, Parse>> = {
  "page in a web view": (page) => rewritePage(page, 4_096),
  "encoding of a page": (page) => text(Readable.from(textOfPage(Readable.from([Buffer.from(page)]), page))),
  "Refresh header": (value) => rewriteRefresh(value, map),
  "address in a page": (value) => [map.link(value), map.part(value), map.link(`https://x/${value}`)],
  "path to another site": (value) => goTarget(`/.backplane/go/${value}`),
  "Content-Security-Policy and X-Frame-Options": (value) => [
    framingRefusal({ "content-security-policy": value }, PLACE.url, EMBEDDER),
    framingRefusal({ "content-security-policy": `frame-ancestors ${value}` }, PLACE.url, EMBEDDER),
    framingRefusal({ "x-frame-options": value }, PLACE.url, EMBEDDER),
  ],
  "headers of a site": (value) => [
    headersForBrowser({ "cache-control": value, "set-cookie": [value], vary: value }, [], "Secure"),
    isDownload({ headers: { "content-type": value, "content-disposition": value } }),
    isDownload({ headers: { "content-type": `application/${value}` } }),
    unpackers(value),
  ],
  "headers of a browser": (value) =>
    headersForSite(
      { cookie: value, connection: value, "accept-encoding": value, referer: value, origin: value },
      { frame: PLACE.frame, site: PLACE.url.origin },
      { isDocument: true },
    ),
  cookies: (value) => [passesIn(value), cookiesForSite(value, true), rewriteSetCookie(value, "Secure")],
  "code for a sandbox": prepareCode,
  "package metadata": (value) => [readPackage(value), readPackages(value, "tool"), readRepository(value)],
  "position in JSON": (value) => positionsIn(`["${JSON.stringify(value).slice(1, -1)}", 1]`, ["/0", "/1", "/2"]),
  "fault in JSON": (value) => jsonFaultAt(new Error("no position"), value),
  "advice on a list": (value) => lintPackages(value, [], "tool"),
  "keep_on_update pattern": (value) => [...lintKeep("", value.slice(0, 500), "org.example.x")],
  "zip archive": (value) => inspectBytes(Buffer.from(`PK\u0003\u0004${value}PK\u0005\u0006`, "latin1")),
  "name in a zip archive": (value) => inspectBytes(writeZip([{ path: value.slice(0, 60_000), bytes: ONE_BYTE }])),
  "signed index": (value) => readStatement(Buffer.from(value)),
  versions: (value) => [readVersion(value), readVersionKey(value), readToolVersion(value)],
  "words of a package": wordsOf,
  "headers of a download": (value) => [namesFile(value, "a"), readEncodings(value), readRange(`bytes=${value}`, 10)],
  "line for the log": scrub,
  "what devices send": (value) => [
    ...[dxlStatuses, firmataReports, kissFrames, mspAnswers, vescAnswers].map((codec) =>
      codec.createReader().take(Buffer.from(value, "latin1")),
    ),
    ...[odriveAnswers, odriveRequests, scpiAnswers, scpiCommands, veDirectBlocks].map((codec) =>
      codec.createReader().take(Buffer.from(`${value}\n`)),
    ),
    ...[readNumbers(value, 2), readMeasured(value), readText(value)],
  ],
  "User-Agent and Accept": (value) => [programOf(value), programOf(`a/${value}`), prefersHtml(value)],
  "address of a caller": (value) => [callerKey(value), callerKey(`::${value}`), callerKey(`[${value}]`)],
  "Host and Authorization": (value) => [isLoopbackHost(value), bearerToken(`Bearer ${value}`)],
  "message of an application": readClientMessage,
  "callback of a provider": (value) => [readCallback(value), readCallback(`state=${value}`)],
  "claims of a provider": (value) => [
    verifiedEmail({ sub: "a", email: value, email_verified: true }),
    displayName({ sub: "a", name: value }),
    nameCandidates({ sub: "a", preferred_username: value }, () => "x").next(),
    flowCookies("https://a.example").read(value),
  ],
  "recognised text": (value) => [cleanText(value), hideSecrets([value]), hideSecrets(value.split("a"))],
  "a word that may be secret": looksSecret,
  // A quarter is enough: each word is looked at many times.
  "names from a picture": (value) => {
    const lines = value.slice(0, value.length / 4).match(/[\s\S]{1,400}/g) ?? [];
    return suggestNames({ lines: lines.map(line), text: value });
  },
  "name that a model gave": nameFromAnswer,
  "name that a person typed": parseName,
  "event stream": (value) => {
    const parse = createEventParser({ maxLineLength: 65_536, maxEventLength: 65_536 });
    for (let at = 0; at < value.length; at += 1_024) if (!parse(value.slice(at, at + 1_024))) return;
  },
  "text of a server": (value) => plainText(value, 200, ["secret"]),
  "description of a package": readPlainText,
  "search words in a text": (value) => highlight(value, "a b"),
};

for (const [index, [name, parse]] of Object.entries(PARSERS).entries()) {
  test(`the time to read hostile text grows with its length only: ${name}`, async () => {
    const slow: string[] = [];
    for (const [shape, make] of someOf(Object.entries(SHAPES), 6, index)) {
      const why = await whyTooSlow(parse, make);
      if (why !== undefined) slow.push(`${shape}: ${why}`);
    }
    assert.deepEqual(slow, []);
  });
}

/** Valid JSON with very many of one thing. */
const MANY: Readonly<Record<string, (count: number) => object>> = {
  tags: (count) => ({ tags: numbered(count, "tag-") }),
  "wrong tags": (count) => ({ tags: numbered(count, "TAG ") }),
  versions: (count) => ({
    versions: numbered(count).map((version) => ({ version, status: "stable", tool_version: "9" })),
  }),
  "wrong versions": (count) => ({ versions: numbered(count, "v").map((version) => ({ version })) }),
  "unknown keys": (count) => Object.fromEntries(numbered(count, "key_").map((key) => [key, 1])),
  resources: (count) => ({ resources: Object.fromEntries(numbered(count, "link ").map((key) => [key, "http://a"])) }),
  patterns: (count) => ({ keep_on_update: numbered(count, "^(a+") }),
  "keys in one another": (count) => JSON.parse(`${'{"a":'.repeat(count)}1${"}".repeat(count)}`) as object,
};
const numbered = (count: number, prefix = ""): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

for (const [name, make] of Object.entries(MANY)) {
  test(`the time to check metadata grows with its length only: many ${name}`, async () => {
    const metadata: Shape = (length) => {
      const more = JSON.stringify(make(Math.ceil(length / 16)));
      return `${JSON.stringify(sampleMetadata()).slice(0, -1)},${more.slice(1)}`;
    };
    const check: Parse = (value) => {
      const read = readPackage(value);
      if ("package" in read) lintPackage(value, read.package);
    };
    assert.equal(await whyTooSlow(check, metadata), undefined);
  });
}

test("the time to inspect an archive grows with the number of its entries only", async () => {
  const archives = new Map<string, Buffer>();
  const entries: Shape = (length) => {
    const key = `${length}`;
    const paths = numbered(length / 16, "plugins/a/b/c/d/e/f/name-");
    if (!archives.has(key)) archives.set(key, writeZip(paths.map((path) => ({ path, bytes: ONE_BYTE }))));
    return key;
  };
  assert.equal(await whyTooSlow((key) => inspectBytes(archives.get(key) ?? ONE_BYTE), entries), undefined);
});

/** The longest code that a sandbox takes is eight times as long. */
const LONG_CODE = 64 * 1024;

/** Code with very many of one thing, each different. */
const MANY_IN_CODE: Readonly<Record<string, (count: number) => string>> = {
  "declared names": (count) => `let ${numbered(count, "n").join()};var ${numbered(count, "v").join()}`,
  "named groups": (count) =>
    `/${numbered(count)
      .map(() => "(?<a>)")
      .join("|")}/`,
  "taken names": (count) => `await 0;//$value${"_".repeat(8 * count)}`,
  "statements beside a long name": (count) => `await 0;${"0;".repeat(count)}//$value${"_".repeat(4 * count)}`,
};

for (const [name, make] of Object.entries(MANY_IN_CODE)) {
  test(`the time to prepare code for a sandbox grows with its length only: many ${name}`, async () => {
    assert.equal(await whyTooSlow(prepareCode, (length) => make(length / 8), LONG_CODE), undefined);
  });
}

/** Much more than the rewriter holds anyway. */
const LONG_PAGE = 256 * 1024;
for (const opening of ["<svg>", "<math><mi>"]) {
  test(`the time to rewrite a page that opens ${opening} again and again grows with its length only`, async () => {
    const why = await whyTooSlow((page) => rewritePage(page, 4_096), repeated(opening), LONG_PAGE);
    assert.equal(why, undefined);
  });
}

test("the time to rewrite links grows with their number only, however long the page's base is", async () => {
  const page: Shape = (length) =>
    `<base href="//b.example/${"b".repeat(length / 2)}">${"<a href=//a.example>".repeat(length / 40)}`;
  assert.equal(await whyTooSlow((text) => rewritePage(text, 4_096), page, LONG_PAGE), undefined);
});

for (const start of ["<!--", "<", ""]) {
  test(`the time to rewrite a page that comes in small chunks grows with its length only: ${start || "text"}`, async () => {
    const why = await whyTooSlow((page) => rewritePage(page, 64), repeated("x", start), LONG_PAGE);
    assert.equal(why, undefined);
  });
}

test("the time to rewrite a tag with many attributes grows with its length only", async () => {
  const tag: Shape = (length) => `<a ${Array.from({ length: length / 8 }, (_, n) => `a${n}=b`).join(" ")}>`;
  assert.equal(await whyTooSlow((page) => rewritePage(page, 4_096), tag, 65_536), undefined);
});

test("a parser that takes quadratic time is found", async () => {
  const dashes = repeated("-", "", "x");
  // Long enough for a fast machine: with half of them it took 36 to 44 ms there, and less than 40 is fast enough.
  const length = 12_288;
  assert.ok(await whyTooSlow((value) => /-+$/.test(value), dashes, length));
  assert.equal(await whyTooSlow((value) => /(?<!-)-+$/.test(value), dashes, length), undefined);
});
