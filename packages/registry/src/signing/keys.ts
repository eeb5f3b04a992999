import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { fromBase64url } from "./base64url.ts";
import type { PublicKey, SigningKey } from "./signed-index.ts";

const RAW_KEY_BYTES = 32;
const ID_HEX_DIGITS = 16;

export function newSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = rawOf(publicKey);
  return { id: keyId(key), key, privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url") };
}

/** The part that may be shown. */
export const publicKeyOf = ({ id, key }: SigningKey): PublicKey => ({ id, key });

/** The id of a raw public key in base64url. */
export const keyId = (key: string): string =>
  createHash("sha256").update(Buffer.from(key, "base64url")).digest("hex").slice(0, ID_HEX_DIGITS);

/** A raw public key with its own id: what may be believed and stored. */
export function isPublicKey(value: unknown): value is PublicKey {
  if (typeof value !== "object" || value === null) return false;
  const { id, key } = value as Partial<Record<string, unknown>>;
  return typeof key === "string" && fromBase64url(key)?.length === RAW_KEY_BYTES && id === keyId(key);
}

/** A signing key of a file or a table: undefined when its parts do not belong together. */
export function readSigningKey(value: unknown): SigningKey | undefined {
  if (!isPublicKey(value)) return undefined;
  const { privateKey } = value as Partial<SigningKey>;
  if (typeof privateKey !== "string") return undefined;
  try {
    const secret = privateKeyObject({ ...value, privateKey });
    if (secret.asymmetricKeyType !== "ed25519" || rawOf(createPublicKey(secret)) !== value.key) return undefined;
  } catch {
    return undefined;
  }
  return { id: value.id, key: value.key, privateKey };
}

export const publicKeyObject = ({ key }: PublicKey): KeyObject =>
  createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: key } });

export const privateKeyObject = ({ privateKey }: SigningKey): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, "base64url"), format: "der", type: "pkcs8" });

function rawOf(publicKey: KeyObject): string {
  const { x } = publicKey.export({ format: "jwk" });
  if (x === undefined) throw new TypeError("The key has no raw form.");
  return x;
}
