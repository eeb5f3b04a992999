import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { Browser } from "playwright-core";
import { sampleArchive } from "../../packages/registry/src/archives/samples.suite.ts";
import { visit } from "../support/browser.ts";
import { connectClient } from "../support/gateway.ts";
import { createIntent, fillSignIn, type Person } from "../support/person.ts";
import { OWNER } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import { pictureWithText } from "../support/viewer.ts";
import { connected, driverOf } from "../support/workspaces.ts";
import type { Stack } from "./stack.ts";
import { PERSON } from "./start-proxy.ts";

export type HostingBench = { stack: Stack; browser: Browser; owner: Person; apiKey: string };

/** Not one of the proxy's addresses. */
const ELSEWHERE = "127.0.0.2";

type Repository = { packages: { url: string; sha256: string } };

/** Everything that people and programs do, once, through the public names. */
export function testAllAreas(bench: () => HostingBench): void {
  const urls = () => bench().stack.urls;

  test("HTTP leads to HTTPS; whether browsers must use it always is said once, by Backplane", async () => {
    for (const name of ["platform", "gateway", "viewer"] as const) {
      const { hostname } = new URL(urls()[name]);
      const moved = await asked(urls().plain.replace("127.0.0.1", hostname), { redirect: "manual" });
      assert.ok([301, 308].includes(moved.status), `${moved.status}`);
      assert.match(moved.headers.get("location") ?? "", new RegExp(`^https://${hostname}[:/]`));
    }
    const answer = await asked(`${urls().platform}/health`);
    assert.equal(answer.headers.get("strict-transport-security"), "max-age=31536000");
  });

  test("the parts of pages come compressed and for a year", async () => {
    const page = await (await asked(urls().platform)).text();
    const [asset = ""] = /\/assets\/index-[^"]+\.js/.exec(page) ?? [];
    const headers = { "accept-encoding": "br" };
    for (let count = 0; count < 4; count += 1) {
      const answer = await asked(`${urls().platform}${asset}`, { headers });
      assert.equal(answer.status, 200, asset);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(answer.headers.get("content-encoding"), "br");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.ok((await answer.text()).length > 0);
    }
    assert.equal((await asked(`${urls().platform}/assets/no-such-part.js`)).status, 404);
  });

  test("a person signs in; a program's event stream tells it at once that the person has approved", async () => {
    const { browser } = bench();
    const { token, auth_url: link } = (await createIntent(urls().platform)) as { token: string; auth_url: string };
    assert.ok(link.startsWith(`${urls().platform}/auth/intent?token=`));
    const headers = { accept: "text/event-stream" };
    const stream = await asked(`${urls().platform}/auth/intents/${token}/status`, { headers });
    const reader = textOf(stream);
    const first = await reader.read();
    assert.match(first.value ?? "", /ping/, "the stream is not held back");
    await using seen = await visit(browser);
    await seen.page.goto(link);
    await fillSignIn(seen.page);
    await seen.page.getByRole("button", { name: "Approve", exact: true }).click();
    let told = "";
    while (!told.includes("session_token")) told += (await reader.read()).value ?? assert.fail(told);
    const cookies = await seen.page.context().cookies();
    assert.ok(cookies.length > 0 && cookies.every(({ secure }) => secure));
    assert.deepEqual(seen.complaints.filter(isOurs), []);
  });

  test("a caller's address is its own, whatever it sends as X-Forwarded-For", async () => {
    const { owner } = bench();
    const { hostname, port } = new URL(urls().platform);
    const body = JSON.stringify(OWNER);
    const headers = {
      ...{ "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "elsewhere" },
      "x-forwarded-for": "203.0.113.7",
    };
    const sent = request({ hostname, port, path: "/auth/login", method: "POST", headers, localAddress: ELSEWHERE });
    const [answer] = await once(sent.end(body), "response");
    assert.equal(answer.statusCode, 200);
    answer.resume();
    const listed = await (await owner.call(urls().platform, "/auth/sessions")).text();
    assert.ok(listed.includes(ELSEWHERE) && !listed.includes("203.0.113.7"), listed);
  });

  test("the largest archive is published and downloaded; one byte more is refused with a reason", async () => {
    const archive = archiveOf(ARCHIVE_LIMITS.maxBytes);
    const publish = (body: Uint8Array<ArrayBuffer>) =>
      asked(`${urls().platform}/registry/packages`, {
        method: "POST",
        headers: { "x-api-key": bench().apiKey, "content-type": "application/zip" },
        body,
      });
    const published = await publish(archive);
    assert.equal(published.status, 201, await published.text());
    const at = "/registry/archives/org.example.large/org.example.large-1.0.0.zip";
    const downloaded = Buffer.from(await (await asked(`${urls().platform}${at}`)).arrayBuffer());
    assert.equal(sha256(downloaded), sha256(archive));
    const refused = await publish(new Uint8Array(ARCHIVE_LIMITS.maxBytes + 1));
    assert.deepEqual([refused.status, await codeOf(refused)], [413, "payload-too-large"]);
  });

  test("the lists that repository.json names come in every encoding, and are not sent again when they are known", async () => {
    const { packages } = (await (await asked(`${urls().platform}/registry/repository.json`)).json()) as Repository;
    for (const encoding of ["br", "gzip", "identity", "br;q=0, gzip;q=0.5", "gzip, deflate, br"]) {
      for (let count = 0; count < 3; count += 1) {
        const answer = await asked(packages.url, { headers: { "accept-encoding": encoding } });
        assert.equal(answer.status, 200, encoding);
        assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
        assert.equal(sha256(Buffer.from(await answer.arrayBuffer())), packages.sha256, encoding);
        const etag = answer.headers.get("etag") ?? "";
        const known = await asked(packages.url, { headers: { "accept-encoding": encoding, "if-none-match": etag } });
        assert.deepEqual([known.status, (await known.arrayBuffer()).byteLength], [304, 0], encoding);
      }
    }
  });

  test("a provider's code arrives over wss at a program that is connected to any gateway", async () => {
    const { browser } = bench();
    for (const code of ["one", "two", "three"]) {
      await using client = await connectClient({ wsUrl: `${urls().gateway.replace("https", "wss")}/ws` });
      const state = await client.register();
      await using seen = await visit(browser);
      await seen.page.goto(`${urls().gateway}/callback?${new URLSearchParams({ code, state })}`);
      const delivered = (await client.next()) as { type: string; code?: string };
      assert.deepEqual([delivered.type, delivered.code], ["callback", code]);
    }
  });

  test("code runs in a sandbox, whose frame has a name of its own", async () => {
    const { browser, apiKey } = bench();
    const driver = driverOf({ apiKey }, urls().platform, "hosted");
    const { panelId } = await driver.open("sandbox");
    await using seen = await visit(browser);
    await seen.page.goto(`${urls().platform}/auth/sign-in`);
    await fillSignIn(seen.page);
    await seen.page.waitForURL((url) => url.pathname !== "/auth/sign-in");
    await seen.page.goto(`${urls().platform}/w/${OWNER.name}/hosted`);
    await connected(seen.page);
    await until(async () => {
      const result = await driver.eval(panelId, "6 * 7");
      return result.status === "executed" && result.result === 42;
    }, "the sandbox runs code");
    const frames = seen.page.frames().map((frame) => new URL(frame.url()).hostname);
    assert.ok(
      frames.some((host) => host.endsWith(".panels.example.org")),
      `${frames}`,
    );
  });

  test("the largest file of a workspace is saved and read; one byte more is refused with a reason", async () => {
    const { apiKey } = bench();
    const at = `${urls().platform}/api/workspaces/editor/${OWNER.name}/hosted/current/files/large.bin`;
    const headers = { "x-api-key": apiKey, "if-none-match": "*", "content-type": "application/octet-stream" };
    const bytes = randomBytes(PANELS_LIMITS.maxFileBytes);
    const refused = await asked(at, { method: "PUT", headers, body: Buffer.concat([bytes, Buffer.of(0)]) });
    assert.deepEqual([refused.status, await codeOf(refused)], [413, "payload-too-large"]);
    const saved = await asked(at, { method: "PUT", headers, body: bytes });
    assert.equal(saved.status, 201, await saved.text());
    const read = await asked(at, { headers: { "x-api-key": apiKey } });
    assert.equal(sha256(Buffer.from(await read.arrayBuffer())), sha256(bytes));
  });

  test("a screenshot is pasted by a person whom the proxy knows, and by a program with the token; nobody else gets in", async () => {
    const { browser, stack } = bench();
    const page = `${urls().viewer}/screenshot-paste`;
    assert.equal((await asked(page)).status, 401);
    assert.equal((await asked(page, { headers: { authorization: "Bearer wrong" } })).status, 401);
    assert.equal((await asked(`${urls().viewer}/ready`)).status, 200);
    await using seen = await visit(browser, { httpCredentials: PERSON });
    await seen.page.goto(page);
    const buffer = await pictureWithText("Reflow oven profile");
    await seen.page.locator("input[type=file]").first().setInputFiles({ name: "a.png", mimeType: "image/png", buffer });
    await until(() => stack.viewer.files().some((name) => name.startsWith("reflow-oven-profile")), "it has its name");
    const image = await largestPicture();
    const headers = { authorization: `Bearer ${stack.viewerToken}`, "content-type": "image/png" };
    const pasted = await asked(page, { method: "POST", headers, body: image });
    assert.equal(pasted.status, 201, await pasted.text());
  });

  test("what is slow stays open: an event stream without events, longer than the pings", async () => {
    const { apiKey } = bench();
    const at = `${urls().platform}/api/workspaces/editor/${OWNER.name}/hosted/current/events`;
    const stream = await asked(at, { headers: { "x-api-key": apiKey, accept: "text/event-stream" } });
    const reader = textOf(stream);
    let told = "";
    while ((told.match(/: ping/g) ?? []).length < 3) told += (await reader.read()).value ?? assert.fail(told);
    await reader.cancel();
  });

  test("a platform and a gateway that end are not missed, and gateways that are back are used at once", async () => {
    const { stack } = bench();
    const { platforms, gateways } = stack;
    await platforms[0]?.kill();
    await gateways[0]?.kill();
    for (const url of [urls().platform, urls().gateway]) {
      for (let count = 0; count < 12; count += 1) assert.equal((await asked(`${url}/health`)).status, 200);
    }
    await gateways[1]?.kill();
    assert.ok((await asked(`${urls().gateway}/health`)).status >= 502);
    await Promise.all(gateways.map((gateway) => gateway.start()));
    for (let count = 0; count < 4; count += 1) assert.equal((await asked(`${urls().gateway}/health`)).status, 200);
    await platforms[0]?.start();
  });

  test("the proxy's logs have no code, token or key", () => {
    const { stack, apiKey } = bench();
    const logs = globSync("*log*", { cwd: stack.folder, withFileTypes: true }).filter((file) => file.isFile());
    const text = logs.map(({ name }) => readFileSync(join(stack.folder, name), "utf8")).join("\n");
    assert.ok(logs.length > 0);
    assert.doesNotMatch(text, /code=|token=|state=|\/status/);
    for (const secret of [apiKey, stack.viewerToken]) assert.ok(!text.includes(secret));
  });
}

/** In the browser, requests to our own public names are not foreign. */
const isOurs = (complaint: string): boolean => !/^foreign request: https:\/\/[\w.-]+\.example\.org/.test(complaint);

/** A new connection per call, as from another machine. */
const asked = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, headers: { connection: "close", ...init.headers } });

const textOf = ({ body }: Response): ReadableStreamDefaultReader<string> =>
  (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { code?: string }).code;

/** An archive of exactly this size. */
function archiveOf(bytes: number): Uint8Array<ArrayBuffer> {
  const of = (filler: Uint8Array) =>
    sampleArchive({ identifier: "org.example.large", store: true, files: { "plugins/filler.bin": filler } });
  const around = of(new Uint8Array(1)).length - 1;
  return new Uint8Array(of(randomBytes(bytes - around)));
}

/** Of the largest size that the viewer takes: bytes after the end of a picture are ignored. */
async function largestPicture(): Promise<Uint8Array<ArrayBuffer>> {
  const picture = await pictureWithText("Sent by a program");
  const padded = new Uint8Array(VIEWER_LIMITS.maxUploadBytes);
  padded.set(picture);
  return padded;
}
