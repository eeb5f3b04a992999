import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, WAYS } from "./clients.suite.ts";
import { memoryAccess } from "./memory-access.suite.ts";

const LATEST = "av_screenshot_latest";
/** The server itself waits, too, to notify clients that the list of resources has changed. */
const OWN = 1;

for (const [kind, era] of WAYS) {
  const over = `over ${kind}, ${era} era`;

  test(`with wait_seconds it returns the next paste, not the current one, once it is named, ${over}`, async () => {
    const access = memoryAccess();
    access.add();
    await using connected = await connect(access, kind, era);
    const said: string[] = [];
    const call = connected.client.callTool(
      { name: LATEST, arguments: { wait_seconds: 60 } },
      { onprogress: ({ message = "" }) => said.push(message) },
    );
    await access.whenWaiting(OWN + 1);
    const { id } = access.add();
    access.nameIt(id, "battery-voltage-warning", "text");
    const { structuredContent } = await call;
    assert.equal((structuredContent as { id: string }).id, id);
    assert.equal((structuredContent as { name: string }).name, "battery-voltage-warning");
    assert.match(said[0] ?? "", /^Waiting for a screenshot: 0 of 60 s/);
    assert.match(said.join("\n"), /\nSaved as screenshots\/sp\/sp-.*\nNamed battery-voltage-warning\./);
    await access.whenWaiting(OWN);
  });

  test(`while it waits, it reports progress every few seconds if asked to, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era, { limits: { progressEveryMs: 20 } });
    const third = Promise.withResolvers<number[]>();
    const steps: number[] = [];
    const call = connected.client.callTool(
      { name: LATEST, arguments: { wait_seconds: 60 } },
      {
        onprogress({ progress }) {
          steps.push(progress);
          if (steps.length === 3) third.resolve([...steps]);
        },
      },
    );
    assert.deepEqual(await third.promise, [1, 2, 3]);
    const { id } = access.add();
    access.nameIt(id, null, null);
    await call;
  });

  test(`if nothing is pasted in time, it says so and names the newest, ${over}`, async () => {
    const access = memoryAccess();
    access.add();
    await using connected = await connect(access, kind, era);
    const result = await connected.client.callTool({ name: LATEST, arguments: { wait_seconds: 0.05 } });
    assert.equal(result.isError, undefined);
    const { status, hint } = result.structuredContent as { status: string; hint: string };
    assert.equal(status, "none");
    assert.match(hint, /within 0.05 s. The newest is still screenshots\/sp\/sp-20261115-101500-001-1568x980.png/);
  });

  test(`it does not wait for a name that takes too long, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era, { limits: { namedWithinMs: 30 } });
    const call = connected.client.callTool({ name: LATEST, arguments: { wait_seconds: 60 } });
    await access.whenWaiting(OWN + 1);
    const { name } = access.add();
    const { structuredContent } = await call;
    assert.equal((structuredContent as { name: string }).name, name);
    assert.equal((structuredContent as { isNamed: boolean }).isNamed, false);
    assert.equal(access.waiting.named, 0);
  });

  test(`a client that disconnects leaves nothing waiting, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era);
    const call = connected.client.callTool({ name: LATEST, arguments: { wait_seconds: 60 } });
    const ended = assert.rejects(call);
    await access.whenWaiting(OWN + 1);
    await connected.hangUp();
    await ended;
    await access.whenWaiting(kind === "http" ? OWN : 0);
  });

  // Without sessions, a client of the older era cannot send a cancellation; it disconnects instead.
  if (kind === "http" && era === "legacy") continue;
  test(`a cancelled call stops waiting, and the next one works, ${over}`, async () => {
    const access = memoryAccess();
    await using connected = await connect(access, kind, era);
    const cancel = new AbortController();
    const call = connected.client.callTool(
      { name: LATEST, arguments: { wait_seconds: 60 } },
      { signal: cancel.signal },
    );
    const ended = assert.rejects(call);
    await access.whenWaiting(OWN + 1);
    cancel.abort();
    await ended;
    await access.whenWaiting(OWN);
    const { structuredContent } = await connected.client.callTool({ name: LATEST });
    assert.equal((structuredContent as { status: string }).status, "none");
  });
}

test("beyond the limit of waiting calls, a call is asked to try again later", async () => {
  const access = memoryAccess();
  await using connected = await connect(access, "stdio", "modern", { limits: { maxWaitingCalls: 1 } });
  const { client } = connected;
  const first = client.callTool({ name: LATEST, arguments: { wait_seconds: 60 } });
  await access.whenWaiting(OWN + 1);
  const second = await client.callTool({ name: LATEST, arguments: { wait_seconds: 60 } });
  assert.equal(second.isError, true);
  assert.match((second.content as { text: string }[])[0]?.text ?? "", /^too-many-requests: /);
  const { id } = access.add();
  access.nameIt(id, null, null);
  assert.equal(((await first).structuredContent as { id: string }).id, id);
});
