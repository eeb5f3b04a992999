import { sentenceCase } from "../../parts/words.ts";

/** A web address that is safe to link to; undefined for anything else. */
export function safeLink(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  // "https://known.example@other.example" shows one host and leads to another.
  if (username !== "" || password !== "") return undefined;
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

type Named = { name: string; text: string; href: string | undefined };

/** A package's links with display names: "source" → "Source". */
export const namedLinks = (links: Readonly<Record<string, string>>): Named[] =>
  Object.entries(links).map(([name, text]) => ({
    name: sentenceCase(name),
    text,
    href: safeLink(text.trim()),
  }));
