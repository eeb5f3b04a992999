import assert from "node:assert/strict";
import { test } from "node:test";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { connect, WAYS } from "./clients.suite.ts";
import { memoryAccess } from "./memory-access.suite.ts";

type Content = { type: string; text?: string; uri?: string };
const wordsOf = ({ content }: { content: unknown }): string => (content as Content[])[0]?.text ?? "";
const linksOf = ({ content }: { content: unknown }): (string | undefined)[] =>
  (content as Content[]).filter(({ type }) => type === "resource_link").map(({ uri }) => uri);

for (const [kind, era] of WAYS) {
  const over = `over ${kind}, ${era} era`;

  test(`the server is called viewer, and its tools say what they take and return, ${over}`, async () => {
    await using connected = await connect(memoryAccess(), kind, era);
    const { client } = connected;
    assert.equal(client.getProtocolEra(), era);
    assert.equal(client.getServerVersion()?.name, "viewer");
    assert.equal(client.getServerVersion()?.title, "Backplane viewer");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["av_screenshot_paste", "av_screenshot_latest", "av_screenshot_upload"],
    );
    for (const tool of tools) {
      assert.equal(tool.inputSchema.type, "object");
      assert.equal(tool.outputSchema?.type, "object");
    }
    const [paste, , upload] = tools;
    assert.deepEqual(paste?._meta?.ui, { resourceUri: "ui://viewer/screenshot-paste.html" });
    assert.match(paste?.description ?? "", /at once.*av_screenshot_latest/);
    assert.deepEqual(upload?._meta?.ui, { resourceUri: "ui://viewer/screenshot-paste.html", visibility: ["app"] });
  });

  test(`av_screenshot_paste opens the widget and returns its address as text, structured content and link, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era);
    const result = await connected.client.callTool({
      name: "av_screenshot_paste",
      arguments: { title: "Paste the error" },
    });
    const url = "http://localhost:8770/screenshot-paste";
    assert.deepEqual(access.titles, ["Paste the error"]);
    assert.match(wordsOf(result), new RegExp(url));
    assert.deepEqual(linksOf(result), [url]);
    assert.deepEqual(result.structuredContent, {
      status: "opened",
      url,
      title: "Paste the error",
      folder: "screenshots/sp/",
      maxDimension: 1568,
      workspace: "ada/rover",
      reason: null,
    });
  });

  test(`av_screenshot_latest returns the newest paste: paths, size, name, recognised text, ${over}`, async () => {
    const access = memoryAccess();
    access.add();
    const { id } = access.add();
    access.nameIt(id, "login-form-email-error", "text", "Email is not valid");
    await using connected = await connect(access, kind, era);
    const result = await connected.client.callTool({ name: "av_screenshot_latest", arguments: {} });
    const path = "screenshots/sp/sp-20261115-101500-002-1568x980.png";
    assert.deepEqual(result.structuredContent, {
      status: "found",
      id,
      name: "login-form-email-error",
      isNamed: true,
      namedBy: "text",
      optimized: { path, absolutePath: `/projects/rover/${path}`, width: 1568, height: 980, bytes: 8 },
      original: {
        path: "screenshots/sp/sp-20261115-101500-002-2880x1800-original.png",
        absolutePath: "/projects/rover/screenshots/sp/sp-20261115-101500-002-2880x1800-original.png",
        width: 2880,
        height: 1800,
        bytes: 8,
      },
      suggestions: ["login-form-email-error"],
      text: "Email is not valid",
      pastedAt: "2026-11-15T10:15:00.000Z",
    });
    assert.ok(wordsOf(result).startsWith(`/projects/rover/${path}\n`), "paths come first");
    assert.match(wordsOf(result), /Email is not valid/);
    assert.deepEqual(linksOf(result), [`viewer://pastes/${id}/optimized.png`, `viewer://pastes/${id}/original.png`]);
  });

  test(`av_screenshot_latest without any screenshot says the next step, ${over}`, async () => {
    await using connected = await connect(memoryAccess(), kind, era);
    const result = await connected.client.callTool({ name: "av_screenshot_latest" });
    assert.equal((result.structuredContent as { status: string }).status, "none");
    assert.match(wordsOf(result), /Open the page with av_screenshot_paste/);
  });

  test(`wrong input is a tool error that names the field, and nothing happens, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era);
    const wrong: [name: string, input: Record<string, unknown>, says: RegExp][] = [
      ["av_screenshot_paste", { title: "x".repeat(201) }, /^invalid-input: .*\ntitle must NOT have more than 200/],
      ["av_screenshot_paste", { title: 5 }, /\ntitle must be string/],
      ["av_screenshot_paste", { titel: "x" }, /\ntitel is not a known field/],
      ["av_screenshot_latest", { wait_seconds: 301 }, /\nwait_seconds must be <= 300/],
      ["av_screenshot_latest", { wait_seconds: -1 }, /\nwait_seconds must be >= 0/],
      ["av_screenshot_latest", { wait_seconds: "5" }, /\nwait_seconds must be number/],
      ["av_screenshot_upload", {}, /\nimage is missing/],
      ["av_screenshot_upload", { image: "not base64!" }, /\nimage is not base64/],
      ["av_screenshot_upload", { image: "data:image/png;base64," }, /\nimage is not base64/],
    ];
    for (const [name, input, says] of wrong) {
      const result = await connected.client.callTool({ name, arguments: input });
      assert.equal(result.isError, true, `${name} ${JSON.stringify(input).slice(0, 50)}`);
      assert.match(wordsOf(result), says);
    }
    assert.deepEqual(access.titles, []);
    assert.equal(await access.newest(), undefined);
  });

  test(`av_screenshot_upload saves an image of up to 10 MiB from a message, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era);
    const { client } = connected;
    const image = Buffer.alloc(VIEWER_LIMITS.maxInlineImageBytes, 7);
    const upload = (bytes: Buffer) =>
      client.callTool({
        name: "av_screenshot_upload",
        arguments: { image: bytes.toString("base64"), title: "From the chat" },
      });
    const saved = await upload(image);
    const newest = await access.newest();
    assert.equal((saved.structuredContent as { id: string }).id, newest?.id);
    assert.equal(newest?.title, "From the chat");
    assert.equal(Buffer.compare(await access.readFile(newest?.id ?? "", "original"), image), 0);
    const refused = await upload(Buffer.alloc(VIEWER_LIMITS.maxInlineImageBytes + 1, 7));
    assert.equal(refused.isError, true);
    assert.match(wordsOf(refused), /\nimage is larger than 10485760 bytes/);
    assert.equal((await access.newest())?.id, newest?.id);
  });

  test(`an unknown tool is a protocol error, ${over}`, async () => {
    await using connected = await connect(memoryAccess(), kind, era);
    await assert.rejects(connected.client.callTool({ name: "av_screenshot_nothing" }), /not found/);
  });
}

test("a problem is reported with its code and message; an unexpected error reveals nothing", async () => {
  const access = memoryAccess();
  access.openWidget = async () => {
    throw new Error("ENOENT: /secret/place");
  };
  await using connected = await connect(access, "stdio", "modern");
  const result = await connected.client.callTool({ name: "av_screenshot_paste" });
  assert.equal(result.isError, true);
  assert.equal(wordsOf(result), "internal-error: Internal error");
});
