import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, WAYS } from "./clients.suite.ts";
import { MCP_LIMITS } from "./limits.ts";
import { memoryAccess } from "./memory-access.suite.ts";

for (const [kind, era] of WAYS) {
  const over = `over ${kind}, ${era} era`;

  test(`lists the newest 50 screenshots, newest first, and the widget, ${over}`, async () => {
    const access = memoryAccess();
    const ids = Array.from({ length: 60 }, () => access.add().id);
    await using connected = await connect(access, kind, era);
    const { resources } = await connected.client.listResources();
    const [widget, first] = resources;
    assert.equal(resources.length, 51);
    assert.equal(widget?.uri, "ui://viewer/screenshot-paste.html");
    assert.equal(widget?.mimeType, "text/html;profile=mcp-app");
    assert.equal(first?.uri, `viewer://pastes/${ids.at(-1)}/optimized.png`);
    assert.equal(resources.at(-1)?.uri, `viewer://pastes/${ids.at(-50)}/optimized.png`);
    const { resourceTemplates } = await connected.client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ["viewer://pastes/{id}/{file}"],
    );
  });

  test(`files are read byte for byte, and the text as text, ${over}`, async () => {
    const access = memoryAccess();
    const { id } = access.add({}, Buffer.from("bytes of a picture"));
    access.nameIt(id, "build-log", "text", "make: *** [all] Error 2");
    await using connected = await connect(access, kind, era);
    const read = async (file: string) =>
      (await connected.client.readResource({ uri: `viewer://pastes/${id}/${file}` })).contents[0];
    for (const file of ["optimized.png", "original.png"]) {
      const content = await read(file);
      assert.equal(content?.mimeType, "image/png");
      assert.equal(Buffer.from((content as { blob: string }).blob, "base64").toString(), "bytes of a picture");
    }
    const text = await read("text");
    assert.equal(text?.mimeType, "text/plain");
    assert.equal((text as { text: string }).text, "make: *** [all] Error 2");
  });

  test(`a file that is too large for a response is refused with its path, ${over}`, async () => {
    const access = memoryAccess();
    const { id, original } = access.add({}, Buffer.alloc(MCP_LIMITS.maxBlobBytes + 1));
    await using connected = await connect(access, kind, era);
    await assert.rejects(
      connected.client.readResource({ uri: `viewer://pastes/${id}/original.png` }),
      new RegExp(`751 kB, more than the 750 kB .* Read it from the disk: /projects/rover/${original.path}`),
    );
  });

  test(`unknown resources are not found, whatever their address, ${over}`, async () => {
    const access = memoryAccess();
    const { id } = access.add();
    await using connected = await connect(access, kind, era);
    const wrong = [
      "viewer://pastes/20261115-101500-999-aaaaaa/optimized.png",
      "viewer://pastes/..%2F..%2Fetc/optimized.png",
      `viewer://pastes/${id}/key`,
      `viewer://pastes/${id}/..%2F..%2Fkey`,
      "file:///etc/passwd",
      "viewer://pastes",
    ];
    for (const uri of wrong) await assert.rejects(connected.client.readResource({ uri }), /not found/i, uri);
  });

  test(`the widget is a page without a token and without connections, ${over}`, async () => {
    await using connected = await connect(memoryAccess(), kind, era);
    const { contents } = await connected.client.readResource({ uri: "ui://viewer/screenshot-paste.html" });
    const [page] = contents;
    assert.equal(page?.mimeType, "text/html;profile=mcp-app");
    assert.match((page as { text: string }).text, /^<!doctype html>/);
    assert.doesNotMatch((page as { text: string }).text, /v1\.[0-9a-f]{16}\./);
    assert.deepEqual(page?._meta?.ui, { prefersBorder: true, permissions: { clipboardWrite: {} } });
  });

  // Without sessions there is no open connection to a client of the older era.
  if (kind === "http" && era === "legacy") continue;
  test(`a client is notified when the list of screenshots changes, ${over}`, async () => {
    const access = memoryAccess();
    const heard = Promise.withResolvers<void>();
    await using connected = await connect(access, kind, era, {
      client: {
        listChanged: { resources: { autoRefresh: false, debounceMs: 0, onChanged: () => heard.resolve() } },
      },
    });
    await connected.client.listResources();
    await access.whenWaiting(1);
    access.add();
    await heard.promise;
  });
}

test("changes of the list are promised only where they are sent", async () => {
  for (const [kind, era, isSent] of [
    ["http", "modern", true],
    ["http", "legacy", false],
    ["stdio", "legacy", true],
  ] as const) {
    await using connected = await connect(memoryAccess(), kind, era);
    const { resources, tools } = connected.client.getServerCapabilities() ?? {};
    assert.deepEqual([resources?.listChanged, tools?.listChanged], [isSent, false], `${kind}, ${era}`);
  }
});
