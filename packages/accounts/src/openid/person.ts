import { ACCOUNT_LIMITS, OPENID_LIMITS } from "@backplane/contract/accounts";
import type { PersonClaims } from "./provider.ts";

const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The address, if the provider has seen that the person reads its mail. */
export function verifiedEmail({ email, email_verified }: PersonClaims): string | undefined {
  if (email_verified !== true || typeof email !== "string") return undefined;
  return EMAIL.test(email) && email.length <= ACCOUNT_LIMITS.maxEmailLength ? email : undefined;
}

export function displayName({ name }: PersonClaims): string {
  if (typeof name !== "string") return "";
  const plain = name.replace(/\p{C}/gu, "").trim();
  return plain.slice(0, ACCOUNT_LIMITS.maxDisplayNameLength).trim().toWellFormed();
}

/** Names to try in turn, from what the person is called elsewhere. */
export function* nameCandidates(claims: PersonClaims, newSuffix: () => string): Generator<string> {
  const { preferred_username, email, name } = claims;
  const base = [preferred_username, email, name].map(derivedName).find((derived) => derived !== "") ?? "person";
  yield base;
  for (let number = 2; number <= OPENID_LIMITS.maxNumberedNames; number += 1) yield `${base}-${number}`;
  for (let attempt = 0; attempt < OPENID_LIMITS.maxRandomNames; attempt += 1) yield `${base}-${newSuffix()}`;
}

/** As NAME_PATTERN has it; empty when nothing of it is left. Of an address, what is before the @. */
function derivedName(text: unknown): string {
  if (typeof text !== "string") return "";
  const [local = ""] = text.slice(0, 256).split("@");
  const plain = local
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  return plain.slice(0, OPENID_LIMITS.maxDerivedNameLength).replace(/[._-]+$/, "");
}
