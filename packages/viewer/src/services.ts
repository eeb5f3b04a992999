import type {
  NamedBy,
  Paste,
  PasteList,
  PasteWithText,
  SearchHit,
  ViewerEvent,
  Widget,
} from "@backplane/contract/viewer";

/*
 * The interfaces between the parts of the viewer. `viewer.ts` connects them.
 */

/** A complete image in its own file in `Pastes.incomingFolder`. The receiver moves or deletes the file. */
export type Upload = {
  path: string;
  bytes: number;
  title: string | null;
  instance: string | null;
  receivedAtMs: number;
};

/** The two files made from an upload, in the same folder. `Pastes` gives them their names. */
export type Prepared = {
  /** From the bytes, not from what the sender says: image/png, image/jpeg, … */
  type: string;
  optimized: { path: string; width: number; height: number; bytes: number };
  original: { path: string; width: number; height: number; bytes: number };
};

export type Images = {
  /** Checks, resizes and encodes. Throws not-an-image, image-too-large, image-damaged. */
  prepare(upload: Upload): Promise<Prepared>;
  /** Writes the same pixels in fewer bytes to `target`. Undefined: it cannot be made smaller. */
  squeeze(path: string, target: string): Promise<{ bytes: number } | undefined>;
  /** WebP, at most 320 px. */
  thumbnail(path: string): Promise<Buffer>;
  close(): Promise<void>;
};

export type PasteFileName = "optimized" | "original";

export type Pastes = {
  /** Where uploads are written before `add`. */
  readonly incomingFolder: string;
  add(upload: Upload): Promise<Paste>;
  get(id: string): Paste | undefined;
  read(id: string): Promise<PasteWithText | undefined>;
  /** Newest first. `before`: lists only those older than this id. */
  list(query: { limit: number; before?: string | undefined }): PasteList;
  newest(): Paste | undefined;
  search(query: string, limit: number): Promise<SearchHit[]>;
  /** Keeps the current name if it ranks higher: a person's, then the configured model's, an MCP client's, the text's. */
  rename(id: string, name: string, by: NamedBy): Promise<Paste>;
  /** Ends naming: stores text and suggestions, and renames unless the current name ranks higher. */
  finishNaming(id: string, outcome: NamingOutcome): Promise<Paste>;
  remove(id: string): Promise<void>;
  restore(id: string): Promise<Paste>;
  /** The current absolute path of a file. Throws paste-unknown, paste-gone. */
  fileOf(id: string, file: PasteFileName): Promise<string>;
  thumbnail(id: string): Promise<Buffer>;
  onChange(listener: (event: ViewerEvent) => void): () => void;
  /** Screenshots without a name; after a start, those that the last process did not name. */
  unnamed(): Paste[];
  close(): Promise<void>;
};

export type NamingOutcome = {
  text: string | null;
  suggestions: string[];
  name: string | null;
  by: NamedBy | null;
};

export type Naming = {
  /** Queues it; ends with `pastes.finishNaming`. */
  add(paste: Paste): void;
  close(): Promise<void>;
};

/** What MCP tools and commands use: in the process that holds the project, or over HTTP. */
export type ViewerAccess = {
  openWidget(title: string | undefined): Promise<Widget>;
  newest(): Promise<PasteWithText | undefined>;
  get(id: string): Promise<PasteWithText | undefined>;
  list(limit: number): Promise<PasteList>;
  search(query: string, limit: number): Promise<SearchHit[]>;
  rename(id: string, name: string, by: "you" | "client"): Promise<Paste>;
  /**
   * Resolves with the next new screenshot, as soon as it is saved. Rejects when the signal aborts. `onWaiting` is called
   * when it waits: a screenshot pasted after that is not missed. With `after`, the id of a screenshot or "", those
   * pasted since then are new, too.
   */
  next(signal: AbortSignal, options?: { after?: string | undefined; onWaiting?: () => void }): Promise<Paste>;
  /** Resolves when it is named, or with its current state when the signal aborts. */
  named(id: string, signal: AbortSignal): Promise<PasteWithText>;
  readFile(id: string, file: PasteFileName): Promise<Buffer>;
  /** Saves an image that was sent inside a message. */
  paste(image: Buffer, title: string | undefined): Promise<Paste>;
  /** Absolute path. */
  readonly project: string;
};
