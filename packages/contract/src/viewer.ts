import { type Static, Type } from "typebox";

/** The longer side of an optimized screenshot. */
export const MAX_DIMENSION = 1_568;
export const PNG_COMPRESSION_LEVEL = 9;

/** Inside the project, with forward slashes. */
export const SCREENSHOTS_FOLDER = "screenshots/sp";

export const VIEWER_LIMITS = {
  maxUploadBytes: 33_554_432,
  maxPixels: 50_000_000,
  maxNameCharacters: 60,
  maxTitleCharacters: 200,
  maxInstanceCharacters: 64,
  suggestions: 3,
  /** Uploads being received or processed; one more gets 429. */
  maxUploadsUnderWay: 64,
  /** Images decoded at the same time. */
  imagesAtOnce: 2,
  /** For a whole upload. */
  uploadTimeoutMs: 120_000,
  /** An upload that sends nothing for this long is cut off. */
  uploadIdleMs: 20_000,
  /** Parts of a multipart form: the image, its texts, and room for a misnamed one. */
  maxFormParts: 6,
  /** After the last byte of a form, its last part must have been read within this time. */
  formEndsWithinMs: 5_000,
  /** Screenshots waiting for a name; one more keeps its first name. */
  maxWaitingForName: 200,
  maxTextCharacters: 20_000,
  maxListed: 200,
  defaultListed: 50,
  maxQueryCharacters: 200,
  /** Records that a search reads, newest first. */
  maxSearched: 10_000,
  pageTokenLifeMs: 7 * 24 * 3_600_000,
  /** Removed screenshots that can be restored. */
  maxRemoved: 20,
  namerTimeoutMs: 20_000,
  samplingTimeoutMs: 30_000,
  maxWaitSeconds: 300,
  maxEventStreams: 100,
  /** A file that a program reads into memory; even the lossless original of the largest image is smaller. */
  maxReadBytes: 268_435_456,
  /** An image inside an MCP message. */
  maxInlineImageBytes: 10_485_760,
} as const;

/** Lower-case words joined by single hyphens. */
export const NAME_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$";
export const PASTE_ID_PATTERN = "^[0-9]{8}-[0-9]{6}-[0-9]{3}-[a-z0-9]{6}$";

export const PasteFile = Type.Object({
  /** Relative to the project folder, with forward slashes. */
  path: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  bytes: Type.Integer(),
});
export type PasteFile = Static<typeof PasteFile>;

/** Who gave the name: a person, the configured model, an MCP client's model, or the text in the picture. */
export const NamedBy = Type.Union([
  Type.Literal("you"),
  Type.Literal("model"),
  Type.Literal("client"),
  Type.Literal("text"),
]);
export type NamedBy = Static<typeof NamedBy>;

export const Paste = Type.Object({
  id: Type.String(),
  status: Type.Union([Type.Literal("naming"), Type.Literal("named")]),
  /** The name of both files, without size and extension. */
  name: Type.String(),
  /** Null while it has its first name, `sp-<timestamp>`. */
  namedBy: Type.Union([NamedBy, Type.Null()]),
  /** The best first; at most three. */
  suggestions: Type.Array(Type.String()),
  optimized: PasteFile,
  original: PasteFile,
  /** The file as it was pasted. */
  pasted: Type.Object({ type: Type.String(), bytes: Type.Integer() }),
  pastedAt: Type.String(),
  /** Time from upload to name; null until it is named. */
  namedAfterMs: Type.Union([Type.Integer(), Type.Null()]),
  title: Type.Union([Type.String(), Type.Null()]),
  /** The `instance` in the address of the page it was pasted into. */
  instance: Type.Union([Type.String(), Type.Null()]),
});
export type Paste = Static<typeof Paste>;

export const PasteWithText = Type.Object({ ...Paste.properties, text: Type.Union([Type.String(), Type.Null()]) });
export type PasteWithText = Static<typeof PasteWithText>;

export const PasteList = Type.Object({ pastes: Type.Array(Paste), more: Type.Boolean() });
export type PasteList = Static<typeof PasteList>;

/** A screenshot that a search found, and the place in its text that matches. */
export const SearchHit = Type.Object({ paste: Paste, excerpt: Type.Union([Type.String(), Type.Null()]) });
export type SearchHit = Static<typeof SearchHit>;
export const SearchResult = Type.Object({ hits: Type.Array(SearchHit) });
export type SearchResult = Static<typeof SearchResult>;

export const Rename = Type.Object({
  name: Type.String({ maxLength: 200 }),
  /** Who gave the name; a person unless a program says that a model did. */
  by: Type.Optional(Type.Union([Type.Literal("you"), Type.Literal("client")])),
});
export type Rename = Static<typeof Rename>;

/** The answer to a program that opens the page. */
export const Widget = Type.Object({
  status: Type.Union([Type.Literal("opened"), Type.Literal("not_opened")]),
  url: Type.String(),
  title: Type.String(),
  folder: Type.String(),
  maxDimension: Type.Integer(),
  /** `owner/name` of the workspace that shows it. */
  workspace: Type.Union([Type.String(), Type.Null()]),
  /** Why no panel shows it, and what to do about it. */
  reason: Type.Union([Type.String(), Type.Null()]),
});
export type Widget = Static<typeof Widget>;

export const PAGE_PATH = "/screenshot-paste";
export const MCP_PATH = "/mcp";
/** Carries the page's token; programs on this machine send `Authorization: Bearer` instead. */
export const PAGE_TOKEN_HEADER = "x-viewer-token";

/** On the event stream, `type` is the name of the event and the rest its data. */
export type ViewerEvent = { type: "paste"; paste: Paste } | { type: "removed"; id: string };
