import { createConnect, createGuard } from "@backplane/kit/guard";
import type { Settings } from "@backplane/kit/settings";
import type { Network } from "./link.ts";

export type NetworkSettings = Pick<
  Settings,
  | "baseUrl"
  | "framesUrl"
  | "devicesAllow"
  | "databaseUrl"
  | "redisUrl"
  | "mqttUrl"
  | "mqttPort"
  | "platformPort"
  | "gatewayPort"
  | "watchdogPort"
  | "viewerPort"
>;

/**
 * What sources may connect to: by the rules of the proxy of web views, and never to Backplane's own servers. `ports`:
 * those that browsers refuse, and that are for this.
 */
export function openNetwork(
  settings: NetworkSettings,
  { allow = settings.devicesAllow, ports = [] }: { allow?: readonly string[]; ports?: readonly number[] } = {},
): Network {
  const { baseUrl, framesUrl, platformPort, gatewayPort, watchdogPort, viewerPort, mqttPort } = settings;
  const servers = [settings.databaseUrl, settings.redisUrl, settings.mqttUrl].map(portIn);
  const ownPorts = [platformPort, gatewayPort, watchdogPort, viewerPort, mqttPort, ...servers];
  const guard = createGuard({
    ...{ allow, baseUrl, framesUrl, ports },
    ownPorts: ownPorts.filter((port) => port !== undefined),
  });
  return { guard, connect: createConnect(guard) };
}

/** Usual ports of servers that are addressed without one. */
const USUAL: Readonly<Record<string, number>> = {
  ...{ "postgres:": 5432, "postgresql:": 5432, "redis:": 6379, "rediss:": 6379, "mqtt:": 1883, "mqtts:": 8883 },
};

function portIn(url: string | undefined): number | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { port, protocol } = new URL(url);
  return port === "" ? USUAL[protocol] : Number(port);
}
