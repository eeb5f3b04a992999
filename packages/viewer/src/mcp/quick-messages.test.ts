import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestOptions, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { answerQuickly } from "./http.ts";
import { MCP_LIMITS } from "./limits.ts";

type Sent = RequestOptions & { body?: string };

/** Reports who answers each request: the quick path or the routes. */
async function serve(t: TestContext, isPlainCaller = true) {
  const observed: number[] = [];
  const counted = Promise.withResolvers<void>();
  const quick = answerQuickly({
    isPlainCaller: () => isPlainCaller,
    answer: (_request, response) => void response.writeHead(202).end("quick"),
    observe(status) {
      observed.push(status);
      counted.resolve();
    },
  });
  const server = createServer((asked, response) => {
    if (!quick(asked, response)) response.end("routes");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async ({ body = "{}", ...options }: Sent = {}): Promise<string> => {
    const asked = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", agent: false, ...options });
    // A request that is answered at once is not read to its end.
    asked.on("error", () => undefined).end(body);
    const [response] = await once(asked, "response");
    return (await response.setEncoding("utf8").toArray()).join("");
  };
  return { ask, observed, counted: counted.promise };
}

test("a plain caller's message is answered before the routes, and counted", async (t) => {
  const { ask, observed, counted } = await serve(t);
  assert.equal(await ask(), "quick");
  await counted;
  assert.deepEqual(observed, [202]);
});

test("unusual requests are left to the routes", async (t) => {
  const { ask, observed } = await serve(t);
  for (const path of ["/", "/mcp/", "/mcp?a=b", "/%6dcp", "/screenshot-paste"])
    assert.equal(await ask({ path }), "routes");
  for (const method of ["PUT", "DELETE", "PATCH"]) assert.equal(await ask({ method }), "routes", method);
  assert.equal(await ask({ headers: { "transfer-encoding": "chunked" } }), "routes", "a body of any length");
  const { maxBodyBytes } = MCP_LIMITS;
  assert.equal(await ask({ body: " ".repeat(maxBodyBytes + 1) }), "routes", "too long");
  assert.deepEqual(observed, []);
});

test("requests that may come from elsewhere are left to the routes", async (t) => {
  const { ask } = await serve(t, false);
  assert.equal(await ask(), "routes");
});
