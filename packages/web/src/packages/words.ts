import type { DetailedVersion, PackageType, Platform } from "@backplane/contract/registry";

const typeNames = new Map<PackageType, { one: string; many: string }>([
  ["plugin", { one: "plugin", many: "plugins" }],
  ["library", { one: "library", many: "libraries" }],
  ["colortheme", { one: "colour theme", many: "colour themes" }],
  ["fab", { one: "fabrication plugin", many: "fabrication plugins" }],
  ["datasource", { one: "data source", many: "data sources" }],
]);

/** A type in words. Types that have no words here are shown as they are. */
export const typeWords = (type: PackageType): string => typeNames.get(type)?.one ?? type;

export const manyOfType = (type: PackageType): string => typeNames.get(type)?.many ?? `packages of type ${type}`;

export const platformWords: Record<Platform, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };

const KILO = 1024;
const units = ["bytes", "KB", "MB", "GB"];

/** 512 bytes, 418 KB, 1.3 MB, 256 MB */
export function sizeWords(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const place = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log(bytes) / Math.log(KILO))));
  const amount = bytes / KILO ** place;
  const digits = place < 2 || amount >= 10 ? 0 : 1;
  // 1,023.7 KB would read as 1,024 KB: that is 1.0 MB.
  if (Number(amount.toFixed(digits)) >= KILO && place < units.length - 1) return `1.0 ${units[place + 1]}`;
  return `${amount.toFixed(digits)} ${units[place]}`;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** today, yesterday, 3 days ago, last week, 2 weeks ago, last month, 4 months ago, last year, 2 years ago */
export function age(at: Date, now: Date): string {
  const days = Math.max(0, Math.round((midnight(now) - midnight(at)) / DAY_MS));
  if (days < 2) return days === 0 ? "today" : "yesterday";
  if (days < 7) return `${days} days ago`;
  if (days < 28) return ago(Math.floor(days / 7), "week");
  if (days < 365) return ago(Math.max(1, Math.floor(days / 30.44)), "month");
  return ago(Math.floor(days / 365.25) || 1, "year");
}

const midnight = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

const ago = (count: number, unit: string): string => (count === 1 ? `last ${unit}` : `${count} ${unit}s ago`);

type Range = Pick<DetailedVersion, "tool_version" | "tool_version_max">;

/** 9.0 and later, 8.0 to 9.0, 9.0 */
export function toolRange({ tool_version: from, tool_version_max: to }: Range): string {
  if (to === undefined) return `${from} and later`;
  return from === to ? from : `${from} to ${to}`;
}

export const platformList = (platforms: readonly Platform[] | undefined): string =>
  platforms === undefined ? "All" : platforms.map((platform) => platformWords[platform]).join(", ");

/** A version in an address: "2.3.0", with an epoch "1-2.3.0". */
export const versionKey = ({ version, version_epoch: epoch = 0 }: { version: string; version_epoch?: number }) =>
  epoch === 0 ? version : `${epoch}-${version}`;

/** The beginning and the end of a hash, for display. */
export const shortHash = (hash: string): string => `${hash.slice(0, 12)}…${hash.slice(-6)}`;

/** 1-layer-stack → Layer stack; a number in front only gives the order. */
export function captionOf(name: string): string {
  const words = name
    .replace(/^\d+[-_. ]+/, "")
    .replace(/[-_]+/g, " ")
    .trim();
  return words === "" ? "Screenshot" : words.charAt(0).toUpperCase() + words.slice(1);
}
