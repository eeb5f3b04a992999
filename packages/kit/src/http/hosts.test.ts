import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { readSettings } from "../settings.ts";
import { createApp } from "./app.ts";
import { createHostCheck, hostsOf } from "./hosts.ts";

const SETTINGS = {
  BASE_URL: "https://backplane.example.org",
  GATEWAY_URL: "https://gateway.example.org",
  VIEWER_URL: "https://viewer.example.org",
  FRAMES_URL: "https://*.panels.example.org",
  ALLOWED_HOSTS: "Other.example.org, *.lan",
};

/** Asks with these lines in place of a Host header; returns the status and the code of the problem. */
async function serve(t: TestContext, trustProxy: string[] = []) {
  const settings = readSettings(SETTINGS, "/project");
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: createMetrics("test"),
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy,
    overHttps: true,
    checkHost: createHostCheck({ hosts: hostsOf(settings), trustProxy, url: settings.baseUrl }),
    answerFirst(request, response) {
      if (request.url !== "/first") return false;
      response.end("first");
      return true;
    },
  });
  app.server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  app.get("/page", async () => "page");
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return async (lines: readonly string[], path = "/page", version = "1.1"): Promise<string> => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/${version}\r\n${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += chunk;
    return [/^HTTP\/1\.1 (\d+)/.exec(text)?.[1], /"code":"([^"]+)"/.exec(text)?.[1]].filter(Boolean).join(" ");
  };
}

test("a host name that the settings do not name is answered with 421 host-unknown, before any route", async (t) => {
  const ask = await serve(t);
  for (const host of [
    ...["evil.example", "backplane.example.org.evil.example", "xbackplane.example.org", "panels.example.org.evil"],
    ...["127.0.0.1.nip.io", "localhost.evil.example", "0.0.0.0", "10.0.0.1:8790", "2130706433", "[::2]", ""],
    ...["lan", "evil.example#localhost", "localhost@evil.example", "localhost,evil.example"],
  ]) {
    for (const path of ["/page", "/first", "/health?x", "/nothing"]) {
      assert.equal(await ask([`Host: ${host}`], path), "421 host-unknown", `${host} ${path}`);
    }
  }
  const upgrade = ["Upgrade: websocket", "Connection: Upgrade"];
  assert.equal(await ask(["Host: evil.example", ...upgrade]), "421 host-unknown");
  assert.equal(await ask(["Host: localhost", ...upgrade]), "101");
});

test("the host names of the addresses, the frames, this machine and ALLOWED_HOSTS are answered, with any port", async (t) => {
  const ask = await serve(t);
  for (const host of [
    ...["backplane.example.org", "BACKPLANE.example.org:443", "backplane.example.org.", "gateway.example.org:8795"],
    ...["viewer.example.org", "s-1-a.panels.example.org", "localhost", "localhost:1", "a.localhost", "127.0.0.1:8790"],
    ...["[::1]:8790", "other.example.org", "pi.lan", "a.b.lan:80"],
  ]) {
    assert.equal(await ask([`Host: ${host}`]), "200", host);
  }
});

test("load balancers may ask /health and /ready by address or without a host, pages of other sites may not", async (t) => {
  const ask = await serve(t);
  for (const path of ["/health", "/ready"]) {
    assert.equal(await ask(["Host: 10.1.2.3:8790"], path), "200");
    assert.equal(await ask([], path, "1.0"), "200");
    assert.equal(await ask(["Host: evil.example"], path), "421 host-unknown");
  }
  assert.equal(await ask([], "/page", "1.0"), "421 host-unknown");
});

test("two Host headers are 400, even when they are the same", async (t) => {
  const ask = await serve(t);
  for (const second of ["localhost", "evil.example"]) {
    assert.equal(await ask(["Host: localhost", `hOST: ${second}`]), "400 malformed-request");
    assert.equal(await ask(["Host: localhost", `Host: ${second}`], "/health"), "400 malformed-request");
  }
});

test("the host that a trusted proxy was asked for counts too; what others forward does not", async (t) => {
  const behindProxy = await serve(t, ["127.0.0.1"]);
  const forwarded = (host: string) => ["Host: localhost", `X-Forwarded-Host: ${host}`];
  assert.equal(await behindProxy(forwarded("backplane.example.org")), "200");
  assert.equal(await behindProxy(forwarded("evil.example")), "421 host-unknown");
  assert.equal(await behindProxy(forwarded("localhost, evil.example")), "421 host-unknown");
  const direct = await serve(t);
  assert.equal(await direct(forwarded("evil.example")), "200");
});
