import { isIP } from "node:net";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// Each returns the value, or throws a sentence that continues the setting's name.

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`is "${text}", not a port: use a number from 1 to 65535.`);
  }
  return port;
}

export const parsePortOrOff = (text: string): number | undefined => (text === "off" ? undefined : parsePort(text));

export function parseHost(text: string): string {
  const isName = /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,251}[a-zA-Z0-9])?$/.test(text);
  if (isIP(text) === 0 && !isName)
    throw new Error(`is "${text}", not an address: use one such as 127.0.0.1 or 0.0.0.0.`);
  return text;
}

export function parseHostNames(text: string): string[] {
  return text.split(",").map((part) => {
    const name = part.trim().toLowerCase();
    if (isIP(name) === 0 && !/^(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?$/.test(name)) {
      throw new Error(
        `contains "${name}", which is not a host name: use names such as backplane.example.org, without scheme and port, separated by commas.`,
      );
    }
    return name;
  });
}

/** What people paste into a terminal: one line, as it is shown. */
export function parseCommand(text: string): string {
  if (!/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,1000}$/u.test(text)) {
    throw new Error("is not a command: use one line of at most 1000 characters, such as /opt/backplane/backplane.");
  }
  return text;
}

/** As long as the tokens that we make; the text itself is never part of a message. */
export function parseToken(text: string): string {
  if (!/^[\x21-\x7e]{32,256}$/.test(text)) {
    throw new Error("is not a token: use 32 to 256 letters, digits or signs without spaces.");
  }
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
    throw new Error(`contains more than scheme, host, port and path: use one such as ${example}.`);
  }
  return url.href.replace(/(?<!\/)\/+$/, "");
}

export const parseHttpUrl = (text: string) =>
  parsePublicUrl(text, ["http:", "https:"], "https://backplane.example.org");
export const parseWebSocketUrl = (text: string) => parsePublicUrl(text, ["ws:", "wss:"], "wss://gateway.example.org");

export const parseNamerUrl = (text: string) =>
  parsePublicUrl(text, ["http:", "https:"], "https://api.example.org/v1/chat/completions");

export function parseWorkspace(text: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]*\/[a-zA-Z0-9_][a-zA-Z0-9._-]*$/.test(text)) {
    throw new Error(`is "${text}", not a workspace: use owner/name, such as fieldworks/rover.`);
  }
  return text;
}

export function parseOrigins(text: string): string[] | undefined {
  if (text === "*") return undefined;
  return text.split(",").map((part) => {
    const origin = part.trim().toLowerCase();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        `contains "${origin}", which is not an origin: use origins such as https://app.example.org, separated by commas.`,
      );
    }
    return origin;
  });
}

// These two contain passwords: the text itself is never part of a message.
export function parseDatabaseUrl(text: string): string {
  refuseBareEscapes(parseUrl(text, ["postgres:", "postgresql:"], "postgres://user:password@localhost:5432/backplane"));
  return text;
}

export function parseRedisUrl(text: string): string {
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
    throw new Error("contains a % that is not an escape: write a percent sign as %25.");
  }
}

/** The path is not used: every workspace has topics of its own there. */
export function parseMqttUrl(text: string): string {
  const url = parseUrl(text, ["mqtt:", "mqtts:"], "mqtt://localhost:1883");
  refuseBareEscapes(url);
  return text;
}

export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (!level) throw new Error(`is "${text}": use one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}

export function parseAddressRanges(text: string): string[] {
  const ranges = text.split(",").map((range) => range.trim());
  const bad = ranges.find((range) => !isAddressRange(range));
  if (bad !== undefined) {
    throw new Error(
      `contains "${bad}", which is not an address: use addresses or ranges such as 10.0.0.0/8, separated by commas.`,
    );
  }
  return ranges;
}

export function parseAddresses(text: string): string[] {
  const addresses = text.split(",").map((address) => address.trim());
  const bad = addresses.find((address) => isIP(address) === 0);
  if (bad !== undefined) {
    throw new Error(`contains "${bad}": use addresses such as 203.0.113.7, separated by commas.`);
  }
  return addresses;
}

export function parsePortRange(text: string): [number, number] {
  const [first = "", last = "", ...more] = text.split("-").map((part) => part.trim());
  if (last === "" || more.length > 0) throw new Error(`is "${text}": use a range of ports such as 50000-50199.`);
  const range: [number, number] = [parsePort(first), parsePort(last)];
  if (range[0] > range[1]) throw new Error(`is "${text}": write the lower port first, such as 50000-50199.`);
  return range;
}

const ICE_SERVER = /^(?:stuns?:[a-z0-9.[\]:-]{1,260}|turns?:[a-z0-9.[\]:-]{1,260}(?:\?transport=(?:udp|tcp))?)$/i;

export function parseIceServers(text: string): string[] {
  const urls = text.split(",").map((url) => url.trim());
  const bad = urls.find((url) => !ICE_SERVER.test(url));
  if (bad !== undefined) {
    throw new Error(`contains "${bad}": use servers such as turn:turn.example.org:3478, separated by commas.`);
  }
  return urls;
}

/** Trusting everybody would let any caller claim any address. */
export function parseProxies(text: string): string[] {
  const ranges = parseAddressRanges(text);
  const every = ranges.find((range) => range.endsWith("/0"));
  if (every !== undefined) throw new Error(`contains ${every}, which trusts everybody: name only your proxies.`);
  return ranges;
}

function isAddressRange(text: string): boolean {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  if (family === 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

const MIN_DATABASE_CONNECTIONS = 3;
const MAX_DATABASE_CONNECTIONS = 500;

export function parseDatabaseConnections(text: string): number {
  const count = Number(text);
  if (!/^\d{1,3}$/.test(text) || count < MIN_DATABASE_CONNECTIONS || count > MAX_DATABASE_CONNECTIONS) {
    throw new Error(`is "${text}": use a number from ${MIN_DATABASE_CONNECTIONS} to ${MAX_DATABASE_CONNECTIONS}.`);
  }
  return count;
}

const MAX_DRAIN_DELAY_S = 60;

export function parseDrainDelay(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,2}$/.test(text) || seconds > MAX_DRAIN_DELAY_S) {
    throw new Error(`is "${text}": use whole seconds from 0 to ${MAX_DRAIN_DELAY_S}.`);
  }
  return seconds;
}

export function parseOwnerName(text: string): string {
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,37}[a-zA-Z0-9])?$/.test(text)) {
    throw new Error(`is "${text}": use 1 to 39 letters, digits, dots, dashes or underscores, such as ada.`);
  }
  return text;
}

/** In repository.json, of names and contacts. */
const MAX_REGISTRY_TEXT_CHARACTERS = 500;

export function parseRegistryText(text: string): string {
  if (text.length > MAX_REGISTRY_TEXT_CHARACTERS) {
    throw new Error(`is too long: use at most ${MAX_REGISTRY_TEXT_CHARACTERS} characters.`);
  }
  return text;
}

/** Under the keys that package metadata uses for the two. */
export function parseContact(text: string): { email: string } | { web: string } {
  parseRegistryText(text);
  if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : "")) return { web: text };
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return { email: text };
  throw new Error(`is "${text}", which is neither an email address nor a web address that begins with https://.`);
}

/** A brand is part of a field's name and of an address; these addresses are taken. */
const RESERVED_BRANDS = new Set([
  ...["packages", "archives", "indexes", "manifests", "search", "keys"],
  ...["addresses", "private"],
]);
const MAX_BRANDS = 8;

export function parseBrands(text: string): string[] {
  const brands = text.split(",").map((brand) => brand.trim());
  const bad = brands.find((brand) => !/^[a-z][a-z0-9]{0,30}$/.test(brand) || RESERVED_BRANDS.has(brand));
  if (bad !== undefined) {
    throw new Error(
      `contains "${bad}", which is not a brand: use lower-case names such as tool,kicad, separated by commas.`,
    );
  }
  if (new Set(brands).size < brands.length) throw new Error("names a brand twice: name each once.");
  if (brands.length > MAX_BRANDS) throw new Error(`names ${brands.length} brands: use at most ${MAX_BRANDS}.`);
  return brands;
}

export type Bucket = { bucket: string; prefix: string };

export function parseBucket(text: string): Bucket {
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  if (bucket === undefined || path.split("/").includes("..")) {
    throw new Error(`is "${text}", not a bucket: use one such as s3://backplane/archives.`);
  }
  const prefix = path.replace(/^\/+|(?<!\/)\/+$/g, "");
  return { bucket, prefix: prefix === "" ? "" : `${prefix}/` };
}

/** An address with a star as the first part of its host, without a path. */
export function parseFramesUrl(text: string): string {
  if (!/^https?:\/\/\*(\.[a-z0-9-]+)+(:\d{1,5})?\/?$/i.test(text)) {
    throw new Error(
      `is "${text}", not an address that begins with a star: use one such as https://*.panels.example.org.`,
    );
  }
  return text.replace(/\/$/, "").toLowerCase();
}

export function parseSwitch(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error(`is "${text}": use true or false.`);
  return text === "true";
}

/** An issuer is compared letter by letter: it stays as it was written. */
export function parseIssuer(text: string): string {
  parsePublicUrl(text, ["http:", "https:"], "https://accounts.example.org");
  return text;
}

const MIN_PASSWORD_CHARACTERS = 8;

export function parseOwnerPassword(text: string): string {
  if (text.length < MIN_PASSWORD_CHARACTERS) {
    throw new Error(`is too short: use at least ${MIN_PASSWORD_CHARACTERS} characters.`);
  }
  return text;
}

const MAX_PANEL_ALIASES = 100;

/** Whether the kinds exist is for the catalog to say. */
export function parsePanelAliases(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => {
    const [, alias, kind] = /^\s*([\w.-]{1,60}\/[\w.-]{1,59})\s*=\s*([a-z0-9-]{1,40})\s*$/.exec(pair) ?? [];
    if (alias === undefined || kind === undefined) {
      throw new Error(
        `contains "${pair.trim()}", which is not an alias: use pairs such as acme/page=webview, separated by commas.`,
      );
    }
    return [alias, kind] as const;
  });
  if (pairs.length > MAX_PANEL_ALIASES) {
    throw new Error(`has ${pairs.length} aliases: use at most ${MAX_PANEL_ALIASES}.`);
  }
  return Object.fromEntries(pairs);
}

const BYTES = { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;

/** From 1MB to 9999TB: far below what a number can count exactly. */
export function parseSize(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3}) ?([MGT]B)$/i.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new Error(`is "${text}", not a size: use a whole number up to 9999 with MB, GB or TB, such as 10GB.`);
  }
  return Number(count) * BYTES[unit.toUpperCase() as keyof typeof BYTES];
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`is "${text}": use a whole number from 1 to 999999.`);
  return Number(text);
}

export function parseDays(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`is "${text}": use a number of days from 1 to 9999.`);
  return Number(text);
}

/** Every so many milliseconds, or once per day at a minute of the day (UTC). */
export type BackupTimes = { everyMs: number } | { minuteOfDay: number };

const HOUR_MS = 3_600_000;

export function parseBackupTimes(text: string): BackupTimes {
  const [, count, unit] = /^([1-9]\d{0,2})([hd])$/.exec(text) ?? [];
  if (count !== undefined) return { everyMs: Number(count) * (unit === "d" ? 24 : 1) * HOUR_MS };
  const [, hours, minutes] = /^daily at ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined)
    throw new Error(`is "${text}": use a time span such as 6h or 7d, or "daily at 03:30" (UTC).`);
  return { minuteOfDay: Number(hours) * 60 + Number(minutes) };
}
