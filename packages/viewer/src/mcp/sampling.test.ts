import assert from "node:assert/strict";
import { test } from "node:test";
import type { NamedBy } from "@backplane/contract/viewer";
import type { Client } from "@modelcontextprotocol/client";
import { connect, type Era, type TransportKind } from "./clients.suite.ts";
import { memoryAccess } from "./memory-access.suite.ts";

const WITH_MODEL: [TransportKind, Era][] = [
  ["stdio", "legacy"],
  ["stdio", "modern"],
  ["http", "modern"],
];

/** A client whose model answers with this text. Records what it was asked. */
function modelThatSays(words: string) {
  const asked: { messages: { content: unknown }[] }[] = [];
  const prepare = (client: Client) =>
    client.setRequestHandler("sampling/createMessage", async ({ params }) => {
      asked.push(params);
      return { role: "assistant", model: "test", content: { type: "text", text: words } };
    });
  return { asked, connecting: { client: { capabilities: { sampling: {} } }, prepare } };
}

async function pasted(kind: TransportKind, era: Era, words: string, by: NamedBy | null = "text") {
  const access = memoryAccess();
  const model = modelThatSays(words);
  await using connected = await connect(access, kind, era, model.connecting);
  const call = connected.client.callTool({ name: "av_screenshot_latest", arguments: { wait_seconds: 60 } });
  await access.whenWaiting(2);
  const { id } = access.add({}, Buffer.from("a picture"));
  access.nameIt(id, "name-from-before", by);
  const { structuredContent, isError } = await call;
  assert.equal(isError, undefined);
  return { found: structuredContent as { id: string; name: string; namedBy: string }, asked: model.asked, id };
}

for (const [kind, era] of WITH_MODEL) {
  const over = `over ${kind}, ${era} era`;

  test(`the client's model names a screenshot if it offers sampling, ${over}`, async () => {
    const { found, asked, id } = await pasted(kind, era, "Motor Tuning Dashboard");
    assert.deepEqual([found.id, found.name, found.namedBy], [id, "motor-tuning-dashboard", "client"]);
    assert.equal(asked.length, 1);
    assert.deepEqual(asked[0]?.messages[0]?.content, {
      type: "image",
      data: Buffer.from("a picture").toString("base64"),
      mimeType: "image/png",
    });
  });

  test(`an answer that is not a name changes nothing, ${over}`, async () => {
    const { found } = await pasted(kind, era, "I'm sorry, I cannot help with that.");
    assert.deepEqual([found.name, found.namedBy], ["name-from-before", "text"]);
  });

  for (const by of ["you", "model"] as const) {
    test(`a name from ${by === "you" ? "a person" : "the configured model"} stays, and the client is not asked, ${over}`, async () => {
      const { found, asked } = await pasted(kind, era, "another-name", by);
      assert.deepEqual([found.name, asked.length], ["name-from-before", 0]);
    });
  }
}

test("over HTTP in the older era the client is not asked, because it could not answer", async () => {
  const { found, asked } = await pasted("http", "legacy", "another-name");
  assert.deepEqual([found.name, asked.length], ["name-from-before", 0]);
});

test("if the user declines, the name from the text stays, over stdio, legacy era", async () => {
  const access = memoryAccess();
  await using connected = await connect(access, "stdio", "legacy", {
    client: { capabilities: { sampling: {} } },
    prepare: (client) =>
      client.setRequestHandler("sampling/createMessage", async () => {
        throw new Error("User rejected sampling request");
      }),
  });
  const call = connected.client.callTool({ name: "av_screenshot_latest", arguments: { wait_seconds: 60 } });
  await access.whenWaiting(2);
  const { id } = access.add();
  access.nameIt(id, "name-from-before", "text");
  assert.equal(((await call).structuredContent as { name: string }).name, "name-from-before");
});

test("a second round that the server did not start is refused", async () => {
  const access = memoryAccess();
  const { id } = access.add();
  await using connected = await connect(access, "http", "modern");
  const answer = { role: "assistant", model: "x", content: { type: "text", text: "evil-new-name" } };
  const forged = connected.client.request({
    method: "tools/call",
    params: {
      name: "av_screenshot_latest",
      arguments: {},
      inputResponses: { name: answer },
      requestState: JSON.stringify({ id }),
    },
  });
  await assert.rejects(forged, /requestState/);
  assert.notEqual((await access.get(id))?.name, "evil-new-name");
});
