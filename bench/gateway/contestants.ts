import { NODE_FLAGS } from "@backplane/kit/supervise";
import { programOf } from "../../scripts/programs.ts";
import { nodeServer } from "../harness/node-server.ts";
import type { ServerOptions } from "../harness/server.ts";
import type { Contestant } from "./contestant.ts";

/** The real process with default settings; an empty value counts as not set. */
function gatewayServer(label: string, redisUrl = ""): ServerOptions {
  return {
    label,
    command: process.execPath,
    args: () => [...NODE_FLAGS, programOf("gateway")],
    env: (port) => ({
      GATEWAY_PORT: String(port),
      BACKPLANE_HOME: "home",
      HOST: "",
      REDIS_URL: redisUrl,
      LOG_LEVEL: "",
    }),
    readyUrl: (port) => `http://127.0.0.1:${port}/ready`,
  };
}

export const gateway: Contestant = {
  label: "gateway",
  dialect: "contract",
  servers: [gatewayServer("gateway")],
};

/** Several instances on one Redis; the generator sends every callback to an instance that does not own the socket. */
export function gatewaysOverRedis(instances: number, redisUrl: string): Contestant {
  const label = `${instances} gateways`;
  const servers = Array.from({ length: instances }, (_, index) => gatewayServer(`gateway ${index + 1}`, redisUrl));
  return { label, dialect: "contract", servers };
}

export const bareWs: Contestant = {
  label: "bare ws",
  dialect: "contract",
  servers: [nodeServer("bare ws", new URL("./bare-ws.ts", import.meta.url), "/health")],
};
