/** The answers that `pkg init` writes metadata.json from, by the names of its options. */
export type Answers = {
  identifier: string;
  name: string;
  description: string;
  descriptionFull: string;
  type: string;
  author: string;
  contact: string;
  license: string;
  homepage: string;
  tags: string;
  tool: string;
};

export type Question = {
  name: keyof Answers;
  words: string;
  /** Where the answer is in metadata.json. */
  pointer: string;
  /** Absent: there must be an answer. Empty: it can be left out. */
  fallback?: (known: Partial<Answers>) => string | undefined;
};

/** In the order in which they are asked. */
export const QUESTIONS: readonly Question[] = [
  { name: "identifier", words: "Identifier, such as com.example.router", pointer: "/identifier" },
  { name: "name", words: "Name", pointer: "/name", fallback: ({ identifier }) => identifier && nameFrom(identifier) },
  { name: "description", words: "What it does, in one sentence", pointer: "/description" },
  {
    name: "descriptionFull",
    words: "What it does, at length",
    pointer: "/description_full",
    fallback: ({ description }) => description,
  },
  { name: "type", words: "Type: plugin, library or colortheme", pointer: "/type", fallback: () => "plugin" },
  { name: "author", words: "Author", pointer: "/author/name" },
  { name: "contact", words: "Web or email address of the author", pointer: "/author/contact", fallback: () => "" },
  { name: "license", words: "Licence", pointer: "/license", fallback: () => "MIT" },
  { name: "homepage", words: "Address of its homepage", pointer: "/resources", fallback: () => "" },
  { name: "tags", words: "Tags, with spaces between them", pointer: "/tags", fallback: () => "" },
  { name: "tool", words: "Oldest version of the design tool", pointer: "/versions", fallback: () => "9.0" },
];

/** "--description-full" for descriptionFull. */
export const optionOf = (name: keyof Answers): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** com.example.stackup-checker → Stackup checker */
function nameFrom(identifier: string): string {
  const words = identifier.slice(identifier.lastIndexOf(".") + 1).replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One version, which its author raises later. */
export function metadataFrom(known: Partial<Answers>, brand: string, keepOnUpdate: readonly string[]) {
  const { identifier = "", name = "", description = "", descriptionFull = "", type = "", author = "" } = known;
  const { contact = "", license = "", homepage = "", tags = "", tool = "" } = known;
  return {
    name,
    description,
    description_full: descriptionFull,
    identifier,
    type,
    author: { name: author, contact: contact === "" ? {} : { [contact.includes("@") ? "email" : "web"]: contact } },
    license,
    resources: homepage === "" ? {} : { homepage },
    ...(tags === "" ? {} : { tags: tags.split(/[\s,]+/).filter((tag) => tag !== "") }),
    ...(keepOnUpdate.length === 0 ? {} : { keep_on_update: keepOnUpdate }),
    versions: [{ version: "1.0.0", status: "stable", [`${brand}_version`]: tool }],
  };
}
