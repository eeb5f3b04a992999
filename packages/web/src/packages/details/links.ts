/** An address that may be followed: of the web, whatever else somebody wrote. Undefined: it is none. */
export function safeLink(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  // "https://known.example@other.example" shows one host and leads to another.
  if (username !== "" || password !== "") return undefined;
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

type Named = { name: string; text: string; href: string | undefined };

/** Addresses that a package gives, by what they are called: "source" → "Source". */
export const namedLinks = (links: Readonly<Record<string, string>>): Named[] =>
  Object.entries(links).map(([name, text]) => ({
    name: name.charAt(0).toUpperCase() + name.slice(1),
    text,
    href: safeLink(text.trim()),
  }));
