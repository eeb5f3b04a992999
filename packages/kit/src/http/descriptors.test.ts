import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../../../scripts/testing/until.ts";
import { createLog } from "../log.ts";
import { boundConnections, sharedAddresses } from "./connection-bounds.ts";
import { connectionsWithin, openFilesLimit, reportRefusedConnections } from "./descriptors.ts";
import { HTTP_LIMITS } from "./limits.ts";

test("connections leave descriptors for files and services, whatever the limit of the system", () => {
  assert.equal(connectionsWithin(1_048_576, 19_500), 19_500);
  assert.equal(connectionsWithin(20_000, 19_500), 19_500);
  assert.equal(connectionsWithin(1_024, 19_500), 524);
  assert.equal(connectionsWithin(256, 19_500), 128);
  assert.equal(connectionsWithin(undefined, 19_500), 19_500);
});

test("the limit of this process is known where the system tells it", { skip: process.platform !== "linux" }, () => {
  assert.ok((openFilesLimit() ?? 0) >= 256);
});

async function serve(t: TestContext) {
  const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const isAccepted = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  return { server, port, isAccepted };
}

test("connections above the limit are refused with one line in the log, and accepted again when others have ended", async (t) => {
  const lines: string[] = [];
  const log = createLog({ process: "test", level: "info", destination: { write: (line) => lines.push(line) } });
  const { server, port, isAccepted } = await serve(t);
  server.maxConnections = 1;
  reportRefusedConnections(server, log);

  const first = connect(port, "127.0.0.1");
  await once(server, "connection");
  for (let refused = 0; refused < 3; refused += 1) await once(connect(port, "127.0.0.1").resume(), "close");
  server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE", syscall: "accept" }));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"level":"error".*All 1 connections are in use/);

  first.destroy();
  await until("a connection is accepted again", isAccepted);
});

test("one address has at most 256 connections, and one that ends makes room; this machine and trusted proxies may have more", async (t) => {
  assert.equal(HTTP_LIMITS.maxConnectionsPerAddress, 256);
  const isShared = sharedAddresses(["192.0.2.0/24"]);
  assert.deepEqual(["127.0.0.1", "::1", "192.0.2.7", "203.0.113.9"].map(isShared), [true, true, true, false]);
  const { server, port, isAccepted } = await serve(t);
  boundConnections(server, () => false, { maxConnections: 100, maxConnectionsPerAddress: 1 });
  const first = connect(port, "127.0.0.1");
  await once(server, "connection");
  await once(connect(port, "127.0.0.1").resume(), "close");
  const other = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  other.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(String(await once(other, "data")), /^HTTP\/1\.1 200/);
  first.destroy();
  await until("a connection is accepted again", isAccepted);
});
