import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";

/** Undefined unless this is the canonical spelling, so that no two texts mean the same bytes. */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** A raw Ed25519 key in base64url. The id is the first 16 hex digits of its sha256. */
export type PublicKey = { id: string; key: string };

/** The private part is PKCS#8 in base64url. */
export type SigningKey = PublicKey & { privateKey: string };

const RAW_KEY_BYTES = 32;
const ID_HEX_DIGITS = 16;

export function newSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = rawOf(publicKey);
  return { id: keyId(key), key, privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url") };
}

/** The public part. */
export const publicKeyOf = ({ id, key }: SigningKey): PublicKey => ({ id, key });

/** The id of a raw public key in base64url. */
export const keyId = (key: string): string =>
  createHash("sha256").update(Buffer.from(key, "base64url")).digest("hex").slice(0, ID_HEX_DIGITS);

/** A raw public key with the id that belongs to it. */
export function isPublicKey(value: unknown): value is PublicKey {
  if (typeof value !== "object" || value === null) return false;
  const { id, key } = value as Partial<Record<string, unknown>>;
  return typeof key === "string" && fromBase64url(key)?.length === RAW_KEY_BYTES && id === keyId(key);
}

/** A signing key from a file or a table; undefined if its parts do not belong together. */
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
