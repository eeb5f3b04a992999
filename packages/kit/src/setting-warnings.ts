import { doesRead, type Part } from "./parts.ts";
import { isLoopback, type SettingName, type Settings } from "./settings.ts";
import { isLoopbackUrl } from "./toolbox/loopback.ts";

/** Settings that are valid one by one, but hardly meant together. */
export type SettingWarning = { settings: readonly SettingName[]; sentence: string };

/** An address that people and programs use, and the port where its process listens. */
type Address = { name: SettingName; url: string; port?: number };

type Rule = (settings: Settings, addresses: readonly Address[], part: Part | undefined) => SettingWarning | undefined;

/**
 * What does not fit together, with what to change; for one part, only what concerns it. `backplane up`, `backplane doctor` and
 * every part that runs alone say it at the start. What only several platforms together can know is in `instances/`.
 */
export function settingWarnings(settings: Settings, part?: Part): SettingWarning[] {
  const addresses = addressesOf(settings).filter(({ name }) => part === undefined || doesRead(part, name));
  return RULES.map((rule) => rule(settings, addresses, part)).filter((warning) => warning !== undefined);
}

/** Those that follow from another one are left out: the same mistake is named once. */
function addressesOf(settings: Settings): Address[] {
  const { baseUrl, authUrl, gatewayUrl, gatewayWsUrl, viewerUrl, framesUrl } = settings;
  const isLike = (url: string, other: string) =>
    isEncrypted(url) === isEncrypted(other) && isLoopbackUrl(url) === isLoopbackUrl(other);
  return [
    { name: "BASE_URL", url: baseUrl, port: settings.platformPort },
    ...(isLike(authUrl, baseUrl) ? [] : [{ name: "AUTH_URL", url: authUrl } as const]),
    { name: "GATEWAY_URL", url: gatewayUrl, port: settings.gatewayPort },
    ...(isLike(gatewayWsUrl, gatewayUrl) ? [] : [{ name: "GATEWAY_WS_URL", url: gatewayWsUrl } as const]),
    { name: "VIEWER_URL", url: viewerUrl, port: settings.viewerPort },
    ...(isLike(framesUrl, baseUrl) ? [] : [{ name: "FRAMES_URL", url: framesUrl } as const]),
  ];
}

const isEncrypted = (url: string): boolean => url.startsWith("https:") || url.startsWith("wss:");
const isPublic = ({ url }: Address): boolean => !isLoopbackUrl(url);
const namesOf = (addresses: readonly Address[]): SettingName[] => addresses.map(({ name }) => name);
const listed = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names);
const isOrAre = (names: readonly string[]): string => `${listed(names)} ${names.length === 1 ? "is" : "are"}`;

const proxyIsNotTrusted: Rule = ({ host, trustProxy }, addresses) => {
  const names = namesOf(addresses.filter((address) => isPublic(address) && address.port !== undefined));
  if (names.length === 0 || !isLoopback(host) || trustProxy.length > 0) return undefined;
  return {
    settings: [...names, "HOST", "TRUST_PROXY"],
    sentence: `${isOrAre(names)} public, but HOST ${host} takes connections from this machine only, and TRUST_PROXY is not set: callers behind a proxy all count as one. Set TRUST_PROXY to the address of the proxy, such as 127.0.0.1, or HOST to the address that others connect to.`,
  };
};

const isNotEncrypted: Rule = (_settings, addresses) => {
  const names = namesOf(addresses.filter((address) => isPublic(address) && !isEncrypted(address.url)));
  if (names.length === 0) return undefined;
  return {
    settings: names,
    sentence: `${isOrAre(names)} public without TLS: passwords and tokens can be read on the way, and secure pages cannot load from there. Put a proxy with a certificate in front, and use https${names.includes("GATEWAY_WS_URL") ? " and wss" : ""}.`,
  };
};

const someAreOnlyHere: Rule = (_settings, addresses) => {
  const open = namesOf(addresses.filter(isPublic));
  const here = namesOf(addresses.filter((address) => !isPublic(address)));
  if (open.length === 0 || here.length === 0) return undefined;
  return {
    settings: [...here, ...open],
    sentence: `${isOrAre(open)} public, but ${isOrAre(here)} not: on another machine ${here.length === 1 ? "it leads" : "they lead"} nowhere. Set ${listed(here)} to ${here.length === 1 ? "an address" : "addresses"} that others can open.`,
  };
};

/** Behind a proxy or in a container the ports may differ. */
const portsDiffer: Rule = ({ host, trustProxy }, addresses) => {
  const wrong = addresses.find(
    (address) =>
      address.port !== undefined &&
      !isPublic(address) &&
      !isEncrypted(address.url) &&
      portOf(address.url) !== address.port,
  );
  if (wrong === undefined || !isLoopback(host) || trustProxy.length > 0) return undefined;
  const name =
    wrong.name === "BASE_URL" ? "PLATFORM_PORT" : wrong.name === "GATEWAY_URL" ? "GATEWAY_PORT" : "VIEWER_PORT";
  return {
    settings: [wrong.name, name],
    sentence: `${wrong.name} has port ${portOf(wrong.url)}, but ${name} is ${wrong.port}: unless something forwards from one to the other, nothing answers there. Give both the same port.`,
  };
};

const portOf = (url: string): number => Number(new URL(url).port || 80);

const othersAreRefused: Rule = ({ host, allowedHosts }, addresses) => {
  const own = addresses.filter(({ port }) => port !== undefined);
  if (isLoopback(host) || allowedHosts.length > 0 || own.some(isPublic)) return undefined;
  const names = namesOf(own);
  return {
    settings: ["HOST", ...names],
    sentence: `HOST ${host} takes connections from other machines, but ${isOrAre(names)} only for this one: requests for another host name get 421. Set ${listed(names)} to what others open, or ALLOWED_HOSTS to its host name.`,
  };
};

const loadBalancerWithoutCluster: Rule = ({ drainDelayMs, databaseUrl, redisUrl }, _addresses, part) => {
  if (drainDelayMs === 0 || part === "viewer") return undefined;
  const missing: SettingName[] = [];
  if (databaseUrl === undefined && (part === undefined || part === "platform")) missing.push("DATABASE_URL");
  if (redisUrl === undefined) missing.push("REDIS_URL");
  if (missing.length === 0) return undefined;
  return {
    settings: ["DRAIN_DELAY_S", ...missing],
    sentence: `DRAIN_DELAY_S is set, as for several instances behind a load balancer, but ${isOrAre(missing)} not: several instances need ${missing.length === 1 ? "it" : "both"}. For a single instance, leave out DRAIN_DELAY_S: it only makes stops slower.`,
  };
};

const archivesAreNotShared: Rule = ({ archives, databaseUrl, redisUrl }, _addresses, part) => {
  if (part !== undefined && part !== "platform") return undefined;
  if (archives.kind !== "folder" || databaseUrl === undefined || redisUrl === undefined) return undefined;
  if (isLoopbackUrl(databaseUrl.replace(/^postgres(ql)?:/, "http:"))) return undefined;
  return {
    settings: ["DATABASE_URL", "REDIS_URL", "ARCHIVES_URL"],
    sentence: `DATABASE_URL and REDIS_URL are set, as for platforms on several machines, but archives are in ${archives.folder}: the others do not have them unless they share that folder. Set ARCHIVES_URL to the same store for all of them.`,
  };
};

const devicesNeedBroker: Rule = ({ redisUrl, mqttUrl, mqttPort }, _addresses, part) => {
  if (part !== undefined && part !== "platform") return undefined;
  if (redisUrl === undefined || mqttUrl !== undefined || mqttPort === undefined) return undefined;
  return {
    settings: ["REDIS_URL", "MQTT_URL"],
    sentence:
      "REDIS_URL is set, as for several platforms, but MQTT_URL is not: devices cannot connect, because all platforms need the same broker. Set MQTT_URL to one, such as mqtt://localhost:1883, or MQTT_PORT to off if there are no devices.",
  };
};

const mqttIsNotEncrypted: Rule = ({ host, mqttPort, mqttUrl, redisUrl }, _addresses, part) => {
  if (part !== undefined && part !== "platform") return undefined;
  if (mqttUrl !== undefined) {
    if (!mqttUrl.startsWith("mqtt:") || isLoopbackUrl(mqttUrl.replace(/^mqtt:/, "http:"))) return undefined;
    return {
      settings: ["MQTT_URL"],
      sentence:
        "MQTT_URL leads to another machine, unencrypted: its password, and commands to devices, can be read and changed on the way. Use mqtts://, or a network that only they are in.",
    };
  }
  if (mqttPort === undefined || redisUrl !== undefined || isLoopback(host)) return undefined;
  return {
    settings: ["HOST", "MQTT_PORT"],
    sentence: `With HOST ${host}, devices connect from other machines to MQTT_PORT ${mqttPort} unencrypted: their keys can be read on the way. Set MQTT_URL to a broker that has TLS, use a network that only they are in, or set MQTT_PORT to off if there are no devices.`,
  };
};

const RULES: readonly Rule[] = [
  proxyIsNotTrusted,
  isNotEncrypted,
  someAreOnlyHere,
  portsDiffer,
  othersAreRefused,
  loadBalancerWithoutCluster,
  archivesAreNotShared,
  devicesNeedBroker,
  mqttIsNotEncrypted,
];
