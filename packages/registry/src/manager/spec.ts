import { readVersionKey } from "../versions/version-key.ts";
import type { VersionNumber } from "../versions/version-number.ts";
import { ManagerFault } from "./manager-fault.ts";

/** `[repository:]identifier[@version]` */
export type Spec = { identifier: string; repository?: string; version?: { text: string; number: VersionNumber } };

/** As the field is: looser than the contract. */
const IDENTIFIER = /^[a-zA-Z][-a-zA-Z0-9._]{0,99}$/;

export function readSpec(text: string, versionAsked?: string): Spec {
  const at = text.lastIndexOf("@");
  const [front, behind] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const colon = front.lastIndexOf(":");
  const identifier = front.slice(colon + 1);
  const repository = colon === -1 ? undefined : front.slice(0, colon);
  if (!IDENTIFIER.test(identifier) || repository === "") {
    throw new ManagerFault(
      "bad-spec",
      `"${text}" does not name a package. Write it as org.example.router, org.example.router@2.3.0 or repository:org.example.router.`,
    );
  }
  if (behind !== undefined && versionAsked !== undefined && behind !== versionAsked) {
    throw new ManagerFault("bad-spec", `Two versions are asked for: ${behind} and ${versionAsked}. Give one.`);
  }
  const version = behind ?? versionAsked;
  return {
    identifier,
    ...(repository === undefined ? {} : { repository }),
    ...(version === undefined ? {} : { version: readVersionAsked(version) }),
  };
}

function readVersionAsked(text: string): { text: string; number: VersionNumber } {
  const number = readVersionKey(text);
  if (number) return { text, number };
  throw new ManagerFault("bad-version", `"${text}" is not a version. Write it as 2.3.0, or with an epoch as 1-2.3.0.`);
}
