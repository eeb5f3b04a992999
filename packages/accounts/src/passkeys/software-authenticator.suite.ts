import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type {
  CreatePasskey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  SignInByPasskey,
} from "@backplane/contract/accounts";

type Flags = { present?: boolean; verified?: boolean };

/** What a hostile page, browser or authenticator may claim. */
export type Lies = Flags & {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  counter?: number;
  userHandle?: string | undefined;
  id?: string;
  crossOrigin?: boolean;
  topOrigin?: string;
  /** Like an authenticator that sends the certificate of its manufacturer. */
  certificate?: Buffer;
  tamper?: boolean;
};

type Key = { id: string; privateKey: KeyObject; userHandle: string; rpId: string };

/** An authenticator in memory, with the browser around it: P-256 keys, attestation "none". */
export class SoftwareAuthenticator {
  readonly origin: string;
  readonly keys: Key[] = [];
  /** The counter of the next signature; 0: it does not count. */
  counter = 1;

  constructor(origin: string) {
    this.origin = origin;
  }

  create(options: PasskeyCreationOptions, lies: Lies = {}): CreatePasskey["credential"] {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const id = lies.id ?? randomBytes(32).toString("base64url");
    this.keys.push({ id, privateKey, userHandle: options.user.id, rpId: options.rp.id });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    // RFC 9052, §7: kty EC2, alg ES256, crv P-256.
    const coseKey = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const rawId = Buffer.from(id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(rawId.length);
    const authData = Buffer.concat([
      this.#authenticatorData(lies.rpId ?? options.rp.id, lies, ATTESTED),
      Buffer.alloc(16),
      length,
      rawId,
      cbor(coseKey),
    ]);
    const clientData = this.#clientData("webauthn.create", options.challenge, lies);
    const statement = new Map<string, unknown>();
    if (lies.certificate) {
      statement
        .set("alg", -7)
        .set("sig", sign("sha256", authData, privateKey))
        .set("x5c", [lies.certificate]);
    }
    const attestation = new Map<string, unknown>([
      ["fmt", lies.certificate ? "packed" : "none"],
      ["attStmt", statement],
      ["authData", authData],
    ]);
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: cbor(attestation).toString("base64url"),
        transports: ["internal", "hybrid"],
      },
    };
  }

  get(options: PasskeyRequestOptions, lies: Lies = {}, key = this.keys.at(-1)): SignInByPasskey["credential"] {
    if (!key) throw new Error("this authenticator has no key");
    const authData = this.#authenticatorData(lies.rpId ?? options.rpId, lies, 0);
    const clientData = this.#clientData("webauthn.get", options.challenge, lies);
    const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), key.privateKey);
    // The last byte belongs to a number: the encoding stays valid, the value changes.
    if (lies.tamper) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
    const id = lies.id ?? key.id;
    const userHandle = "userHandle" in lies ? lies.userHandle : key.userHandle;
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    };
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    const { crossOrigin = false, topOrigin } = lies;
    const data = {
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? this.origin,
    };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin, ...(topOrigin ? { topOrigin } : {}) }));
  }

  #authenticatorData(rpId: string, { present = true, verified = true, counter }: Lies, more: number): Buffer {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter ?? this.counter);
    if (counter === undefined && this.counter > 0) this.counter += 1;
    const flags = (present ? PRESENT : 0) | (verified ? VERIFIED : 0) | more;
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted]);
  }
}

// WebAuthn Level 3, §6.1: bits of the authenticator data.
const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

/** The part of RFC 8949 that an attestation needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  if (typeof value === "string") return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return Buffer.concat([cborHead(5, value.size), ...[...value].flat(1).map(cbor)]);
  throw new Error("not needed here");
}

function cborHead(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 0x100) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 0xff]);
}
