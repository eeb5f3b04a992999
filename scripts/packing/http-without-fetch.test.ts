import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import http from "node:http";
import { join } from "node:path";
import test from "node:test";

const OURS = join(import.meta.dirname, "http-without-fetch.js");
/** Those of `fetch`, and what no library here uses. */
const LEFT_OUT = [
  ...["CloseEvent", "MessageEvent", "WebSocket"],
  ...["_connectionListener", "maxHeaderSize", "setGlobalProxyFromEnv", "setMaxIdleHTTPParsers"],
];

test("a bundle's node:http has what Node's has, but for what it leaves out", async () => {
  const { default: all, ...named } = await import(OURS);
  assert.deepEqual(Object.keys(all).sort(), Object.keys(named).sort());
  assert.deepEqual([...Object.keys(named), ...LEFT_OUT].sort(), Object.keys(http).sort());
  for (const name of ["Agent", "ClientRequest", "IncomingMessage", "Server", "ServerResponse", "METHODS"] as const) {
    assert.deepEqual(named[name], http[name], name);
  }
});

test("it loads neither fetch nor a WebSocket", () => {
  const script = `await import(${JSON.stringify(OURS)}); console.log(process.moduleLoadList.join("\\n"))`;
  const loaded = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.match(loaded, /_http_server/);
  assert.doesNotMatch(loaded, /undici/);
});

test("it serves and asks", async () => {
  const { createServer, get } = (await import(OURS)) as typeof http;
  const server = createServer((_request, response) => response.end("here"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const answer = await new Promise<string>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/" }, (response) => {
      response.setEncoding("utf8").once("data", resolve);
    }).once("error", reject);
  });
  server.close();
  assert.equal(answer, "here");
});
