import type {
  NamedBy,
  Paste,
  PasteList,
  PasteWithText,
  SearchHit,
  ViewerEvent,
  Widget,
} from "@backplane/contract/viewer";

/** An image that arrived, whole, in a file of its own in `Pastes.incomingFolder`. Whoever takes it moves or removes it. */
export type Upload = {
  path: string;
  bytes: number;
  title: string | null;
  instance: string | null;
  receivedAtMs: number;
};

/** What is made of an upload, in files beside it; the record and the names are the pastes' business. */
export type Prepared = {
  /** As the bytes say, not the sender: image/png, image/jpeg, … */
  type: string;
  optimized: { path: string; width: number; height: number; bytes: number };
  original: { path: string; width: number; height: number; bytes: number };
};

export type Images = {
  /** Reads, checks, resizes and encodes. Throws Problem: not-an-image, image-too-large, image-damaged. */
  prepare(upload: Upload): Promise<Prepared>;
  /** The same pixels in fewer bytes, written to `target`; undefined when it cannot be made smaller. */
  squeeze(path: string, target: string): Promise<{ bytes: number } | undefined>;
  /** WebP of at most 320 px. */
  thumbnail(path: string): Promise<Buffer>;
  close(): Promise<void>;
};

export type PasteFileName = "optimized" | "original";

export type Pastes = {
  /** Where an upload is written to before `add`. */
  readonly incomingFolder: string;
  add(upload: Upload): Promise<Paste>;
  get(id: string): Paste | undefined;
  read(id: string): Promise<PasteWithText | undefined>;
  /** Newest first. `before`: an id; those older than it. */
  list(query: { limit: number; before?: string | undefined }): PasteList;
  newest(): Paste | undefined;
  search(query: string, limit: number): Promise<SearchHit[]>;
  /** A person's name stays; a model's replaces that of an MCP client's, and that the one from the text. Returns what it is now. */
  rename(id: string, name: string, by: NamedBy): Promise<Paste>;
  /** The end of naming: text and suggestions are kept, and the name is taken unless a better one is there. */
  finishNaming(id: string, outcome: NamingOutcome): Promise<Paste>;
  remove(id: string): Promise<void>;
  restore(id: string): Promise<Paste>;
  /** Absolute path of a file as it is called now. Throws paste-unknown, paste-gone. */
  fileOf(id: string, file: PasteFileName): Promise<string>;
  thumbnail(id: string): Promise<Buffer>;
  onChange(listener: (event: ViewerEvent) => void): () => void;
  /** Those that wait for a name: after a start, what the last one left. */
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
  /** Queues it; the name follows by `pastes.finishNaming`. */
  add(paste: Paste): void;
  close(): Promise<void>;
};

/** What MCP tools and commands ask for: in this process, or over HTTP of the one that holds the project. */
export type ViewerAccess = {
  openWidget(title: string | undefined): Promise<Widget>;
  newest(): Promise<PasteWithText | undefined>;
  get(id: string): Promise<PasteWithText | undefined>;
  list(limit: number): Promise<PasteList>;
  search(query: string, limit: number): Promise<SearchHit[]>;
  rename(id: string, name: string, by: "you" | "client"): Promise<Paste>;
  /**
   * Resolves with the next screenshot that is pasted from now on, as soon as it is saved. Rejects when the signal aborts.
   * `onWaiting`: from here on none is missed.
   */
  next(signal: AbortSignal, onWaiting?: () => void): Promise<Paste>;
  /** Resolves when it is named, or with what it is when the signal aborts. */
  named(id: string, signal: AbortSignal): Promise<PasteWithText>;
  readFile(id: string, file: PasteFileName): Promise<Buffer>;
  /** An image that came inside a message instead of over HTTP. */
  paste(image: Buffer, title: string | undefined): Promise<Paste>;
  /** Absolute. */
  readonly project: string;
};
