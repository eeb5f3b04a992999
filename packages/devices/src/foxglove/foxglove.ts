import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { DEVICES_LIMITS, FOXGLOVE_PATH, FoxgloveLink } from "@backplane/contract/devices";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { createAllowance } from "@backplane/kit/allowance";
import type { Access } from "@backplane/kit/callers";
import { type App, tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { createSlots } from "@backplane/kit/slots";
import { createTickets } from "@backplane/kit/tickets";
import { type WebSocket, WebSocketServer } from "ws";
import type { OpenHub } from "../hub/hub.ts";
import { aboutDevices, DEVICES, NOT_STORED } from "../route-options.ts";
import type { Dependencies, WorkspaceOf } from "../services.ts";
import { answerPings, GUARDED } from "../socket-guard.ts";
import { type FoxgloveSession, openFoxgloveSession } from "./session.ts";

const { maxTools, maxMessageBytes, closeAboveBytes, toolTicketLifeMs, toolLinkLifeMs } = DEVICES_LIMITS;
/** Two names of one protocol, of older and newer tools. */
const PROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
const MAX_TOOLS = 20 * maxTools;
/** Also notices a tool that is gone without goodbye, and keeps its link for when it connects again. */
const BEAT_MS = 30_000;
const MESSAGES_PER_SECOND = 20;
const MESSAGE_BURST = 200;
const MINUTE_MS = 60_000;
const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, failed: 1011, tryAgain: 1013 } as const;

type Grant = { workspace: WorkspaceOf; access: Access; untilMs: number };

type FoxgloveDependencies = Pick<
  Dependencies,
  "bus" | "now" | "settings" | "openWorkspace" | "followAccess" | "onFault"
> & { openHub(workspaceId: string): Promise<OpenHub | undefined> };

export type FoxgloveServer = {
  addRoutes(app: App): void;
  /** False: the request is for another path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  endOf(workspaceId: string, why: "removed" | "moved"): void;
  close(): void;
};

/**
 * The Foxglove WebSocket protocol: tools of the field attach and look. They can send nothing but an address, so a link
 * with a ticket opens the socket: for one workspace, to look only, and dead soon after it was last used.
 */
export function createFoxglove(dependencies: FoxgloveDependencies): FoxgloveServer {
  const { bus, now, openHub, followAccess, onFault } = dependencies;
  const tickets = createTickets<Grant>(bus.claims, { name: "devices-foxglove", lifeMs: toolTicketLifeMs });
  const slots = createSlots(maxTools, MAX_TOOLS);
  const connected = new Map<WebSocket, string>();
  const server = new WebSocketServer({
    ...{ ...GUARDED, clientTracking: false, maxPayload: maxMessageBytes },
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });

  async function attach(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ticket = new URL(request.url ?? "/", "http://localhost").searchParams.get("ticket");
    const grant = await tickets.keep(ticket);
    if (!grant || grant.untilMs <= now()) return refuse(socket, "401 Unauthorized");
    const release = slots.take(grant.workspace.id);
    if (!release) return refuse(socket, "429 Too Many Requests");
    const ends: (() => void)[] = [release];
    const end = () => {
      for (const one of ends.splice(0)) one();
    };
    try {
      let isOver = false;
      let tool: WebSocket | undefined;
      const stopFollowing = await followAccess(grant.access, () => {
        isOver = true;
        tool?.close(CLOSE.policy, "signed out");
      });
      if (!stopFollowing) throw new Error("the access has ended");
      ends.push(stopFollowing);
      const hub = await openHub(grant.workspace.id);
      if (!hub || isOver || socket.destroyed) throw new Error("nothing to show");
      server.handleUpgrade(request, socket, head, (opened) => {
        tool = opened;
        connected.set(opened, grant.workspace.id);
        ends.push(() => connected.delete(opened));
        opened.once("close", end);
        opened.on("error", () => {});
        answerPings(opened);
        const beat = createBeat(
          opened,
          async () => {
            if (grant.untilMs <= now()) opened.close(CLOSE.policy, "the link has expired");
            else await tickets.keep(ticket);
          },
          onFault,
        );
        ends.push(beat);
        serve(opened, hub, grant).catch((error) => {
          onFault(error);
          opened.close(CLOSE.failed, "failed");
        });
      });
      // Undone by `ws` itself if the handshake is wrong.
      if (!tool) end();
    } catch {
      end();
      refuse(socket, "401 Unauthorized");
    }
  }

  async function serve(tool: WebSocket, hub: OpenHub, { workspace }: Grant): Promise<void> {
    const allowance = createAllowance({ burst: MESSAGE_BURST, perSecond: MESSAGES_PER_SECOND });
    let session: FoxgloveSession | undefined;
    const early: string[] = [];
    tool.on("message", (data, isBinary) => {
      if (!allowance.take()) tool.close(CLOSE.policy, "too many messages");
      else if (isBinary) session?.refuse();
      else if (session) session.take(String(data));
      else early.push(String(data));
    });
    const wire = {
      get unsentBytes() {
        return tool.bufferedAmount;
      },
      send(message: string | Buffer) {
        if (tool.readyState !== tool.OPEN) return;
        tool.send(message, { binary: typeof message !== "string" });
        if (tool.bufferedAmount > closeAboveBytes) tool.terminate();
      },
    };
    const name = `Backplane ${workspace.owner}/${workspace.repo}`;
    const opened = await openFoxgloveSession(wire, { hub, name, now });
    tool.once("close", () => opened.close());
    if (tool.readyState === tool.CLOSED) return opened.close();
    session = opened;
    for (const text of early.splice(0)) opened.take(text);
  }

  return {
    addRoutes: (app) => serveLinks(app, dependencies, (grant) => tickets.issue(grant)),
    upgrade(request, socket, head) {
      if ((request.url ?? "/").split("?", 1)[0] !== FOXGLOVE_PATH) return false;
      socket.on("error", () => {});
      const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
      if (!PROTOCOLS.some((protocol) => offered.includes(protocol))) refuse(socket, "400 Bad Request");
      else
        attach(request, socket, head).catch((error) => {
          onFault(error);
          refuse(socket, "503 Service Unavailable");
        });
      return true;
    },
    endOf(workspaceId, why) {
      for (const [tool, id] of connected) {
        if (id === workspaceId) tool.close(why === "removed" ? CLOSE.policy : CLOSE.tryAgain, why);
      }
    },
    close() {
      for (const tool of connected.keys()) tool.close(CLOSE.goingAway, "restarting: connect again");
      for (const tool of connected.keys()) setTimeout(() => tool.terminate(), 1_000).unref();
      server.close();
    },
  };
}

function refuse(socket: Duplex, status: string): void {
  if (!socket.destroyed) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** Returns what stops it. */
function createBeat(tool: WebSocket, onBeat: () => Promise<void>, onFault: (error: unknown) => void): () => void {
  let isAlive = true;
  tool.on("pong", () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return tool.terminate();
    isAlive = false;
    tool.ping();
    onBeat().catch(onFault);
  }, BEAT_MS);
  return () => clearInterval(timer);
}

function serveLinks(
  app: App,
  { openWorkspace, bus, now, settings, onFault }: FoxgloveDependencies,
  issue: (grant: Grant) => Promise<string>,
): void {
  const limiter = createRateLimiter({
    ...{ name: "devices-foxglove", limit: PANELS_LIMITS.ticketsPerMinute, windowMs: MINUTE_MS },
    ...{ redis: bus.redis, now, onFault },
  });
  app.post(
    `${DEVICES}/foxglove`,
    {
      ...NOT_STORED,
      schema: {
        ...aboutDevices(
          "A link by which Foxglove or Lichtblick shows the devices of the workspace",
          "Enter it there as the address of a Foxglove WebSocket. It only looks. It ends 10 minutes after it was last used, after a day, and with the session or key that made it. Treat it as a secret until then.",
          ["too-many-requests"],
        ),
        response: { 201: FoxgloveLink },
      },
    },
    async (request, reply) => {
      const { workspace, caller, access } = await openWorkspace(request, "read");
      const { allowed, retryAfterMs } = await limiter.take(caller.userId);
      if (!allowed) throw tooManyRequests(retryAfterMs);
      const untilMs = now() + toolLinkLifeMs;
      const { id, owner, repo } = workspace;
      const url = new URL(FOXGLOVE_PATH, settings.baseUrl);
      url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
      url.searchParams.set("ticket", await issue({ workspace: { id, owner, repo }, access, untilMs }));
      return reply.code(201).send({ url: url.href, expiresAt: new Date(untilMs).toISOString() });
    },
  );
}
