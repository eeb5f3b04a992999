import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { connectMcp, ERAS, type Era, newProject, TRANSPORTS, type TransportKind, uploadTo } from "./support/mcp.ts";
import { until } from "./support/processes.ts";
import { pictureWithoutText, pictureWithText, type RunningViewer, startViewer } from "./support/viewer.ts";

// The conformance suite only covers the older era (see viewer-mcp-witnesses.long.test.ts), so these tests use a client of each era.

type Connection = readonly [TransportKind, Era];

const CONNECTIONS: readonly Connection[] = TRANSPORTS.flatMap((kind) => ERAS.map((era): Connection => [kind, era]));

/** Clients that the server can reach at any time: not those of the older era over HTTP, which only get answers. */
const REACHABLE = CONNECTIONS.filter(([kind, era]) => kind === "stdio" || era === "modern");

let viewer: RunningViewer;
let picture: Buffer;
/** For tests that do not use its name: reading text takes longer than the rest. */
let plain: Buffer;
before(async () => {
  viewer = await startViewer();
  picture = await pictureWithText("Solder paste height");
  plain = await pictureWithoutText("#27c", 64, 64);
  for (const [kind, era] of CONNECTIONS) clients.set(`${kind} ${era}`, await connectListener(kind, era));
});
after(async () => {
  for (const work of atEnd) await work();
  await viewer?.[Symbol.asyncDispose]();
});

type Listener = { client: Client; notified: string[] };
/** One per transport and era, shared by all tests. */
const clients = new Map<`${TransportKind} ${Era}`, Listener>();
const atEnd: (() => unknown)[] = [];

/** Records the resources it was notified of. */
async function connectListener(kind: TransportKind, era: Era): Promise<Listener> {
  const notified: string[] = [];
  const onChanged = (_error: Error | null, items: { uri: string }[] | null) => {
    notified.push(...(items ?? []).map(({ uri }) => uri));
  };
  const isNotified = REACHABLE.some(([one, other]) => one === kind && other === era);
  const options = isNotified ? { listChanged: { resources: { onChanged } } } : {};
  const cleanup = { after: (work: () => unknown) => void atEnd.push(work) };
  return { client: await connectMcp(cleanup, viewer, kind, era, { options }), notified };
}

const listenerOf = (kind: TransportKind, era: Era): Listener =>
  clients.get(`${kind} ${era}`) ?? assert.fail(`no client over ${kind}, ${era} era`);

type Found = {
  status: string;
  id: string;
  name: string;
  namedBy: string;
  text: string;
  optimized: { path: string; absolutePath: string };
};
type ToolResult = { content?: unknown; structuredContent?: unknown; isError?: boolean | undefined };

const foundIn = ({ structuredContent }: ToolResult): Found => structuredContent as Found;
const textOf = ({ content }: ToolResult): string => (content as { text?: string }[])[0]?.text ?? "";
const WAIT = { name: "av_screenshot_latest", arguments: { wait_seconds: 120 } };
const WAIT_TIMEOUT_MS = 120_000;

/** Resolves once the server waits: the next paste is the answer. */
async function waitForPaste(client: Client, signal?: AbortSignal) {
  const { said, stop } = listenToProgress(client);
  const waiting = Promise.withResolvers<void>();
  const options = { onprogress: () => waiting.resolve(), timeout: WAIT_TIMEOUT_MS, ...(signal ? { signal } : {}) };
  const answer = client.callTool(WAIT, options).finally(stop);
  await Promise.race([waiting.promise, answer]);
  return { answer, said };
}

/** Progress messages. The client drops the last one if it arrives together with the answer. */
function listenToProgress({ transport }: Client) {
  assert.ok(transport?.onmessage);
  const { onmessage } = transport;
  const said: string[] = [];
  transport.onmessage = (message, extra) => {
    if ("method" in message && message.method === "notifications/progress") said.push(String(message.params?.message));
    onmessage(message, extra);
  };
  const stop = () => {
    transport.onmessage = onmessage;
  };
  return { said, stop };
}

for (const [kind, era] of CONNECTIONS) {
  const over = `over ${kind}, ${era} era`;

  test(`a client gets the server's name and version, lists the tools and calls one, ${over}`, async () => {
    const { client } = listenerOf(kind, era);
    assert.equal(client.getProtocolEra(), era);
    assert.equal(client.getNegotiatedProtocolVersion(), era === "modern" ? "2026-07-28" : "2025-11-25");
    assert.equal(client.getServerVersion()?.name, "viewer");
    assert.deepEqual(client.getServerCapabilities()?.resources?.listChanged, true);
    assert.match(client.getInstructions() ?? "", /av_screenshot_latest/);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    assert.deepEqual(names, ["av_screenshot_paste", "av_screenshot_latest", "av_screenshot_upload"]);
    const opened = await client.callTool({ name: "av_screenshot_paste", arguments: { title: "Rev C" } });
    assert.equal((opened.structuredContent as { title: string }).title, "Rev C");
  });

  test(`waiting for a screenshot reports progress and ends with its name; its files are resources, ${over}`, async () => {
    const { client } = listenerOf(kind, era);
    const { answer, said } = await waitForPaste(client);
    assert.match(said[0] ?? "", /^Waiting for a screenshot: 0 of 120 s/);
    const { id } = await uploadTo(viewer, picture);
    const found = foundIn(await answer);
    assert.equal(found.id, id);
    assert.match(found.name, /^solder-paste-height/);
    assert.match(found.text, /Solder paste height/);
    assert.match(said.join("\n"), /\nSaved as screenshots\/sp\/.*\nNamed solder-paste-height/);

    const uri = `viewer://pastes/${id}/optimized.png`;
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === uri));
    const { optimized } = foundIn(await client.callTool({ name: "av_screenshot_latest", arguments: {} }));
    // The file may be replaced once by a better compressed one between the two reads.
    const isTheFile = async () => {
      const [file] = (await client.readResource({ uri })).contents;
      return file && "blob" in file && readFileSync(optimized.absolutePath).equals(Buffer.from(file.blob, "base64"));
    };
    assert.ok((await isTheFile()) || (await isTheFile()));
    const [text] = (await client.readResource({ uri: `viewer://pastes/${id}/text` })).contents;
    assert.ok(text && "text" in text && text.text === found.text);
  });

  test(`a cancelled call ends, and the connection stays usable, ${over}`, async () => {
    const { client } = listenerOf(kind, era);
    const cancel = new AbortController();
    const { answer } = await waitForPaste(client, cancel.signal);
    cancel.abort(new Error("enough"));
    await assert.rejects(answer, /enough/);
    assert.equal((await client.listTools()).tools.length, 3);
  });

  test(`errors name what is wrong: the tool, the field, the resource, ${over}`, async () => {
    const { client } = listenerOf(kind, era);
    await assert.rejects(client.callTool({ name: "av_nonsense", arguments: {} }), /av_nonsense not found/);
    const wrong = async (name: string, args: Record<string, unknown>) => {
      const said = await client.callTool({ name, arguments: args });
      assert.equal(said.isError, true);
      return textOf(said);
    };
    assert.match(await wrong("av_screenshot_latest", { wait_seconds: "soon" }), /^invalid-input: .*\nwait_seconds /);
    assert.match(await wrong("av_screenshot_latest", { wait_seconds: 301 }), /\nwait_seconds /);
    assert.match(await wrong("av_screenshot_latest", { wait: 1 }), /\nwait /);
    assert.match(await wrong("av_screenshot_paste", { title: "x".repeat(201) }), /\ntitle /);
    assert.match(await wrong("av_screenshot_upload", { image: "%%%" }), /\nimage /);
    assert.match(
      await wrong("av_screenshot_upload", { image: Buffer.from("text").toString("base64") }),
      /^not-an-image: /,
    );
    const unknown = "viewer://pastes/20200101-000000-000-abc123/optimized.png";
    await assert.rejects(client.readResource({ uri: unknown }), /not found/i);
  });
}

test("clients that wait at the same time all get the same next paste, over any transport and era", async () => {
  const waiting = CONNECTIONS.map(([kind, era]) => listenerOf(kind, era));
  const calls = await Promise.all(waiting.map(({ client }) => waitForPaste(client)));
  const { id } = await uploadTo(viewer, plain);
  const answers = await Promise.all(calls.map(({ answer }) => answer));
  assert.deepEqual(
    answers.map((answer) => foundIn(answer).id),
    waiting.map(() => id),
  );
});

const NOTIFIED_WITHIN_MS = 3_000;
const MAX_PASTES = 15;
for (const [kind, era] of REACHABLE) {
  test(`a client is notified of a new screenshot, over ${kind}, ${era} era`, async () => {
    const { notified } = listenerOf(kind, era);
    // Over stdio there is no signal that notifications have started, so paste until one arrives.
    const pasted: string[] = [];
    const isNotified = () => pasted.some((id) => notified.some((uri) => uri.includes(id)));
    for (let pastes = 0; pastes < MAX_PASTES && !isNotified(); pastes++) {
      pasted.push((await uploadTo(viewer, plain)).id);
      await until(isNotified, "a notification of the new screenshot", NOTIFIED_WITHIN_MS).catch(() => {});
    }
    assert.ok(isNotified());
  });
}

for (const [kind, era] of REACHABLE) {
  test(`a name from the client's model wins over one from the text, over ${kind}, ${era} era`, async (t) => {
    const asked: unknown[] = [];
    const client = await connectMcp(t, viewer, kind, era, {
      options: { capabilities: { sampling: {} } },
      prepare: (one) =>
        one.setRequestHandler("sampling/createMessage", async ({ params }) => {
          asked.push(params.messages[0]?.content);
          return { role: "assistant", model: "test", content: { type: "text", text: `Paste ${kind} ${era}` } };
        }),
    });
    const { answer } = await waitForPaste(client);
    const { id } = await uploadTo(viewer, picture);
    const found = foundIn(await answer);
    assert.deepEqual([found.id, found.name, found.namedBy], [id, `paste-${kind}-${era}`, "client"]);
    assert.ok(viewer.files().includes(`paste-${kind}-${era}-1000x400.png`));
    assert.equal(asked.length, 1);
    assert.equal((asked[0] as { type: string }).type, "image");
  });
}

test("over stdio it works without a running viewer: the command runs its own and takes the paste", async (t) => {
  const { project } = await newProject(t);
  const client = await connectMcp(t, { url: "", project }, "stdio", "modern");
  assert.equal(foundIn(await client.callTool({ name: "av_screenshot_latest", arguments: {} })).status, "none");
  const image = (await pictureWithoutText("#2b6")).toString("base64");
  const saved = await client.callTool({ name: "av_screenshot_upload", arguments: { image } });
  const { id } = saved.structuredContent as Found;
  const found = foundIn(await client.callTool({ name: "av_screenshot_latest", arguments: {} }));
  assert.equal(found.id, id);
  assert.ok(found.optimized.absolutePath.startsWith(project));
  // Its viewer must end before the folder is removed.
  await client.close();
});
