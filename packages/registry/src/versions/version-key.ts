import { readVersion, type VersionNumber } from "./version-number.ts";

/** A version in an address or a file name: "2.3.0", with an epoch "1-2.3.0". */
export const versionKey = ({ version, version_epoch = 0 }: { version: string; version_epoch?: number }): string =>
  version_epoch === 0 ? version : `${version_epoch}-${version}`;

const KEY = /^(?:([1-9][0-9]{0,15})-)?([0-9.]{1,16})$/;

/** Undefined: it is none. 2.3 and 2.3.0 give the same number. */
export function readVersionKey(key: string): VersionNumber | undefined {
  const [, epoch = "0", version = ""] = KEY.exec(key) ?? [];
  return readVersion(version, Number(epoch));
}
