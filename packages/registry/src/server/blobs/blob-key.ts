const MAX_KEY_CHARACTERS = 400;

/** Parts that no file system, address or XML reads as something else: no "..", no hidden names, nothing to escape. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const PREFIX = /^([A-Za-z0-9][A-Za-z0-9._-]*\/)*([A-Za-z0-9][A-Za-z0-9._-]*)?$/;

/** Throws when it is none: keys are made by this program, a bad one is its fault. */
export function checkBlobKey(key: string): void {
  if (key.length > MAX_KEY_CHARACTERS || !KEY.test(key)) throw new TypeError("not a key of a blob");
}

export function checkBlobPrefix(prefix: string): void {
  if (prefix.length > MAX_KEY_CHARACTERS || !PREFIX.test(prefix)) throw new TypeError("not a prefix of a blob's key");
}
