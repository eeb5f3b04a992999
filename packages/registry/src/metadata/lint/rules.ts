/** What the schema allows but is wrong. `error`: clients refuse it or cannot use it. The guide quotes this table. */
export const LINT_RULES = {
  "name-empty": ["warning", "The package has no name."],
  "description-empty": ["warning", "The short or the long description is empty."],
  "description-repeated": ["warning", "The long description only repeats the short one."],
  "description-markup": ["warning", "The long description contains HTML, which KiCad does not show as text."],
  "contact-missing": ["warning", "The author or maintainer has no contact, or an empty one."],
  "category-unknown": ["warning", "KiCad only knows the categories general and fab."],
  "type-unknown": ["warning", "KiCad skips packages of this type."],
  "needs-v2": ["warning", "Only clients that know version 2 of the schema list the package, such as KiCad 10."],
  "license-vague": ["warning", "The licence does not grant any rights."],
  "identifier-short": ["warning", "The identifier has no dot, so two people may choose the same one."],
  "identifier-twice": ["error", "Two packages of one list have the same identifier."],
  "identifier-case": ["warning", "Two identifiers differ only in case, which some file systems ignore."],
  "key-misplaced": ["warning", "A key of a version is at the package, where it is ignored."],
  "key-misspelt": ["warning", "An unknown key looks like a known one."],
  "version-twice": ["error", "Two versions have the same number within one epoch; 1.2 is the same as 1.2.0."],
  "versions-deprecated": ["warning", "Every version is deprecated, so there is no replacement."],
  "runtime-unused": ["warning", "A runtime is named, but the package is not a plugin."],
  "tool-range-empty": ["warning", "The maximum tool version is below the minimum, so the version works nowhere."],
  "download-url-missing": ["error", "A listed version has no download address."],
  "download-sha256-missing": ["warning", "A listed version has no hash, so nobody can verify it."],
  "download-size-missing": ["warning", "A listed version has no download size."],
  "install-size-missing": ["warning", "A listed version has no installed size."],
  "download-in-archive": ["warning", "The metadata inside an archive states the archive's own hash, size or address."],
  "sha256-placeholder": ["error", "The hash is a placeholder, or the hash of an empty file."],
  "size-placeholder": ["warning", "A size is 0."],
  "address-http": ["warning", "The address is http, so anybody on the network can change what is downloaded."],
  "address-local": ["warning", "The address is a file address, which works only on one machine."],
  "address-refused-in-field": ["warning", "The schema allows the address, but KiCad refuses it."],
  "keep-not-a-pattern": [
    "warning",
    "A keep_on_update entry is not a regular expression, so the files it means are lost.",
  ],
  "keep-never-matches": ["warning", "A keep_on_update pattern requires a beginning that no path has."],
  "keep-everything": ["warning", "A keep_on_update pattern keeps every file, so an update changes nothing."],
  "keep-slow": [
    "warning",
    "A keep_on_update pattern is very long or has nested repetitions, so it can take very long.",
  ],
  "list-too-large": ["error", "The file is too large for KiCad."],
  "hash-missing": ["warning", "A file of the repository has no sha256, so nobody can verify it."],
  "hash-of-other-line-ends": ["error", "The sha256 is that of the same file with other line endings."],
  "hash-differs": ["error", "The sha256 does not match the file."],
  "time-not-utc": ["warning", "update_time_utc is not update_timestamp in UTC; usually it is local time."],
  "timestamp-in-milliseconds": ["error", "update_timestamp is in milliseconds; clients expect seconds."],
  "timestamp-in-future": ["warning", "update_timestamp is in the future, so clients may miss the next change."],
  "timestamp-zero": ["warning", "update_timestamp is not a time."],
} as const satisfies Record<string, readonly ["error" | "warning", string]>;

export type LintRule = keyof typeof LINT_RULES;

/** What a rule found; the position in the text is added later. */
export type Finding = { rule: LintRule; pointer: string; message: string; fix?: string };

/** Where the metadata is: inside an archive, which cannot know its own hash, or in a list of downloads. */
export type Place = "archive" | "listing";
