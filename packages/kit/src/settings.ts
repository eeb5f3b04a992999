import { isIP } from "node:net";
import { resolve } from "node:path";
import { readEnvFile } from "./env-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting there is. The README's table and `backplane doctor` are held against this list. */
export const SETTING_NAMES = [
  "HOST",
  "PLATFORM_PORT",
  "GATEWAY_PORT",
  "WATCHDOG_PORT",
  "VIEWER_PORT",
  "BASE_URL",
  "AUTH_URL",
  "GATEWAY_URL",
  "GATEWAY_WS_URL",
  "GATEWAY_ORIGINS",
  "BACKPLANE_HOME",
  "DATABASE_URL",
  "REDIS_URL",
  "LOG_LEVEL",
  "TRUST_PROXY",
  "BACKPLANE_OWNER",
  "BACKPLANE_OWNER_PASSWORD",
  "OPEN_REGISTRATION",
  "OPENID_ISSUER",
  "OPENID_CLIENT_ID",
  "OPENID_CLIENT_SECRET",
  "OPENID_NAME",
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

export type Settings = {
  host: string;
  platformPort: number;
  gatewayPort: number;
  watchdogPort: number;
  viewerPort: number;
  baseUrl: string;
  authUrl: string;
  gatewayUrl: string;
  gatewayWsUrl: string;
  /** Origins of pages that may connect to the gateway; undefined: any. */
  gatewayOrigins: string[] | undefined;
  home: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  logLevel: LogLevel;
  trustProxy: string[];
  ownerName: string;
  ownerPassword: string | undefined;
  /** Whether anybody who reaches the sign-in page may make an account. */
  openRegistration: boolean;
  openid: OpenidSettings | undefined;
};

/** The provider through which people may sign in. */
export type OpenidSettings = { issuer: string; clientId: string; clientSecret: string | undefined; name: string };

export type SettingFault = { name: SettingName | ".env"; message: string };

/** All that is wrong with the settings, so that a person fixes them in one go. */
export class SettingsFault extends Error {
  override name = "SettingsFault";
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super(faults.map((fault) => `${fault.name} ${fault.message}`).join("\n"));
    this.faults = faults;
  }
}

export type Loaded = { settings: Settings; environment: Environment };

/** The settings of a process: its environment over the folder's `.env` file. Faults of both are thrown together. */
export function loadSettings(environment: Environment, folder: string): Loaded {
  const file = readEnvFile(folder, SETTING_NAMES);
  const faults: SettingFault[] = file.faults.map((message) => ({ name: ".env", message }));
  const merged = { ...file.values, ...environment };
  try {
    const settings = readSettings(merged, folder);
    if (faults.length === 0) return { settings, environment: merged };
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    faults.push(...fault.faults);
  }
  throw new SettingsFault(faults);
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** Where a process of this machine reaches a server that was told to listen on `host`. */
export function localUrl(host: string, port: number): string {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/** Pure: the same environment and folder give the same settings, or one SettingsFault with every fault in it. */
export function readSettings(environment: Environment, folder: string): Settings {
  const faults: SettingFault[] = [];

  // An empty value means "not set": that is how compose files and shells unset a variable.
  const given = (name: SettingName): string | undefined => environment[name]?.trim() || undefined;

  /** Reads one setting; a parser returns the value or throws a sentence that goes after the name. */
  function read<T>(name: SettingName, parse: (text: string) => T, fallback: T): T {
    const text = given(name);
    if (text === undefined) return fallback;
    try {
      return parse(text);
    } catch (fault) {
      faults.push({ name, message: (fault as Error).message });
      return fallback;
    }
  }

  const platformPort = read("PLATFORM_PORT", parsePort, 8790);
  const gatewayPort = read("GATEWAY_PORT", parsePort, 8795);
  const watchdogPort = read("WATCHDOG_PORT", parsePort, 8796);
  const viewerPort = read("VIEWER_PORT", parsePort, 8770);
  faults.push(...sharedPorts({ platformPort, gatewayPort, watchdogPort, viewerPort }));

  const baseUrl = read("BASE_URL", parseHttpUrl, `http://localhost:${platformPort}`);
  const gatewayUrl = read("GATEWAY_URL", parseHttpUrl, `http://localhost:${gatewayPort}`);

  const settings: Settings = {
    host: read("HOST", parseHost, "127.0.0.1"),
    platformPort,
    gatewayPort,
    watchdogPort,
    viewerPort,
    baseUrl,
    authUrl: read("AUTH_URL", parseHttpUrl, baseUrl),
    gatewayUrl,
    gatewayWsUrl: read("GATEWAY_WS_URL", parseWebSocketUrl, gatewayUrl.replace(/^http/, "ws")),
    gatewayOrigins: read<string[] | undefined>("GATEWAY_ORIGINS", parseOrigins, undefined),
    home: resolve(folder, given("BACKPLANE_HOME") ?? ".backplane"),
    databaseUrl: read<string | undefined>("DATABASE_URL", parseDatabaseUrl, undefined),
    redisUrl: read<string | undefined>("REDIS_URL", parseRedisUrl, undefined),
    logLevel: read("LOG_LEVEL", parseLogLevel, "info"),
    trustProxy: read("TRUST_PROXY", parseAddressRanges, []),
    ownerName: read("BACKPLANE_OWNER", parseOwnerName, "owner"),
    ownerPassword: read<string | undefined>("BACKPLANE_OWNER_PASSWORD", parseOwnerPassword, undefined),
    openRegistration: read("OPEN_REGISTRATION", parseSwitch, false),
    openid: readOpenid(),
  };
  if (faults.length > 0) throw new SettingsFault(faults);
  return settings;

  function readOpenid(): OpenidSettings | undefined {
    const issuer = read<string | undefined>("OPENID_ISSUER", parseIssuer, undefined);
    const clientId = given("OPENID_CLIENT_ID");
    if (given("OPENID_ISSUER") === undefined) {
      if (clientId !== undefined)
        faults.push({ name: "OPENID_ISSUER", message: "is missing: OPENID_CLIENT_ID needs it." });
      return undefined;
    }
    if (clientId === undefined)
      faults.push({ name: "OPENID_CLIENT_ID", message: "is missing: OPENID_ISSUER needs it." });
    if (issuer === undefined || clientId === undefined) return undefined;
    const name = given("OPENID_NAME") ?? new URL(issuer).host;
    return { issuer, clientId, clientSecret: given("OPENID_CLIENT_SECRET"), name };
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`is "${text}", not a port: use a number from 1 to 65535.`);
  }
  return port;
}

function sharedPorts(ports: Record<string, number>): SettingFault[] {
  const names = {
    platformPort: "PLATFORM_PORT",
    gatewayPort: "GATEWAY_PORT",
    watchdogPort: "WATCHDOG_PORT",
    viewerPort: "VIEWER_PORT",
  } as const;
  const owners = new Map<number, SettingName>();
  const faults: SettingFault[] = [];
  for (const [key, name] of Object.entries(names)) {
    const port = ports[key] as number;
    const owner = owners.get(port);
    if (owner) faults.push({ name, message: `is ${port}, the same as ${owner}: give each process its own port.` });
    else owners.set(port, name);
  }
  return faults;
}

function parseHost(text: string): string {
  const isName = /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,251}[a-zA-Z0-9])?$/.test(text);
  if (isIP(text) === 0 && !isName)
    throw new Error(`is "${text}", not an address: use one such as 127.0.0.1 or 0.0.0.0.`);
  return text;
}

function parseUrl(text: string, schemes: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !schemes.includes(url.protocol)) {
    throw new Error(
      `does not begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}: use one such as ${example}.`,
    );
  }
  return url;
}

/** An address that others append paths to: nothing after its path, no trailing slash. */
function parsePublicUrl(text: string, schemes: readonly string[], example: string): string {
  const url = parseUrl(text, schemes, example);
  if (url.username || url.password || url.search || url.hash) {
    throw new Error(`holds more than scheme, host, port and path: use one such as ${example}.`);
  }
  return url.href.replace(/\/+$/, "");
}

const parseHttpUrl = (text: string) => parsePublicUrl(text, ["http:", "https:"], "https://backplane.example.org");
const parseWebSocketUrl = (text: string) => parsePublicUrl(text, ["ws:", "wss:"], "wss://gateway.example.org");

function parseOrigins(text: string): string[] | undefined {
  if (text === "*") return undefined;
  return text.split(",").map((part) => {
    const origin = part.trim().toLowerCase();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        `holds "${origin}", not an origin: use origins such as https://app.example.org, with commas between.`,
      );
    }
    return origin;
  });
}

// These two hold passwords: the text itself is never part of a message.
function parseDatabaseUrl(text: string): string {
  refuseBareEscapes(parseUrl(text, ["postgres:", "postgresql:"], "postgres://user:password@localhost:5432/backplane"));
  return text;
}

function parseRedisUrl(text: string): string {
  const url = parseUrl(text, ["redis:", "rediss:"], "redis://localhost:6379");
  refuseBareEscapes(url);
  if (!/^\/?\d{0,5}$/.test(url.pathname))
    throw new Error("names a database that is not a number: use one such as redis://localhost:6379/0.");
  return text;
}

function refuseBareEscapes(url: URL): void {
  try {
    decodeURIComponent(url.username + url.password + url.pathname);
  } catch {
    throw new Error("holds a % that is no escape: write a percent sign as %25.");
  }
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (!level) throw new Error(`is "${text}": use one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}

function parseAddressRanges(text: string): string[] {
  const ranges = text.split(",").map((range) => range.trim());
  const bad = ranges.find((range) => !isAddressRange(range));
  if (bad !== undefined) {
    throw new Error(`holds "${bad}", not an address: use addresses or ranges such as 10.0.0.0/8, with commas between.`);
  }
  return ranges;
}

function isAddressRange(text: string): boolean {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  if (family === 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function parseOwnerName(text: string): string {
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$/.test(text)) {
    throw new Error(`is "${text}": use 1 to 39 letters, digits, dots, dashes or underscores, such as ada.`);
  }
  return text;
}

function parseSwitch(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error(`is "${text}": use true or false.`);
  return text === "true";
}

/** An issuer is compared letter by letter: it stays as it was written. */
function parseIssuer(text: string): string {
  parsePublicUrl(text, ["http:", "https:"], "https://accounts.example.org");
  return text;
}

const MIN_PASSWORD_CHARACTERS = 8;

function parseOwnerPassword(text: string): string {
  if (text.length < MIN_PASSWORD_CHARACTERS) {
    throw new Error(`is too short: use at least ${MIN_PASSWORD_CHARACTERS} characters.`);
  }
  return text;
}
