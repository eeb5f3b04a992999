/** The last file version of each KiCad that we write. */
const RELEASES = [
  { kicad: 6, last: 20211123 },
  { kicad: 7, last: 20230121 },
  { kicad: 8, last: 20231120 },
  { kicad: 9, last: 20250114 },
] as const;

/** Before this version, schematics were not S-expressions, or were those of a development version. */
const OLDEST = 20200310;

/** Which KiCad's words and layout a file uses. */
export type Dialect = (typeof RELEASES)[number]["kicad"];

/** Undefined for a version that is later than those we write, or older than KiCad 6. */
export function dialectOf(version: number): Dialect | undefined {
  if (version < OLDEST) return undefined;
  return RELEASES.find((release) => version <= release.last)?.kicad;
}

/** Why a file of this version can only be looked at, or undefined when it can be changed. */
export function readOnlyReason(version: number): string | undefined {
  if (dialectOf(version) !== undefined) return undefined;
  const newest = RELEASES[RELEASES.length - 1];
  if (version < OLDEST)
    return `This file has version ${version}, from before KiCad 6. Save it with a newer KiCad to edit it.`;
  return `This file has version ${version}, which is newer than KiCad ${newest?.kicad ?? ""} (${newest?.last ?? ""}). It can be viewed, not edited.`;
}
