/** Epoch, major, minor, patch: what versions are ordered by. */
export type VersionNumber = readonly [epoch: number, major: number, minor: number, patch: number];

const VERSION = /^[0-9]{1,4}([.][0-9]{1,4}([.][0-9]{1,6})?)?$/;

/** Absent parts count as 0, so 1.2 and 1.2.0 are one version. Undefined: it is none by the contract. */
export function readVersion(version: string, epoch = 0): VersionNumber | undefined {
  if (!VERSION.test(version) || !Number.isSafeInteger(epoch) || epoch < 0) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [epoch, major, minor, patch];
}

/** Positive when `a` is later. A higher epoch is later whatever the rest says. */
export function compareVersions(a: VersionNumber, b: VersionNumber): number {
  for (const [place, part] of a.entries()) {
    const difference = part - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
