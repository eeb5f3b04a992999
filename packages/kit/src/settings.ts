import { isIP } from "node:net";
import { resolve } from "node:path";
import type { Contact } from "@backplane/contract/registry";
import { readEnvFile } from "./env-file.ts";
import {
  type BackupTimes,
  type Bucket,
  type LogLevel,
  parseAddresses,
  parseAddressRanges,
  parseBackupTimes,
  parseBrands,
  parseBucket,
  parseCommand,
  parseContact,
  parseCount,
  parseDatabaseConnections,
  parseDatabaseUrl,
  parseDays,
  parseDrainDelay,
  parseFramesUrl,
  parseHost,
  parseHostNames,
  parseHttpUrl,
  parseIceServers,
  parseIssuer,
  parseLogLevel,
  parseMqttUrl,
  parseNamerUrl,
  parseOrigins,
  parseOwnerName,
  parseOwnerPassword,
  parsePanelAliases,
  parsePort,
  parsePortOrOff,
  parsePortRange,
  parseProxies,
  parseRedisUrl,
  parseRegistryText,
  parseSize,
  parseSwitch,
  parseToken,
  parseWebSocketUrl,
  parseWorkspace,
} from "./setting-parsers.ts";

export { parseBucket, parseDatabaseUrl } from "./setting-parsers.ts";
export type { BackupTimes, LogLevel };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting. A test compares this list with the README's table; `backplane doctor` uses it. */
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
  "LOGS_FOLDER",
  "BACKPLANE_COMMAND",
  "DATABASE_URL",
  "DATABASE_CONNECTIONS",
  "REDIS_URL",
  "LOG_LEVEL",
  "TRUST_PROXY",
  "ALLOWED_HOSTS",
  "METRICS_TOKEN",
  "DRAIN_DELAY_S",
  "BACKPLANE_OWNER",
  "BACKPLANE_OWNER_PASSWORD",
  "OPEN_REGISTRATION",
  "OPENID_ISSUER",
  "OPENID_CLIENT_ID",
  "OPENID_CLIENT_SECRET",
  "OPENID_NAME",
  "REGISTRY_NAME",
  "REGISTRY_MAINTAINER_NAME",
  "REGISTRY_MAINTAINER_CONTACT",
  "REGISTRY_BRANDS",
  "ARCHIVES_URL",
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "INDEXES_FOLDER",
  "PROJECTS_FOLDER",
  "QUOTA_FILES",
  "QUOTA_ARCHIVES",
  "QUOTA_PACKAGES",
  "FRAMES_URL",
  "PROXY_ALLOW",
  "PANEL_ALIASES",
  "PANEL_ORIGINS",
  "MQTT_PORT",
  "MQTT_URL",
  "SIMULATORS",
  "DEVICES_ALLOW",
  "STREAM_ALLOW",
  "STREAM_HOSTS",
  "STREAM_PORTS",
  "STREAM_TURN",
  "STREAM_TURN_SECRET",
  "RECORDINGS_MAX_BYTES",
  "HISTORY_KEEP",
  "VIEWER_URL",
  "VIEWER_PROJECT",
  "VIEWER_WORKSPACE",
  "NAMER_URL",
  "NAMER_MODEL",
  "NAMER_KEY",
  "BACKUP_TO",
  "BACKUP_EVERY",
  "BACKUP_KEEP",
  "BACKUP_PASSPHRASE_FILE",
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
  /** What the processes print, one file each. */
  logsFolder: string;
  /** How pages and messages write `backplane`, so that it works in a new terminal. The executable that was started sets it. */
  command: string;
  databaseUrl: string | undefined;
  /** Connections to PostgreSQL per process, at most. */
  databaseConnections: number;
  redisUrl: string | undefined;
  logLevel: LogLevel;
  trustProxy: string[];
  /** Host names that requests are served for, besides those of the addresses here; `*.` at the start: all names below. */
  allowedHosts: string[];
  /** With it, callers on other machines may read /metrics. */
  metricsToken: string | undefined;
  /** At a stop, platform and gateway go on serving for this long while /ready is 503. */
  drainDelayMs: number;
  ownerName: string;
  ownerPassword: string | undefined;
  /** Whether anybody who reaches the sign-in page may make an account. */
  openRegistration: boolean;
  openid: OpenidSettings | undefined;
  /** The name of the package repository, as people see it. */
  registryName: string;
  /** Who looks after it. */
  registryMaintainer: Contact | undefined;
  /** The design tools whose spelling of the metadata is served; the first one at the shortest address. */
  registryBrands: string[];
  archives: ArchiveSettings;
  /** Where a web server finds the lists of packages; undefined: nowhere. */
  indexesFolder: string | undefined;
  /** The files of workspaces, one folder each: `@<owner's id>/<repo>`. Instances that work together share it. */
  projectsFolder: string;
  /** What one person or organisation can have. */
  quotas: Quotas;
  /** Where the frames of panels are served, each at a host name of its own in the place of the `*`. */
  framesUrl: string;
  /** Addresses or ranges that web views in proxy mode may reach although they are private. */
  proxyAllow: string[];
  /** More names for kinds of panels: alias → kind. */
  panelAliases: Record<string, string>;
  /** Origins of pages that may drive panels with a token of their own; undefined: any. */
  panelOrigins: string[] | undefined;
  /** Where devices connect by MQTT; undefined: nowhere, or to the broker of `mqttUrl`. */
  mqttPort: number | undefined;
  /** A broker outside, which all instances use. */
  mqttUrl: string | undefined;
  /** Whether people may start simulated devices in the platform. */
  simulators: boolean;
  /** Addresses or ranges that sources of devices may reach although they are private. */
  devicesAllow: string[];
  /** Addresses or ranges of cameras that streams may reach although they are private. */
  streamAllow: string[];
  /** Addresses of this server by which browsers reach the pictures, besides those that it knows of itself. */
  streamHosts: string[];
  /** UDP ports for the pictures, first and last; undefined: any that are free. */
  streamPorts: [number, number] | undefined;
  /** Servers that browsers may use on their way to the pictures. */
  streamRelays: StreamRelays;
  /** What the recordings of one workspace may have together. */
  recordingsMaxBytes: number;
  /** For how many days what devices measured is kept. */
  historyKeepDays: number;
  /** Where people reach the viewer. */
  viewerUrl: string;
  /** The folder whose screenshots the viewer keeps, in `screenshots/sp/`. */
  viewerProject: string;
  /** The workspace, `owner/name`, in which programs open the viewer; undefined: the one that was used last. */
  viewerWorkspace: string | undefined;
  namer: NamerSettings | undefined;
  backups: BackupSettings;
  /** The S3-like store for archives and backups; undefined unless all of it is set. */
  s3: S3Access | undefined;
};

export type BackupSettings = {
  /** A folder, or `s3://bucket/prefix`. */
  to: string;
  /** Undefined: only when somebody asks for one. */
  every: BackupTimes | undefined;
  /** How many are kept there; undefined: all. */
  keep: number | undefined;
  /** With it, backups are encrypted. */
  passphraseFile: string | undefined;
};

/** A model that names screenshots, behind an OpenAI- or Anthropic-compatible address. */
export type NamerSettings = { url: string; model: string; key: string | undefined };

/** Where the archives of packages are kept: a folder on this machine, or a store that speaks the S3 protocol. */
export type ArchiveSettings = { kind: "folder"; folder: string } | ({ kind: "s3" } & S3Settings);

/** A store that speaks the S3 protocol, and our credentials there. */
export type S3Access = { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };

export type S3Settings = S3Access & {
  bucket: string;
  /** Before every key; empty, or with a slash at its end. */
  prefix: string;
};

/** STUN and TURN servers, and the secret that TURN servers share with us. */
export type StreamRelays = { urls: string[]; secret: string | undefined };

/** What one person or organisation can have: bytes of files and screenshots, bytes of published archives, and packages. */
export type Quotas = { fileBytes: number; archiveBytes: number; packages: number };

const GIGABYTE = 1024 ** 3;
/** Two years. */
const DEFAULT_HISTORY_DAYS = 730;
const DEFAULT_QUOTAS: Quotas = { fileBytes: 10 * GIGABYTE, archiveBytes: 10 * GIGABYTE, packages: 1_000 };

const DEFAULT_RECORDINGS_BYTES = 20 * GIGABYTE;

/** The provider through which people may sign in. */
export type OpenidSettings = { issuer: string; clientId: string; clientSecret: string | undefined; name: string };

export type SettingFault = { name: SettingName | ".env"; message: string };

/** Everything that is wrong with the settings, so that a person can fix it all at once. */
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

/** Where a process on this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/** Reads single settings and collects what is wrong with them. */
type Reader = {
  readonly faults: SettingFault[];
  /** An empty value means "not set": that is how compose files and shells unset a variable. */
  given(name: SettingName): string | undefined;
  /** A parser returns the value or throws a sentence that continues the setting's name. */
  read<T>(name: SettingName, parse: (text: string) => T, fallback: T): T;
  /** Adds a fault when a setting that another one depends on is not set. */
  need(name: SettingName, neededBy: SettingName): void;
};

function createReader(environment: Environment): Reader {
  const faults: SettingFault[] = [];
  const given = (name: SettingName): string | undefined => environment[name]?.trim() || undefined;
  return {
    faults,
    given,
    read(name, parse, fallback) {
      const text = given(name);
      if (text === undefined) return fallback;
      try {
        return parse(text);
      } catch (fault) {
        faults.push({ name, message: (fault as Error).message });
        return fallback;
      }
    },
    need(name, neededBy) {
      if (given(name) === undefined) faults.push({ name, message: `is missing: ${neededBy} needs it.` });
    },
  };
}

/** Pure: the same environment and folder give the same settings, or one SettingsFault with every fault in it. */
export function readSettings(environment: Environment, folder: string): Settings {
  const reader = createReader(environment);
  const { faults, given, read } = reader;

  const platformPort = read("PLATFORM_PORT", parsePort, 8790);
  const gatewayPort = read("GATEWAY_PORT", parsePort, 8795);
  const watchdogPort = read("WATCHDOG_PORT", parsePort, 8796);
  const viewerPort = read("VIEWER_PORT", parsePort, 8770);
  faults.push(...sharedPorts({ platformPort, gatewayPort, watchdogPort, viewerPort }));

  const simulators = read("SIMULATORS", parseSwitch, true);
  const baseUrl = read("BASE_URL", parseHttpUrl, `http://localhost:${platformPort}`);
  const gatewayUrl = read("GATEWAY_URL", parseHttpUrl, `http://localhost:${gatewayPort}`);

  const home = resolve(folder, given("BACKPLANE_HOME") ?? ".backplane");
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
    home,
    logsFolder: resolve(folder, given("LOGS_FOLDER") ?? resolve(home, "logs")),
    command: read("BACKPLANE_COMMAND", parseCommand, "backplane"),
    databaseUrl: read<string | undefined>("DATABASE_URL", parseDatabaseUrl, undefined),
    databaseConnections: read("DATABASE_CONNECTIONS", parseDatabaseConnections, 12),
    redisUrl: read<string | undefined>("REDIS_URL", parseRedisUrl, undefined),
    logLevel: read("LOG_LEVEL", parseLogLevel, "info"),
    trustProxy: read("TRUST_PROXY", parseProxies, []),
    allowedHosts: read("ALLOWED_HOSTS", parseHostNames, []),
    metricsToken: read<string | undefined>("METRICS_TOKEN", parseToken, undefined),
    drainDelayMs: read("DRAIN_DELAY_S", parseDrainDelay, 0) * 1_000,
    ownerName: read("BACKPLANE_OWNER", parseOwnerName, "owner"),
    ownerPassword: read<string | undefined>("BACKPLANE_OWNER_PASSWORD", parseOwnerPassword, undefined),
    openRegistration: read("OPEN_REGISTRATION", parseSwitch, false),
    openid: readOpenid(reader),
    registryName: read("REGISTRY_NAME", parseRegistryText, "Backplane packages"),
    registryMaintainer: readMaintainer(reader),
    registryBrands: read("REGISTRY_BRANDS", parseBrands, ["tool", "kicad"]),
    archives: readArchives(reader, home),
    indexesFolder: readPath(reader, "INDEXES_FOLDER", folder),
    projectsFolder: resolve(folder, given("PROJECTS_FOLDER") ?? resolve(home, "projects")),
    quotas: {
      fileBytes: read("QUOTA_FILES", parseSize, DEFAULT_QUOTAS.fileBytes),
      archiveBytes: read("QUOTA_ARCHIVES", parseSize, DEFAULT_QUOTAS.archiveBytes),
      packages: read("QUOTA_PACKAGES", parseCount, DEFAULT_QUOTAS.packages),
    },
    framesUrl: read("FRAMES_URL", parseFramesUrl, framesUrlOf(baseUrl)),
    proxyAllow: read("PROXY_ALLOW", parseAddressRanges, []),
    panelAliases: read<Record<string, string>>("PANEL_ALIASES", parsePanelAliases, {}),
    panelOrigins: read<string[] | undefined>("PANEL_ORIGINS", parseOrigins, []),
    mqttPort: read<number | undefined>("MQTT_PORT", parsePortOrOff, 1883),
    mqttUrl: read<string | undefined>("MQTT_URL", parseMqttUrl, undefined),
    simulators,
    devicesAllow: read("DEVICES_ALLOW", parseAddressRanges, simulators ? ["127.0.0.0/8", "::1"] : []),
    streamAllow: read("STREAM_ALLOW", parseAddressRanges, simulators ? ["127.0.0.0/8", "::1"] : []),
    streamHosts: read("STREAM_HOSTS", parseAddresses, []),
    streamPorts: read<[number, number] | undefined>("STREAM_PORTS", parsePortRange, undefined),
    streamRelays: readStreamRelays(reader),
    recordingsMaxBytes: read("RECORDINGS_MAX_BYTES", parseSize, DEFAULT_RECORDINGS_BYTES),
    historyKeepDays: read("HISTORY_KEEP", parseDays, DEFAULT_HISTORY_DAYS),
    viewerUrl: read("VIEWER_URL", parseHttpUrl, `http://localhost:${viewerPort}`),
    viewerProject: resolve(folder, given("VIEWER_PROJECT") ?? "."),
    viewerWorkspace: read<string | undefined>("VIEWER_WORKSPACE", parseWorkspace, undefined),
    namer: readNamer(reader),
    backups: readBackups(reader, folder, home),
    s3: readS3(reader),
  };
  if (faults.length > 0) throw new SettingsFault(faults);
  return settings;
}

function readPath({ given }: Reader, name: SettingName, folder: string): string | undefined {
  const path = given(name);
  return path === undefined ? undefined : resolve(folder, path);
}

function readOpenid({ given, read, need }: Reader): OpenidSettings | undefined {
  const issuer = read<string | undefined>("OPENID_ISSUER", parseIssuer, undefined);
  const clientId = given("OPENID_CLIENT_ID");
  if (given("OPENID_ISSUER") !== undefined) need("OPENID_CLIENT_ID", "OPENID_ISSUER");
  else if (clientId !== undefined) need("OPENID_ISSUER", "OPENID_CLIENT_ID");
  if (issuer === undefined || clientId === undefined) return undefined;
  const name = given("OPENID_NAME") ?? new URL(issuer).host;
  return { issuer, clientId, clientSecret: given("OPENID_CLIENT_SECRET"), name };
}

function readMaintainer({ given, read, need }: Reader): Contact | undefined {
  const name = read<string | undefined>("REGISTRY_MAINTAINER_NAME", parseRegistryText, undefined);
  const contact = read<Contact["contact"]>("REGISTRY_MAINTAINER_CONTACT", parseContact, {});
  if (given("REGISTRY_MAINTAINER_CONTACT") !== undefined) {
    need("REGISTRY_MAINTAINER_NAME", "REGISTRY_MAINTAINER_CONTACT");
  }
  return name === undefined ? undefined : { name, contact };
}

function readNamer({ given, read, need }: Reader): NamerSettings | undefined {
  const url = read<string | undefined>("NAMER_URL", parseNamerUrl, undefined);
  const model = given("NAMER_MODEL");
  if (given("NAMER_URL") !== undefined) need("NAMER_MODEL", "NAMER_URL");
  else if (model !== undefined) need("NAMER_URL", "NAMER_MODEL");
  return url !== undefined && model !== undefined ? { url, model, key: given("NAMER_KEY") } : undefined;
}

function readStreamRelays({ given, read, need }: Reader): StreamRelays {
  const urls = read("STREAM_TURN", parseIceServers, []);
  const secret = given("STREAM_TURN_SECRET");
  if (urls.some((url) => url.startsWith("turn"))) need("STREAM_TURN_SECRET", "STREAM_TURN");
  else if (secret !== undefined && given("STREAM_TURN") === undefined) need("STREAM_TURN", "STREAM_TURN_SECRET");
  return { urls, secret };
}

function readArchives(reader: Reader, home: string): ArchiveSettings {
  const bucket = reader.read<Bucket | undefined>("ARCHIVES_URL", parseBucket, undefined);
  const inFolder: ArchiveSettings = { kind: "folder", folder: resolve(home, "archives") };
  if (reader.given("ARCHIVES_URL") === undefined) return inFolder;
  needS3(reader, "ARCHIVES_URL");
  const s3 = readS3(reader);
  return bucket && s3 ? { kind: "s3", ...s3, ...bucket } : inFolder;
}

const S3_NEEDED = ["S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;

function needS3({ need }: Reader, neededBy: SettingName): void {
  for (const name of S3_NEEDED) need(name, neededBy);
}

function readS3({ given, read }: Reader): S3Access | undefined {
  const endpoint = read<string | undefined>("S3_ENDPOINT", parseHttpUrl, undefined);
  const accessKeyId = given("S3_ACCESS_KEY_ID");
  const secretAccessKey = given("S3_SECRET_ACCESS_KEY");
  if (!endpoint || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, region: given("S3_REGION") ?? "us-east-1", accessKeyId, secretAccessKey };
}

function readBackups(reader: Reader, folder: string, home: string): BackupSettings {
  const { given, read } = reader;
  const to = given("BACKUP_TO");
  const isS3 = to?.startsWith("s3:") === true;
  if (isS3) {
    read<Bucket | undefined>("BACKUP_TO", parseBucket, undefined);
    needS3(reader, "BACKUP_TO");
  }
  return {
    to: to !== undefined && isS3 ? to : resolve(folder, to ?? resolve(home, "backups")),
    every: read<BackupTimes | undefined>("BACKUP_EVERY", parseBackupTimes, undefined),
    keep: read<number | undefined>("BACKUP_KEEP", parseCount, undefined),
    passphraseFile: readPath(reader, "BACKUP_PASSPHRASE_FILE", folder),
  };
}

/** Every name under localhost is this machine to a browser; any other host needs a wildcard name of its own. */
function framesUrlOf(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = isLoopback(hostname.replace(/^\[|\]$/g, "")) ? "localhost" : hostname;
  return `${protocol}//*.${host}${port === "" ? "" : `:${port}`}`;
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
