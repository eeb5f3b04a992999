import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Script } from "node:vm";
import { createLabelReader } from "../../frames.ts";
import type { Services } from "../../services.ts";
import { createFrameServer } from "./serve-frame.ts";

const settings = { baseUrl: "http://localhost:8790", framesUrl: "http://*.localhost:8790" } as Services["settings"];
const HOST = "s-abc-x1-0.localhost:8790";

async function open(t: TestContext) {
  const answer = await createFrameServer(settings);
  const labelOf = createLabelReader(settings.framesUrl);
  const server = createServer((request, response) => {
    const frame = labelOf(request);
    if (frame) answer(request, response, frame.label);
    else response.writeHead(421).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return (path: string, method = "GET") =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const sent = request({ port, path, method, headers: { host: HOST }, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString(),
          });
        });
      });
      sent.on("error", reject);
      sent.end();
    });
}

const scriptOf = (html: string): string => /<script>(.*)<\/script>/s.exec(html)?.[1] ?? "";

test("code runs in a document that allows only scripts and has no network access", async (t) => {
  const get = await open(t);
  const { status, headers, body } = await get("/run");
  const policy = String(headers["content-security-policy"]);
  assert.equal(status, 200);
  for (const part of ["sandbox allow-scripts;", "default-src 'none'", "form-action 'none'", "frame-src 'none'"]) {
    assert.ok(policy.includes(part), part);
  }
  assert.doesNotMatch(policy, /https?:|allow-same-origin|\*/);
  assert.doesNotMatch(headers["set-cookie"]?.join() ?? "", /./);
  new Script(scriptOf(body));
  assert.doesNotMatch(body, /: FrameWindow|import type/, "types are gone");
});

test("the outer document runs one script of ours, and may frame only /run of its own host", async (t) => {
  const { headers, body } = await (await open(t))("/");
  const policy = String(headers["content-security-policy"]);
  const hash = createHash("sha256").update(scriptOf(body)).digest("base64");
  assert.ok(policy.includes(`script-src 'sha256-${hash}'`));
  assert.ok(policy.includes("frame-src http://s-abc-x1-0.localhost:8790/run"));
  assert.ok(policy.includes("frame-ancestors http://localhost:8790 http://127.0.0.1:8790"));
  assert.match(body, /<iframe sandbox="allow-scripts"/);
});

test("snapdom is a module that a frame without an origin may load", async (t) => {
  const { status, headers, body } = await (await open(t))("/snapdom.mjs");
  assert.deepEqual([status, headers["access-control-allow-origin"]], [200, "*"]);
  assert.equal(headers["content-type"], "text/javascript");
  assert.match(body, /snapdom/);
});

test("warnings of snapdom do not reach the console of the sandbox", async (t) => {
  const { body } = await (await open(t))("/snapdom.mjs");
  const [own = "", ...library] = body.split("\n");
  const methods = /^const console=\{(.*)\};$/.exec(own)?.[1] ?? "";
  const used = new Set(Array.from(library.join("\n").matchAll(/\bconsole\.(\w+)/g), ([, name]) => name));
  assert.ok(used.size > 0);
  for (const name of used) assert.ok(methods.includes(`${name}(){}`), name);
  assert.doesNotMatch(library.join("\n"), /(?:globalThis|window|self)\.console/);
});

test("everything else is refused", async (t) => {
  const get = await open(t);
  for (const path of ["/index.html", "/api/workspaces", "/run/x", "/__proto__", "//evil"]) {
    assert.equal((await get(path)).status, 404, path);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal((await get("/run", method)).status, 405);
  const head = await get("/run?x=1", "HEAD");
  assert.deepEqual([head.status, head.body], [200, ""]);
});
