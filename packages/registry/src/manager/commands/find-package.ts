import type { Package, PackageVersion } from "@backplane/contract/registry";
import { isLooseIdentifier } from "../../values.ts";
import { compareVersions, readVersion, readVersionKey, type VersionNumber } from "../../versions/version-numbers.ts";
import { ManagerFault } from "../faults.ts";
import type { RepositoryName } from "../manager-types.ts";
import { findRepository } from "../repositories/configured.ts";
import type { RepositoryList } from "../repositories/lists.ts";

/** `[repository:]identifier[@version]` */
export type Spec = { identifier: string; repository?: string; version?: { text: string; number: VersionNumber } };

export function readSpec(text: string, versionAsked?: string): Spec {
  const at = text.lastIndexOf("@");
  const [front, behind] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const colon = front.lastIndexOf(":");
  const identifier = front.slice(colon + 1);
  const repository = colon === -1 ? undefined : front.slice(0, colon);
  if (!isLooseIdentifier(identifier) || repository === "") {
    throw new ManagerFault(
      "bad-spec",
      `"${text}" does not name a package. Write it as org.example.router, org.example.router@2.3.0 or repository:org.example.router.`,
    );
  }
  if (behind !== undefined && versionAsked !== undefined && behind !== versionAsked) {
    throw new ManagerFault("bad-spec", `Two versions were given: ${behind} and ${versionAsked}. Give only one.`);
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

type FoundPackage = { package: Package; list: RepositoryList; alsoIn: RepositoryName[] };

/** Why each repository is, or is not, the one to take the package from. */
type RepositoryChoice = { list: RepositoryList; has: boolean; chosen: boolean; because: string };

/**
 * The first repository that lists the package, unless one is named or the package was installed from one: another
 * repository that lists the same identifier must not be able to take over updates.
 */
export function chooseRepository(
  lists: readonly RepositoryList[],
  { identifier, repository }: Spec,
  installedFrom?: { id: string; name: string },
): RepositoryChoice[] {
  const named = repository === undefined ? undefined : findRepository(lists, repository);
  let chosen: RepositoryList | undefined;
  let passedOver: RepositoryList | undefined;
  return lists.map((list) => {
    const has = list.listed?.has(identifier) === true;
    const say = (because: string) => ({ list, has, chosen: false, because });
    const take = (because: string) => {
      chosen = list;
      return { list, has, chosen: true, because };
    };
    if (named) {
      if (list.id !== named.id) return say(`${named.name} was named`);
      return has ? take("it was named") : say(whyHasNot(list, identifier));
    }
    if (installedFrom) {
      if (list.id !== installedFrom.id) return say(`it is installed from ${installedFrom.name}`);
      return has ? take("it is installed from here") : say(whyHasNot(list, identifier));
    }
    if (list.listed === undefined || leftOutOf(list, identifier)) passedOver ??= list;
    if (!has) return say(whyHasNot(list, identifier));
    if (chosen) return say(`${chosen.name} comes first`);
    if (passedOver?.listed) return say(`${passedOver.name} comes first and lists it with an error`);
    if (passedOver) return say(`${passedOver.name} comes first and could not be read; it may have it too`);
    return take("it is the first that has it");
  });
}

/** Why the package was left out of a list that contains it. */
const leftOutOf = ({ listed, warnings }: RepositoryList, identifier: string): string | undefined =>
  listed?.has(identifier)
    ? undefined
    : warnings.find((each) => each.rule === "schema" && each.identifier === identifier)?.message;

function whyHasNot(list: RepositoryList, identifier: string): string {
  const { listed, fault } = list;
  if (listed !== undefined) return leftOutOf(list, identifier) ?? "it does not list it";
  return fault ? `its list cannot be used: ${fault.message}` : "its list was not downloaded yet";
}

export function findPackage(
  lists: readonly RepositoryList[],
  spec: Spec,
  installedFrom?: { id: string; name: string },
): FoundPackage {
  const { identifier } = spec;
  if (lists.length === 0) {
    throw new ManagerFault("no-repositories", "No repository is configured. Add one by its address first.");
  }
  const choices = chooseRepository(lists, spec, installedFrom);
  const chosen = choices.find((choice) => choice.chosen)?.list;
  const found = chosen?.listed?.get(identifier);
  if (chosen && found) {
    const alsoIn = choices
      .filter(({ has, list }) => has && list !== chosen)
      .map(({ list: { id, name, url } }) => ({ id, name, url }));
    return { package: found, list: chosen, alsoIn };
  }
  throw whyNotFound(choices, spec, installedFrom);
}

/** For an installed package that its own repository has dropped, and that no other one lists. */
export function whyUnlisted(
  lists: readonly RepositoryList[],
  identifier: string,
  installedFrom: { id: string },
): string | undefined {
  const own = lists.find(({ id }) => id === installedFrom.id);
  if (own?.listed === undefined || leftOutOf(own, identifier) !== undefined) return undefined;
  if (lists.some(({ listed }) => listed?.has(identifier))) return undefined;
  return `${own.name} no longer lists ${identifier}: all its versions were unpublished, or it is private now. The installed version stays.`;
}

function whyNotFound(
  choices: readonly RepositoryChoice[],
  { identifier, repository }: Spec,
  installedFrom: { id: string; name: string } | undefined,
): ManagerFault {
  const lists = choices.map(({ list }) => list);
  const elsewhere = choices.find(({ has }) => has)?.list.name;
  const unread = lists.find(({ listed }) => listed === undefined);
  const named = repository === undefined ? undefined : findRepository(lists, repository);
  const bound = named ?? lists.find(({ id }) => id === installedFrom?.id);
  if (bound && "fault" in bound && bound.fault && bound.listed === undefined) return bound.fault;
  const faulty = (bound ? [bound] : lists).find((list) => leftOutOf(list, identifier) !== undefined);
  if (faulty) {
    const other =
      elsewhere === undefined ? "" : ` To take it from ${elsewhere}, name it as ${elsewhere}:${identifier}.`;
    const message = `${faulty.name} lists ${identifier} with an error. ${leftOutOf(faulty, identifier)} Tell its owner.${other}`;
    return new ManagerFault("package-invalid", message, { identifier, repository: faulty.name });
  }
  if (named) return unknown(identifier, `${named.name} does not list`);
  const unlisted = installedFrom && whyUnlisted(lists, identifier, installedFrom);
  if (unlisted !== undefined) return new ManagerFault("package-unknown", unlisted, { identifier });
  if (installedFrom && elsewhere !== undefined) {
    const why = bound ? "which no longer lists it" : "which is not configured";
    return new ManagerFault(
      "other-repository",
      `${identifier} was installed from ${installedFrom.name}, ${why}; ${elsewhere} has it. Nothing was changed. To take it from there, name it as ${elsewhere}:${identifier} and allow the change of repository.`,
      { identifier, installedFrom: installedFrom.name, foundIn: elsewhere },
    );
  }
  if (unread && elsewhere !== undefined) {
    return new ManagerFault(
      "repository-skipped",
      `${identifier} is in ${elsewhere}, but ${unread.name}, which comes first, could not be read and may have it too. Try again later, or name it as ${elsewhere}:${identifier}.`,
      { identifier, skipped: unread.name, reason: unread.fault?.code },
    );
  }
  return unread?.fault ?? unknown(identifier, "No repository lists");
}

const unknown = (identifier: string, who: string): ManagerFault =>
  new ManagerFault("package-unknown", `${who} ${identifier}. Check the spelling, or search for a part of its name.`, {
    identifier,
  });

export const numberOf = ({ version, version_epoch }: { version: string; version_epoch?: number }): VersionNumber =>
  readVersion(version, version_epoch) ?? [-1, 0, 0, 0];

export const isSameVersion = (
  a: { version: string; version_epoch?: number },
  b: { version: string; version_epoch?: number },
): boolean => compareVersions(numberOf(a), numberOf(b)) === 0;

const MAX_NAMED = 10;

export function findVersion(listed: Package, wanted: VersionNumber, text: string): PackageVersion {
  const found = listed.versions.find((version) => compareVersions(numberOf(version), wanted) === 0);
  if (found) return found;
  const known = listed.versions
    .toSorted((a, b) => compareVersions(numberOf(b), numberOf(a)))
    .map(({ version }) => version);
  const some = known.slice(0, MAX_NAMED).join(", ") + (known.length > MAX_NAMED ? ", …" : "");
  throw new ManagerFault(
    "version-unknown",
    `${listed.identifier} has no version ${text}. ${known.length ? `Available: ${some}.` : "All were withdrawn."}`,
    { identifier: listed.identifier, versions: known },
  );
}
