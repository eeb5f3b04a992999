import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { GatewayMessage } from "@backplane/contract/gateway";
import { WebSocket } from "ws";
import { type ProgramOf, type Restartable, startRestartable } from "./restartable.ts";

export type RunningGateway = Restartable & { readonly wsUrl: string };

export async function startGateway(env: NodeJS.ProcessEnv = {}, programOf?: ProgramOf): Promise<RunningGateway> {
  const running = await startRestartable({
    name: "gateway",
    portSetting: "GATEWAY_PORT",
    env,
    programOf,
  });
  return Object.assign(running, { wsUrl: `ws://127.0.0.1:${running.port}` });
}

/** A client without our sdk. */
export async function connectClient(gateway: Pick<RunningGateway, "wsUrl">) {
  const socket = new WebSocket(gateway.wsUrl);
  const messages: GatewayMessage[] = [];
  let wake = () => {};
  socket.on("message", (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  await once(socket, "open");
  const next = async (): Promise<GatewayMessage> => {
    while (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.shift() as GatewayMessage;
  };
  const ask = (message: unknown) => {
    socket.send(JSON.stringify(message));
    return next();
  };
  return {
    socket,
    next,
    ask,
    async register(more: Record<string, unknown> = {}) {
      const state = randomUUID();
      const reply = await ask({ type: "register", state, provider: "google", ...more });
      assert.deepEqual(reply, { type: "registered", state });
      return state;
    },
    async [Symbol.asyncDispose]() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
