/** What is legal by the schema and wrong all the same. `error`: clients refuse it, or cannot use it. Docs quote this table. */
export const LINT_RULES = {
  "name-empty": ["warning", "A package needs a name that people can read."],
  "description-empty": ["warning", "The short or the long description is empty."],
  "description-repeated": ["warning", "The long description says only what the short one says."],
  "description-markup": [
    "warning",
    "The long description has HTML in it, which the field's client does not show as text.",
  ],
  "contact-missing": ["warning", "Author or maintainer cannot be reached: there is no contact, or it is empty."],
  "category-unknown": ["warning", "The field knows the categories general and fab only."],
  "license-vague": ["warning", "The licence is a word that grants nothing by itself."],
  "identifier-short": ["warning", "The identifier has no dot, so that two people may choose the same."],
  "identifier-twice": ["error", "Two packages of one list have the same identifier."],
  "identifier-case": ["warning", "Two identifiers differ in capitals only, which some file systems do not tell apart."],
  "key-misplaced": ["warning", "A key of a version stands at the package, where nobody reads it."],
  "key-misspelt": ["warning", "A key that nobody reads looks like one that the format has."],
  "version-twice": ["error", "Two versions are the same number: 1.2 is 1.2.0. Within one epoch only one can be told."],
  "versions-deprecated": ["warning", "Every version is deprecated, so that there is none to install in its place."],
  "runtime-unused": ["warning", "A runtime is named, but the package is no plugin."],
  "tool-range-empty": ["warning", "The maximum tool version is below the minimum: the version works nowhere."],
  "download-url-missing": ["error", "A listed version has no address to download it from."],
  "download-sha256-missing": ["warning", "A listed version has no hash, so that nobody can verify it."],
  "download-size-missing": ["warning", "A listed version has no download size."],
  "install-size-missing": ["warning", "A listed version has no installed size."],
  "download-in-archive": [
    "warning",
    "The metadata inside an archive says what the archive's hash, size or address is.",
  ],
  "sha256-placeholder": ["error", "The hash is a placeholder, or that of an empty file."],
  "size-placeholder": ["warning", "A size is 0."],
  "address-http": ["warning", "The address is http, which anybody on the way can change."],
  "address-local": ["warning", "The address is file, which works on one machine only."],
  "address-refused-in-field": ["warning", "The contract allows the address, the field's client does not."],
  "keep-not-a-pattern": ["warning", "A keep_on_update entry is no regular expression: the files it means are lost."],
  "keep-never-matches": ["warning", "A keep_on_update pattern is tied to a beginning that no path has."],
  "keep-everything": ["warning", "A keep_on_update pattern keeps every file, so that an update changes nothing."],
  "keep-slow": ["warning", "A keep_on_update pattern is very long, or repeats a repetition: it can take very long."],
  "list-too-large": ["error", "The file is larger than the field's client reads."],
  "hash-missing": ["warning", "A file of the repository has no sha256, so that nobody can verify it."],
  "hash-of-other-line-ends": ["error", "The sha256 is that of the same file with other line ends."],
  "hash-differs": ["error", "The sha256 is not that of the file."],
  "time-not-utc": ["warning", "update_time_utc is not update_timestamp in UTC; mostly it is local time."],
  "timestamp-in-milliseconds": ["error", "update_timestamp is in milliseconds; clients read seconds."],
  "timestamp-in-future": ["warning", "update_timestamp lies in the future, so that the next change may not be seen."],
  "timestamp-zero": ["warning", "update_timestamp is not a time."],
} as const satisfies Record<string, readonly ["error" | "warning", string]>;

export type LintRule = keyof typeof LINT_RULES;

/** Something that a rule found; where it is in the text is added later. */
export type Finding = { rule: LintRule; pointer: string; message: string; fix?: string };

/** Where the metadata stands: inside an archive, which cannot know its own hash, or in a list of what can be downloaded. */
export type Place = "archive" | "listing";
