import type { SignInOptions, User } from "@backplane/contract/accounts";
import type { Answer } from "../calls/call.ts";

export type Who = { is: "asking" } | { is: "silent" } | { is: "out" } | { is: "in"; user: User };

/** Who is signed in. `user` is undefined when it was not asked because nobody is signed in. */
export function whoFrom(offered: Answer<SignInOptions>, user: Answer<User> | undefined): Who {
  if (user?.ok) return { is: "in", user: user.value };
  if (user?.fault.status === 401) return { is: "out" };
  return offered.ok && !user ? { is: "out" } : { is: "silent" };
}

/** Two letters for the avatar: the initials of two words, else the first two letters. */
export function initials(name: string): string {
  const [first = "", second = ""] = name.split(/[\s._-]+/).filter((word) => word !== "");
  const letters = second ? [...first].slice(0, 1).concat([...second].slice(0, 1)) : [...first].slice(0, 2);
  return letters.join("").toUpperCase();
}

/** "owner of fieldworks, member of lab"; empty without organisations. */
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
