import { verify } from "node:crypto";
import { schemaVersionOf } from "../metadata/schema-versions.ts";
import { isRecord, sha256Of } from "../values.ts";
import { fromBase64url, type PublicKey, publicKeyObject } from "./keys.ts";
import {
  type IndexStatement,
  readStatement,
  SIGNED_KEY,
  SIGNING_LIMITS,
  signedPackages,
  type TrustedIndex,
} from "./signed-index.ts";

export type IndexRefusalCode =
  | "unsigned"
  | "malformed"
  | "unknown-key"
  | "bad-signature"
  | "another-repository"
  | "rollback"
  | "changed-without-counting"
  | "expired"
  | "from-the-future";

export type VerifiedIndex =
  | { statement: IndexStatement; trust: TrustedIndex }
  | { unsigned: true }
  | { refusal: { code: IndexRefusalCode; message: string } };

export type VerifyOptions = {
  /** What was remembered about this repository; absent on the first visit, when its own keys are trusted. */
  trusted?: TrustedIndex | undefined;
  /** The tool's brand in which the client reads the repository. */
  brand?: string | undefined;
  nowS: number;
};

/**
 * Verifies a parsed repository.json. Only the statement in it is signed: take the hashes and sizes of the files from
 * there; addresses and times outside of it prove nothing.
 */
export function verifyIndex(repository: Record<string, unknown>, options: VerifyOptions): VerifiedIndex {
  const { trusted, nowS } = options;
  const signed = Object.hasOwn(repository, SIGNED_KEY) ? repository[SIGNED_KEY] : undefined;
  if (signed === undefined) return trusted ? refuse("unsigned") : { unsigned: true };
  const read = readSigned(signed);
  if (read === undefined) return refuse("malformed");
  const { bytes, signatures } = read;

  // If keys are known, the signature is checked before anything in the statement is read.
  const refusedKeys = trusted && whyNotSignedBy(trusted.keys, bytes, signatures);
  if (refusedKeys) return refuse(refusedKeys);
  const statement = readStatement(bytes);
  if (statement === undefined) return refuse("malformed");
  const refusedOwn = trusted ? undefined : whyNotSignedBy(statement.keys, bytes, signatures);
  if (refusedOwn) return refuse(refusedOwn);

  const { name, brand, keys, counter } = statement;
  if (!isAbout(statement, repository, options)) return refuse("another-repository");
  if (!namesSameFiles(statement, repository)) return refuse("bad-signature");
  const statementSha256 = sha256Of(bytes);
  if (trusted && counter < trusted.counter) return refuse("rollback");
  if (trusted && counter === trusted.counter && statementSha256 !== trusted.statementSha256) {
    return refuse("changed-without-counting");
  }
  if (statement.issued > nowS + SIGNING_LIMITS.toleranceS) return refuse("from-the-future");
  if (statement.expires < nowS - SIGNING_LIMITS.toleranceS) return refuse("expired");
  return { statement, trust: { name, brand, keys, counter, statementSha256 } };
}

type Signatures = ReadonlyMap<string, Buffer>;

function readSigned(value: unknown): { bytes: Buffer; signatures: Signatures } | undefined {
  if (!isRecord(value) || typeof value.statement !== "string" || !Array.isArray(value.signatures)) return undefined;
  if (value.statement.length > MAX_STATEMENT_CHARACTERS || value.signatures.length > SIGNING_LIMITS.maxKeys) {
    return undefined;
  }
  const bytes = fromBase64url(value.statement);
  if (bytes === undefined) return undefined;
  const signatures = new Map<string, Buffer>();
  for (const entry of value.signatures as unknown[]) {
    if (!isRecord(entry)) return undefined;
    const { key_id, signature } = entry;
    if (typeof key_id !== "string" || !KEY_ID.test(key_id) || signatures.has(key_id)) return undefined;
    if (typeof signature !== "string" || signature.length > MAX_SIGNATURE_CHARACTERS) return undefined;
    const decoded = fromBase64url(signature);
    if (decoded === undefined) return undefined;
    signatures.set(key_id, decoded);
  }
  return { bytes, signatures };
}

const KEY_ID = /^[a-f0-9]{16}$/;
const MAX_STATEMENT_CHARACTERS = Math.ceil((SIGNING_LIMITS.maxStatementBytes * 4) / 3);
/** 64 bytes. */
const MAX_SIGNATURE_CHARACTERS = 86;

/** One good signature by one of the keys is enough; undefined if there is one. */
function whyNotSignedBy(
  keys: readonly PublicKey[],
  bytes: Buffer,
  signatures: Signatures,
): "unknown-key" | "bad-signature" | undefined {
  const known = keys.filter(({ id }) => signatures.has(id));
  if (known.length === 0) return "unknown-key";
  const isGood = known.some((key) => {
    const signature = signatures.get(key.id);
    return signature !== undefined && verify(null, bytes, publicKeyObject(key), signature);
  });
  return isGood ? undefined : "bad-signature";
}

function isAbout(statement: IndexStatement, repository: Record<string, unknown>, options: VerifyOptions): boolean {
  const { name, brand } = statement;
  const { trusted } = options;
  if (repository.name !== name || (options.brand !== undefined && options.brand !== brand)) return false;
  return trusted === undefined || (trusted.name === name && trusted.brand === brand);
}

function namesSameFiles(statement: IndexStatement, repository: Record<string, unknown>): boolean {
  const { resources, manifests } = statement;
  const packages = signedPackages(statement, schemaVersionOf(repository.schema_version));
  return Object.entries({ packages, resources, manifests }).every(([part, signed]) => {
    const named = repository[part];
    const sha256 = isRecord(named) ? named.sha256 : undefined;
    return sha256 === signed?.sha256 && (named === undefined) === (signed === undefined);
  });
}

const MESSAGES: Readonly<Record<IndexRefusalCode, string>> = {
  unsigned:
    "The repository was signed before and no longer is. Ask its owner; forget its keys only if they confirm this.",
  malformed: "The repository's signed index cannot be read. Try again later, or ask its owner.",
  "unknown-key":
    "The repository's index is signed with a key that is not trusted. Ask its owner whether the key changed; if so, forget its keys.",
  "bad-signature":
    "The repository's index does not match its signature. Somebody on the network may have changed it: try another network.",
  "another-repository":
    "The signed index belongs to another repository or tool. Check the address; forget its keys if the repository was renamed.",
  rollback: "The repository's index is older than one seen before. A mirror may be out of date: try again later.",
  "changed-without-counting":
    "The repository has two different indexes with the same counter. Somebody may have changed one: ask its owner.",
  expired:
    "The repository's index has expired; newer ones may be held back. Check this machine's clock, then ask its owner.",
  "from-the-future": "The repository's index is dated in the future. Check this machine's clock.",
};

const refuse = (code: IndexRefusalCode): VerifiedIndex => ({ refusal: { code, message: MESSAGES[code] } });
