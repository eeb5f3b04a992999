import { NODE_FLAGS } from "@backplane/kit/supervise";
import { programOf } from "../../scripts/programs.ts";
import { nodeServer } from "../harness/node-server.ts";
import type { ServerOptions } from "../harness/server.ts";

export const OWNER = { name: "owner", password: "bench password" } as const;

/** The real process with default settings; an empty value counts as not set. */
export function platform(label: string, databaseUrl = ""): ServerOptions {
  return {
    label,
    command: process.execPath,
    args: () => [...NODE_FLAGS, programOf("platform")],
    env: (port) => ({
      PLATFORM_PORT: String(port),
      BACKPLANE_HOME: "home",
      BACKPLANE_OWNER: OWNER.name,
      BACKPLANE_OWNER_PASSWORD: OWNER.password,
      BASE_URL: "",
      AUTH_URL: "",
      HOST: "",
      DATABASE_URL: databaseUrl,
      REDIS_URL: "",
      LOG_LEVEL: "",
    }),
    readyUrl: (port) => `http://127.0.0.1:${port}/ready`,
  };
}

export const deviceFlow = nodeServer(
  "oidc-provider",
  new URL("./oidc-device-flow.ts", import.meta.url),
  "/.well-known/openid-configuration",
);

export const bareSse = nodeServer("bare node:http", new URL("./bare-sse.ts", import.meta.url), "/ready");
