import { readVersionKey, type VersionNumber, versionKey } from "../../versions/version-numbers.ts";

const ENDING = ".zip";

type Named = { version: string; version_epoch?: number };

/** Programs save an archive under the last part of its address, so that part names the package too. */
export const archiveFileName = (identifier: string, version: Named): string =>
  `${identifier}-${versionKey(version)}${ENDING}`;

export const archiveUrl = (baseUrl: string, identifier: string, version: Named): string =>
  `${baseUrl}/registry/archives/${identifier}/${archiveFileName(identifier, version)}`;

/** The version that a file name means; earlier addresses have only the version in it. Undefined if it means none. */
export function readArchiveFileName(identifier: string, file: string): VersionNumber | undefined {
  if (!file.endsWith(ENDING)) return undefined;
  const name = file.slice(0, -ENDING.length);
  const start = `${identifier}-`;
  const isNamed = name.toLowerCase().startsWith(start.toLowerCase());
  return readVersionKey(isNamed ? name.slice(start.length) : name);
}
