import type { User } from "@backplane/contract/accounts";

/** Whom one belongs to: "member of fieldworks and lab", "owner of fieldworks"; empty for nobody. */
export function membershipWords(organisations: User["organisations"]): string {
  const namesOf = (wanted: boolean) =>
    organisations.filter(({ role }) => (role === "owner") === wanted).map(({ name }) => name);
  return [["owner of", namesOf(true)] as const, ["member of", namesOf(false)] as const]
    .filter(([, names]) => names.length > 0)
    .map(([word, names]) => `${word} ${listed(names)}`)
    .join(", ");
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
