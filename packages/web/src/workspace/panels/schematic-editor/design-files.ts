import { mergeTexts } from "@backplane/kicad/merge";
import { type Design, readDesign } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { createListeners } from "@backplane/kit/concurrency";
import { type FileAccess, OpenFile } from "../code-editor/open-file.ts";

/** One file of the design: what is saved, and what it is here. */
type Entry = { file: OpenFile; base: string; text: string; version: number };

export type FileConflict = { path: string; isGone: boolean };
type Read = { design: Design } | { fault: string };

/** Files that are read at the same time. */
const READS = 6;

/** The files of a design: its root sheet and the sheets in it. Saving never overwrites what somebody else has saved. */
export class DesignFiles {
  readonly #root: string;
  readonly #access: (path: string) => FileAccess;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = createListeners((error) => reportError(error));
  readonly #outside = new Set<(path: string) => void>();

  constructor(root: string, access: (path: string) => FileAccess) {
    this.#root = root;
    this.#access = access;
  }

  /** Called when a file was saved, loaded, or is in conflict. */
  readonly onChange = this.#changed.add;

  /** Called when a text is another one because somebody else saved it. */
  onOutside(listener: (path: string) => void): () => void {
    this.#outside.add(listener);
    return () => this.#outside.delete(listener);
  }

  /** Reads the root and the sheets in it, down to the last. */
  async load(): Promise<Read> {
    const tried = new Set<string>();
    for (;;) {
      const wanted = new Set<string>();
      const read = this.#read((path) => wanted.add(path));
      const missing = [...wanted].filter((path) => !tried.has(path));
      if (missing.length === 0) return read;
      for (let from = 0; from < missing.length; from += READS)
        await Promise.all(missing.slice(from, from + READS).map((path) => this.#open(path)));
      for (const path of missing) tried.add(path);
    }
  }

  /** The design as it is here, with changes that are not saved. */
  read(): Read {
    return this.#read(() => {});
  }

  text(path: string): string | undefined {
    return this.#entries.get(path)?.text;
  }

  setText(path: string, text: string): void {
    const entry = this.#entries.get(path);
    if (!entry) return;
    entry.text = text;
    entry.file.setDirty(text !== entry.base);
    this.#changed.emit();
  }

  paths(): string[] {
    return [...this.#entries.keys()];
  }

  /** Of files whose text is not saved. */
  unsaved(): { path: string; text: string; etag: string | undefined }[] {
    return [...this.#entries]
      .filter(([, { base, text }]) => base !== text)
      .map(([path, { text, file }]) => ({ path, text, etag: file.etag() }));
  }

  isSaving(): boolean {
    return [...this.#entries.values()].some(({ file }) => file.state().isSaving);
  }

  /** Why the last try to save failed. */
  fault(): string | undefined {
    return [...this.#entries.values()].map(({ file }) => file.state().fault).find((fault) => fault !== undefined);
  }

  conflicts(): FileConflict[] {
    return [...this.#entries].flatMap(([path, { file }]) => {
      const { conflict } = file.state();
      return conflict ? [{ path, isGone: conflict.text === undefined }] : [];
    });
  }

  /** True when everything is saved. */
  async save(): Promise<boolean> {
    for (const { path } of this.unsaved()) {
      const entry = this.#entries.get(path);
      if (!entry) continue;
      const { text } = entry;
      if (!(await entry.file.save(text)) && !(await this.#saveMerged(entry))) return false;
      if (entry.file.state().conflict === undefined) this.#saved(entry, entry.text);
    }
    return this.unsaved().length === 0;
  }

  async resolve(path: string, way: "mine" | "theirs"): Promise<void> {
    const entry = this.#entries.get(path);
    if (way === "theirs") entry?.file.takeTheirs();
    else if (entry && (await entry.file.keepMine(entry.text))) this.#saved(entry, entry.text);
  }

  /** Looks whether somebody else has saved one of the files. */
  async check(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ file }) => file.check()));
  }

  /** An unsaved text comes back that was based on this version of the file. */
  restore(path: string, text: string, etag: string | undefined): void {
    const entry = this.#entries.get(path);
    if (!entry || entry.text === text) return;
    entry.text = text;
    if (etag === entry.file.etag()) entry.file.setDirty(true);
    else entry.file.restored(etag);
    this.#changed.emit();
  }

  #read(onMissing: (path: string) => void): Read {
    try {
      return {
        design: readDesign(this.#root, (path) => {
          const entry = this.#entries.get(path);
          if (!entry) onMissing(path);
          return entry?.text;
        }),
      };
    } catch (error) {
      if (error instanceof FileFault) return { fault: this.#refusal(this.#root) ?? error.message };
      throw error;
    }
  }

  /** Files that cannot be read at all are not kept: the design says that they are missing. */
  readonly #refused = new Map<string, string>();
  #refusal(path: string): string | undefined {
    return this.#refused.get(path);
  }

  async #open(path: string): Promise<void> {
    const file = new OpenFile(this.#access(path), () => new Date());
    await file.load();
    const { phase, shown, fault } = file.state();
    if (phase !== "open") {
      this.#refused.set(path, fault ?? "It cannot be read.");
      return;
    }
    const entry: Entry = { file, base: shown.text, text: shown.text, version: shown.version };
    this.#entries.set(path, entry);
    file.subscribe(() => this.#follow(path, entry));
  }

  #saved(entry: Entry, text: string): void {
    entry.base = text;
    entry.file.setDirty(entry.text !== text);
    this.#changed.emit();
  }

  #follow(path: string, entry: Entry): void {
    const { shown, conflict } = entry.file.state();
    if (shown.version !== entry.version) {
      entry.version = shown.version;
      entry.base = shown.text;
      entry.text = shown.text;
      for (const listener of this.#outside) listener(path);
    } else if (conflict) this.#merge(path, entry, conflict.text);
    this.#changed.emit();
  }

  /** What somebody else saved and what is unsaved here become one text, where they are about different things. */
  #merge(path: string, entry: Entry, theirs: string | undefined): void {
    if (theirs === undefined) return;
    const merged = mergeTexts(entry.base, entry.text, theirs);
    if (merged === undefined) return;
    entry.base = theirs;
    entry.text = merged;
    entry.version += 1;
    entry.file.takeTheirs();
    entry.file.setDirty(merged !== theirs);
    for (const listener of this.#outside) listener(path);
  }

  /** Somebody saved while this was being saved, and both fit together: save what they are together. */
  async #saveMerged(entry: Entry): Promise<boolean> {
    if (entry.file.state().conflict !== undefined || entry.file.state().fault !== undefined) return false;
    return entry.base === entry.text || entry.file.save(entry.text);
  }
}
