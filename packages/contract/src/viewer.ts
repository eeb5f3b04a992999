import { type Static, Type } from "typebox";

/** The longer side of an optimized screenshot. */
export const MAX_DIMENSION = 1_568;
export const PNG_COMPRESSION_LEVEL = 9;

/** Inside the project, with forward slashes. */
export const SCREENSHOTS_FOLDER = "screenshots/sp";

/** Every limit of the area. */
export const VIEWER_LIMITS = {
  maxUploadBytes: 33_554_432,
  maxPixels: 50_000_000,
  maxNameCharacters: 60,
  maxTitleCharacters: 200,
  maxInstanceCharacters: 64,
  suggestions: 3,
  /** Uploads that are received or worked on; one more is told to come back. */
  maxUploadsUnderWay: 64,
  /** Images that are decoded at the same time. */
  imagesAtOnce: 2,
  /** A whole upload, however slow the connection. */
  uploadTimeoutMs: 120_000,
  /** An upload from which nothing comes any more. */
  uploadIdleMs: 20_000,
  /** Of a multipart form: the image, its texts, and what names the wrong one. */
  maxFormParts: 6,
  /** From its last byte to its last part: all of it is here. */
  formEndsWithinMs: 5_000,
  /** Screenshots that wait for their name; one more keeps its first name until it is asked for. */
  maxWaitingForName: 200,
  maxTextCharacters: 20_000,
  maxListed: 200,
  usuallyListed: 50,
  maxQueryCharacters: 200,
  /** Records that a search looks at, newest first. */
  maxSearched: 10_000,
  pageTokenLifeMs: 7 * 24 * 3_600_000,
  /** Removed screenshots that can be put back. */
  maxRemoved: 20,
  namerTimeoutMs: 20_000,
  samplingTimeoutMs: 30_000,
  maxWaitSeconds: 300,
  maxEventStreams: 100,
  /** A file that a program reads into its memory; the original of the largest image, kept losslessly, is smaller. */
  maxReadBytes: 268_435_456,
  /** An image that comes inside an MCP message. */
  maxInlineImageBytes: 10_485_760,
} as const;

/** `[a-z0-9-]`, beginning and ending with neither. */
export const NAME_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$";
export const PASTE_ID_PATTERN = "^[0-9]{8}-[0-9]{6}-[0-9]{3}-[a-z0-9]{6}$";

export const PasteFile = Type.Object({
  /** From the project's folder, with forward slashes. */
  path: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  bytes: Type.Integer(),
});
export type PasteFile = Static<typeof PasteFile>;

/** Who gave the name: a person, the configured model, the model of an MCP client, the text in the picture. */
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
  /** Of both files, without size and ending. */
  name: Type.String(),
  /** Null: it is still the first one, `sp-<timestamp>`. */
  namedBy: Type.Union([NamedBy, Type.Null()]),
  /** Ranked, the best first; at most three. */
  suggestions: Type.Array(Type.String()),
  optimized: PasteFile,
  original: PasteFile,
  /** What came in. */
  pasted: Type.Object({ type: Type.String(), bytes: Type.Integer() }),
  pastedAt: Type.String(),
  /** From "received" to "named", once it is. */
  namedAfterMs: Type.Union([Type.Integer(), Type.Null()]),
  title: Type.Union([Type.String(), Type.Null()]),
  /** Of the page it was pasted in, as its address said. */
  instance: Type.Union([Type.String(), Type.Null()]),
});
export type Paste = Static<typeof Paste>;

export const PasteWithText = Type.Object({ ...Paste.properties, text: Type.Union([Type.String(), Type.Null()]) });
export type PasteWithText = Static<typeof PasteWithText>;

export const PasteList = Type.Object({ pastes: Type.Array(Paste), more: Type.Boolean() });
export type PasteList = Static<typeof PasteList>;

/** A screenshot that a search found, and where its text says so. */
export const SearchHit = Type.Object({ paste: Paste, excerpt: Type.Union([Type.String(), Type.Null()]) });
export type SearchHit = Static<typeof SearchHit>;
export const SearchResult = Type.Object({ hits: Type.Array(SearchHit) });
export type SearchResult = Static<typeof SearchResult>;

export const Rename = Type.Object(
  {
    name: Type.String({ maxLength: 200 }),
    /** Whose word it is; a person's, unless a program says that a model gave it. */
    by: Type.Optional(Type.Union([Type.Literal("you"), Type.Literal("client")])),
  },
  { additionalProperties: false },
);
export type Rename = Static<typeof Rename>;

/** What a program gets when it asks for the page. */
export const Widget = Type.Object({
  status: Type.Union([Type.Literal("opened"), Type.Literal("not_opened")]),
  url: Type.String(),
  title: Type.String(),
  folder: Type.String(),
  maxDimension: Type.Integer(),
  /** `owner/name` of the workspace whose panel shows it. */
  workspace: Type.Union([Type.String(), Type.Null()]),
  /** Why no panel shows it, and what to do. */
  reason: Type.Union([Type.String(), Type.Null()]),
});
export type Widget = Static<typeof Widget>;

export const PAGE_PATH = "/screenshot-paste";
export const MCP_PATH = "/mcp";
/** Carries the token of the page; programs of this machine send `Authorization: Bearer` instead. */
export const PAGE_TOKEN_HEADER = "x-viewer-token";

/** On the event stream: the event's name, and what its data holds. */
export type ViewerEvent = { type: "paste"; paste: Paste } | { type: "removed"; id: string };
