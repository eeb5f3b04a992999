// Without schemas, like panels/package-limits.ts.

/** The limits of the registry's calls. */
export const REGISTRY_LIMITS = {
  maxQueryCharacters: 200,
  defaultResults: 50,
  maxResults: 200,
  maxOffset: 100_000,
  /** After it was replaced, an index stays at its own address for at least this long. */
  keepIndexMs: 60 * 60 * 1_000,
  /** How long the next signing key is announced before it may replace the current one: clients and the owner see it. */
  announceKeyMs: 7 * 24 * 60 * 60 * 1_000,
  maxRepositoryBytes: 20_480,
  /** KiCad's own client refuses a larger packages.json. */
  maxPackagesBytes: 10 * 1024 * 1024,
} as const;

/** What an archive may hold, for publishing and installing alike. */
export const ARCHIVE_LIMITS = {
  maxBytes: 256 * 1024 * 1024,
  maxEntries: 50_000,
  maxUnpackedBytes: 1024 * 1024 * 1024,
  /** Unpacked size divided by packed size, for entries over a megabyte; real files stay far below. */
  maxRatio: 200,
  maxPathCharacters: 240,
  maxPathDepth: 24,
  maxMetadataBytes: 1024 * 1024,
  maxIconBytes: 256 * 1024,
  /** On the page of a package; further and larger ones are not shown. */
  maxScreenshots: 8,
  maxScreenshotBytes: 2 * 1024 * 1024,
} as const;
export type ArchiveLimits = { readonly [name in keyof typeof ARCHIVE_LIMITS]: number };

export const PRIVATE_LIMITS = {
  /** Secret addresses per owner. */
  maxAddresses: 50,
  maxNameCharacters: 100,
} as const;
