// The configurations of nginx and Caddy that we ship, each before three platforms and two gateways.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { type HostingBench, testAllAreas } from "./hosting/all-areas.suite.ts";
import { namesInChromium } from "./hosting/public-names.ts";
import { startStack } from "./hosting/stack.ts";
import { PROXIES } from "./hosting/start-proxy.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/person.ts";
import { until } from "./support/processes.ts";

for (const proxy of PROXIES) {
  suite(`behind ${proxy}, with TLS`, () => {
    let bench: HostingBench;
    const running = new AsyncDisposableStack();
    before(async () => {
      const stack = running.use(await startStack(proxy));
      // The authority is trusted by programs; Chromium has a store of its own.
      const browser = await openBrowser(namesInChromium("127.0.0.1"), "--ignore-certificate-errors");
      running.defer(() => browser.close());
      const owner = await signInAs(stack.urls.platform);
      const body = { name: "hosting", scopes: ["read", "publish", "panels"] };
      const made = await owner.call(stack.urls.platform, "/auth/api-keys", { method: "POST", body });
      assert.equal(made.status, 201);
      const { key: apiKey } = (await made.json()) as { key: string };
      bench = { stack, browser, owner, apiKey };
    });
    after(() => running.disposeAsync());
    testAllAreas(() => bench);
    test("the list that repository.json names is a file for nginx, once it has lasted", {
      skip: proxy !== "nginx",
    }, async () => {
      const answer = await fetch(`${bench.stack.urls.platform}/registry/repository.json`);
      const { packages } = (await answer.json()) as { packages: { url: string; sha256: string } };
      await until(async () => {
        const list = await fetch(packages.url);
        const sha256 = createHash("sha256")
          .update(new Uint8Array(await list.arrayBuffer()))
          .digest("hex");
        assert.deepEqual([list.status, sha256], [200, packages.sha256]);
        return !list.headers.get("etag")?.includes(sha256);
      }, "nginx sends the list with an ETag of its own");
    });
  });
}
