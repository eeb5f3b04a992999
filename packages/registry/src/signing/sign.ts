import { sign } from "node:crypto";
import { privateKeyObject } from "./keys.ts";
import { type IndexStatement, SIGNING_LIMITS, type SignedIndex, type SigningKey } from "./signed-index.ts";
import { readStatement } from "./statement.ts";

/**
 * Signs a statement with every one of the keys. Two statements that differ, be it only in their dates, need different
 * counters: clients refuse a second one with the same. To rotate, sign with the old key and the new one, and name only
 * the new one in `keys`: whoever believes the old one then believes the new one instead.
 */
export function signIndex(statement: IndexStatement, keys: readonly SigningKey[]): SignedIndex {
  const bytes = Buffer.from(JSON.stringify(statement));
  if (readStatement(bytes) === undefined) throw new RangeError("The statement is one that no client would believe.");
  if (keys.length === 0 || keys.length > SIGNING_LIMITS.maxKeys) {
    throw new RangeError(`A statement is signed with 1 to ${SIGNING_LIMITS.maxKeys} keys.`);
  }
  const signatures = keys.map((key) => ({
    key_id: key.id,
    signature: sign(null, bytes, privateKeyObject(key)).toString("base64url"),
  }));
  return { statement: bytes.toString("base64url"), signatures };
}
