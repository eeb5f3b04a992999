import { publicKeyOf } from "../../signing/keys.ts";
import { signIndex } from "../../signing/sign.ts";
import {
  type IndexStatement,
  SIGNING_LIMITS,
  type SignedFile,
  type SignedIndex,
  type SigningKey,
} from "../../signing/signed-index.ts";
import type { OldRepository } from "./old-repository.ts";
import type { IndexPart } from "./places.ts";

export type SigningOptions = {
  signingKey: SigningKey;
  /** Keys that sign as well, and are not to be believed from now on: whoever believes them then believes the new one. */
  oldKeys?: readonly SigningKey[] | undefined;
  /** How long clients believe it: build and upload again before it is over. */
  lifeS?: number | undefined;
};

export type Statable = { name: string; brand: string } & Partial<Record<IndexPart, SignedFile>> & {
    packages: SignedFile;
  };

/** The old signature while it says the same and is young; else a new one, which always counts higher. */
export function signRepository(
  stated: Statable,
  { signingKey, oldKeys = [], lifeS = SIGNING_LIMITS.lifeS }: SigningOptions,
  old: OldRepository["signed"],
  nowS: number,
): SignedIndex {
  const signers = [signingKey, ...oldKeys];
  const { name, brand, packages, resources, manifests } = stated;
  const fresh: IndexStatement = {
    format: "backplane-index-1",
    name,
    brand,
    // Seconds, so that it also grows when nobody remembers the last one.
    counter: Math.max(nowS, (old?.statement.counter ?? 0) + 1),
    issued: nowS,
    expires: nowS + lifeS,
    packages,
    ...(resources ? { resources } : {}),
    ...(manifests ? { manifests } : {}),
    keys: [publicKeyOf(signingKey)],
  };
  if (old === undefined) return signIndex(fresh, signers);
  const { counter, issued, expires } = old.statement;
  const again = signIndex({ ...fresh, counter, issued, expires }, signers);
  const renewAfterS = (lifeS * SIGNING_LIMITS.renewAfterS) / SIGNING_LIMITS.lifeS;
  const isYoung = issued <= nowS && nowS < issued + renewAfterS && expires === issued + lifeS;
  return isYoung && JSON.stringify(again) === JSON.stringify(old.index) ? again : signIndex(fresh, signers);
}
