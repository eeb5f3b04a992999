/** Versions are ordered by epoch, major, minor, patch. */
export type VersionNumber = readonly [epoch: number, major: number, minor: number, patch: number];

const VERSION = /^[0-9]{1,4}([.][0-9]{1,4}([.][0-9]{1,6})?)?$/;

/** Missing parts count as 0, so 1.2 and 1.2.0 are the same version. Undefined if it is not a version. */
export function readVersion(version: string, epoch = 0): VersionNumber | undefined {
  if (!VERSION.test(version) || !Number.isSafeInteger(epoch) || epoch < 0) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [epoch, major, minor, patch];
}

/** Positive when `a` is later. A higher epoch is always later. */
export function compareVersions(a: VersionNumber, b: VersionNumber): number {
  for (const [place, part] of a.entries()) {
    const difference = part - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A version in addresses and file names: "2.3.0", or with an epoch "1-2.3.0". */
export const versionKey = ({ version, version_epoch = 0 }: { version: string; version_epoch?: number }): string =>
  version_epoch === 0 ? version : `${version_epoch}-${version}`;

const KEY = /^(?:([1-9][0-9]{0,15})-)?([0-9.]{1,16})$/;

/** Undefined if it is not a version. 2.3 and 2.3.0 give the same number. */
export function readVersionKey(key: string): VersionNumber | undefined {
  const [, epoch = "0", version = ""] = KEY.exec(key) ?? [];
  return readVersion(version, Number(epoch));
}

const TOOL_VERSION = /^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$/;

/** The parts as written: "7.1" is [7, 1]. Undefined if it is not a tool version. */
export function readToolVersion(text: string): readonly number[] | undefined {
  return TOOL_VERSION.test(text) ? text.split(".").map(Number) : undefined;
}

const PARTS = 3;

/** Missing parts of the minimum are 0: 7 means 7.0.0. */
export const isAtLeast = (tool: readonly number[], minimum: readonly number[]): boolean =>
  compare(tool, minimum, PARTS) >= 0;

/** Missing parts of the maximum match anything: 7.1 allows 7.1.5, and 7 allows 7.99. */
export const isAtMost = (tool: readonly number[], maximum: readonly number[]): boolean =>
  compare(tool, maximum, maximum.length) <= 0;

function compare(a: readonly number[], b: readonly number[], parts: number): number {
  for (let part = 0; part < parts; part += 1) {
    const difference = (a[part] ?? 0) - (b[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
