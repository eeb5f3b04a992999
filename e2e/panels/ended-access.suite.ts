import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import type { BrowserMessage, ServerMessage, Ticket } from "@backplane/contract/panels";
import { WebSocket } from "ws";
import { makePerson, type Person } from "../support/person.ts";
import { OWNER, type RunningPlatform } from "../support/platform.ts";
import { until } from "../support/processes.ts";
import type { BrowserBench } from "./bench.ts";

/** Far above the promised second, for busy machines, and far below the lease of a socket and the life of a pass. */
const SOON_MS = 30_000;

type Headers = Record<string, string>;
type Holder = { at: RunningPlatform; headers: Headers; owner: string; repo: string };

const post = (at: string, path: string, headers: Headers, body?: object) =>
  fetch(`${at}${path}`, {
    method: "POST",
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function ticketOf({ at, headers, owner, repo }: Holder): Promise<Ticket> {
  const response = await post(at.url, `/api/workspaces/editor/${owner}/${repo}/current/ticket`, headers);
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as Ticket;
}

/** Shows a ticket, and returns the socket with the first answer to it. */
async function showTicket({ at }: Holder, { ticket, socketPath }: Ticket) {
  const socket = new WebSocket(`${at.url.replace("http", "ws")}${socketPath}`);
  const closed = once(socket, "close");
  await once(socket, "open");
  const hello: BrowserMessage = { type: "hello", ticket };
  socket.send(JSON.stringify(hello));
  const [text] = (await once(socket, "message")) as [Buffer];
  return { closed, first: JSON.parse(String(text)) as ServerMessage };
}

async function followEvents({ at, headers, owner, repo }: Holder) {
  const path = `/api/workspaces/editor/${owner}/${repo}/current/events`;
  const response = await fetch(`${at.url}${path}`, { headers: { ...headers, accept: "text/event-stream" } });
  assert.equal(response.status, 200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const readToEnd = async () => {
    while (!(await reader.read()).done);
  };
  return { ended: readToEnd() };
}

/** Enters the frame of a site, as the workspace's page does. */
async function enterFrame({ at, headers, owner, repo }: Holder, site: string) {
  const response = await post(at.url, `/api/panels/webview/${owner}/${repo}/pass`, headers, { url: `${site}/plain` });
  assert.equal(response.status, 200, await response.clone().text());
  const { src } = (await response.json()) as { src: string };
  const { host, origin, pathname, search } = new URL(src);
  const get = async (path: string, cookie = "") => {
    const sent = request(`${at.url}${path}`, { headers: { host, cookie, "sec-fetch-mode": "navigate" }, agent: false });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    return answer;
  };
  const enter = () => get(pathname + search);
  const entered = await enter();
  assert.equal(entered.statusCode, 307);
  const cookie = entered.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
  const socket = new WebSocket(`${at.url.replace("http", "ws")}/echo`, { headers: { host, cookie, origin } });
  const closed = once(socket, "close");
  await once(socket, "open");
  const pageStatus = async () => (await get("/plain", cookie)).statusCode;
  assert.equal(await pageStatus(), 200);
  return { closed, pageStatus, enterStatus: async () => (await enter()).statusCode };
}

/** Takes everything that goes on after its request, and returns a check that all of it ends. */
async function takeAll(holder: Holder, site: string) {
  const [unused, ticket] = [await ticketOf(holder), await ticketOf(holder)];
  const socket = await showTicket(holder, ticket);
  assert.equal(socket.first.type, "welcome");
  const [stream, frame] = await Promise.all([followEvents(holder), enterFrame(holder, site)]);
  const open = new Set(["the workspace's socket", "the event stream", "the framed site's socket"]);
  for (const [name, end] of [
    ["the workspace's socket", socket.closed],
    ["the event stream", stream.ended],
    ["the framed site's socket", frame.closed],
  ] as const) {
    // A connection that is cut has ended too, as at the end of all tests.
    const onEnd = () => open.delete(name);
    void end.then(onEnd, onEnd);
  }
  return {
    open,
    async allEnd(): Promise<void> {
      await until(() => open.size === 0, "all sockets and streams have ended", SOON_MS).catch(() =>
        assert.fail(`still open: ${[...open].join(", ")}`),
      );
      await until(async () => (await frame.pageStatus()) === 403, "the pass has ended", SOON_MS);
      assert.equal(await frame.enterStatus(), 403);
      const late = await showTicket(holder, unused);
      assert.equal(late.first.type === "error" && late.first.code, "not-signed-in");
    },
  };
}

/** What a person or program holds ends with the session, key, membership, share or account that it was taken by. */
export function testEndedAccess(bench: () => Pick<BrowserBench, "workspaces" | "site">): void {
  test("tickets, sockets, event streams and proxy passes end with the session, key, membership, share or account, on every instance", async () => {
    const { workspaces, site } = bench();
    const { pages, owner } = workspaces;
    const [first, last] = [workspaces.instances[0], workspaces.instances.at(-1)] as [RunningPlatform, RunningPlatform];
    const person = await makePerson(owner, pages, "grace");
    const bystander = await takeAll(
      { at: last, headers: { "x-api-key": workspaces.apiKey }, owner: OWNER.name, repo: "bystander" },
      site.url,
    );
    const cookieOf = ({ cookie }: Person): Headers => ({ cookie, origin: last.url });
    const own = (headers: Headers): Holder => ({ at: last, headers, owner: person.name, repo: "ending" });
    const remaining = await person.signIn();

    /** Takes everything, ends its access at the other instance, and waits until all of it has ended. */
    async function check(holder: Holder, end: () => Promise<Response>): Promise<void> {
      const taken = await takeAll(holder, site.url);
      const { status } = await end();
      assert.ok(status === 204 || status === 200, `${status}`);
      await taken.allEnd();
    }

    const signedOut = await person.signIn();
    await check(own(cookieOf(signedOut)), () => signedOut.call(first.url, "/auth/logout", { method: "DELETE" }));

    const ended = await person.signIn();
    const { session } = (await (await ended.call(first.url, "/user")).json()) as { session: { id: string } };
    await check(own(cookieOf(ended)), () =>
      remaining.call(first.url, `/auth/sessions/${session.id}`, { method: "DELETE" }),
    );

    const body = { name: "agent", scopes: ["read", "panels"] };
    const made = await remaining.call(first.url, "/auth/api-keys", { method: "POST", body });
    const { id, key } = (await made.json()) as { id: string; key: string };
    await check(own({ "x-api-key": key }), () =>
      remaining.call(first.url, `/auth/api-keys/${id}`, { method: "DELETE" }),
    );

    const member = `/auth/organisations/lab/members/${person.name}`;
    await owner.call(first.url, "/auth/organisations", { method: "POST", body: { name: "lab" } });
    const inLab = { at: last, headers: cookieOf(remaining), owner: "lab", repo: "ending" };
    const join = async () => {
      await owner.call(first.url, member, { method: "PUT", body: { role: "member" } });
      const joined = await remaining.call(first.url, "/auth/organisations/lab/accept", { method: "POST" });
      assert.equal(joined.status, 200);
    };
    await join();
    await check(inLab, () => remaining.call(first.url, member, { method: "DELETE" }));
    await join();
    await check(inLab, () => owner.call(first.url, member, { method: "DELETE" }));
    await join();
    await check(inLab, () => owner.call(first.url, "/auth/organisations/lab", { method: "DELETE" }));

    const shared = `/api/workspaces/editor/${OWNER.name}/shared`;
    const share = async () => {
      await owner.call(first.url, `${shared}/current`);
      await owner.call(first.url, `${shared}/people/${person.name}`, { method: "PUT" });
      const accepted = await remaining.call(first.url, `${shared}/accept`, { method: "POST" });
      assert.equal(accepted.status, 204);
    };
    const inShared = { at: last, headers: cookieOf(remaining), owner: OWNER.name, repo: "shared" };
    for (const who of [owner, remaining]) {
      await share();
      await check(inShared, () => who.call(first.url, `${shared}/people/${person.name}`, { method: "DELETE" }));
    }

    await check(own(cookieOf(remaining)), () =>
      owner.call(first.url, `/auth/users/${person.name}`, { method: "DELETE" }),
    );
    assert.equal(bystander.open.size, 3, "what others hold goes on");
  });
}
