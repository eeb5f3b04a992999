import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type Comparison, compareTexts, type Side } from "@backplane/kicad/merge";
import { type Design, readDesign } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { createListeners } from "@backplane/kit/concurrency";
import { faultWords } from "../../../calls/fault-words.ts";
import { type FileAccess, OpenFile } from "../code-editor/open-file.ts";
import type { Expected, WrittenFile } from "../project-files/file-calls.ts";

/** One file of the design: what is saved, and what it is here. */
type Entry = { file: OpenFile; base: string; text: string; version: number };

export type SheetWrite = { path: string; bytes: Uint8Array<ArrayBuffer>; expected: Expected };

type Joining = SheetWrite & { answer: (written: WrittenFile) => void };

export type ProjectAccess = {
  file: (path: string) => FileAccess;
  /** All of them or none: the answer is that of each. */
  writeTogether: (writes: readonly SheetWrite[]) => Promise<readonly WrittenFile[]>;
  /** False when somebody else has changed the file, or when it cannot be removed. */
  remove: (path: string, etag: string) => Promise<boolean>;
};

export type FileConflict = { path: string; isGone: boolean };
/** The three texts of a conflict, and how they differ. */
export type Compared = { base: string; mine: string; theirs: string; comparison: Comparison };
type Read = { design: Design } | { fault: string };

/** Files that are read at the same time. */
const READS = 6;
/** Others may save again and again while this is being saved. */
const SAVE_TRIES = 8;
const MAX_COPIES = 20;
/** A sheet may be as large as a file of the project. */
export const MAX_SHEET_BYTES = PANELS_LIMITS.maxFileBytes;

/** The files of a design: its root sheet and the sheets in it. Saving never overwrites what somebody else has saved. */
export class DesignFiles {
  readonly #root: string;
  readonly #access: ProjectAccess;
  readonly #entries = new Map<string, Entry>();
  /** Files that were made here, with their first text; those of them that no sheet names any more. */
  readonly #made = new Map<string, string>();
  readonly #discarded = new Set<string>();
  /** Files that sheets of the design name, as it is here. */
  #named: ReadonlySet<string> = new Set();
  /** Writes that wait for each other, to go as one. */
  #joining: Joining[] | undefined;
  readonly #changed = createListeners((error) => reportError(error));
  readonly #outside = new Set<(path: string, before: string) => void>();

  constructor(root: string, access: ProjectAccess) {
    this.#root = root;
    this.#access = access;
  }

  /** Called when a file was saved, loaded, or is in conflict. */
  readonly onChange = this.#changed.add;

  /** Called when a text is another one than `before` because somebody else saved it. */
  onOutside(listener: (path: string, before: string) => void): () => void {
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

  /**
   * A file for a new sheet, unless the project has it already. It is created when the design is saved, in one step with the sheet that
   * names it. Resolves to what went wrong, if anything.
   */
  async create(path: string, text: string): Promise<string | undefined> {
    this.#discarded.delete(path);
    const known = this.#entries.get(path);
    if (known && this.#isWanted(path, known)) return undefined;
    const found = known ? undefined : await this.#access.file(path).read(undefined);
    if (found === undefined || found.kind === "missing") {
      this.#made.set(path, text);
      this.#begin(path, text);
      return undefined;
    }
    await this.#open(path);
    return this.#entries.has(path) ? undefined : this.#refusal(path);
  }

  /** Which files the sheets name now. A new file that none of them names is not saved. */
  setNamed(named: ReadonlySet<string>): void {
    this.#named = named;
  }

  made(): string[] {
    return [...this.#made.keys()];
  }

  /** No sheet names a file any more that was made here: it is removed when all is saved, unless somebody changed it. */
  async discard(path: string): Promise<void> {
    this.#discarded.add(path);
    if (this.unsaved().length === 0) await this.#removeDiscarded();
  }

  /** A sheet names it again. */
  bringBack(path: string): void {
    this.#discarded.delete(path);
    if (!this.#entries.has(path)) this.#begin(path, this.#made.get(path) ?? "");
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
      .filter(([path, entry]) => entry.base !== entry.text && this.#isWanted(path, entry))
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
    return [...this.#entries].flatMap(([path, entry]) => {
      const { conflict } = entry.file.state();
      return conflict && this.#isWanted(path, entry) ? [{ path, isGone: conflict.text === undefined }] : [];
    });
  }

  /** What there is to decide in a conflict; undefined when one of the texts cannot be read. */
  compare(path: string): Compared | undefined {
    const entry = this.#entries.get(path);
    const theirs = entry?.file.state().conflict?.text;
    if (!entry || theirs === undefined) return undefined;
    const { base, text: mine } = entry;
    const comparison = compareTexts(base, mine, theirs);
    return comparison && { base, mine, theirs, comparison };
  }

  /** Saves all files in one step, or none of them. True when everything is saved. */
  async save(): Promise<boolean> {
    for (let tries = 0; tries < SAVE_TRIES && this.unsaved().length > 0; tries += 1) {
      const entries = this.unsaved().flatMap(({ path }) => this.#entries.get(path) ?? []);
      if (entries.some(({ file }) => file.state().isSaving || file.state().conflict !== undefined)) return false;
      const [only] = entries;
      const isSaved = entries.length === 1 && only ? await this.#save(only) : await this.#saveTogether(entries);
      const isStopped = ({ file }: Entry) => file.state().conflict !== undefined || file.state().fault !== undefined;
      if (!isSaved && entries.some(isStopped)) return false;
    }
    if (this.unsaved().length > 0) return false;
    await this.#removeDiscarded();
    return true;
  }

  /** Decides a conflict. What both changed differently is as `choose` says; all other changes of both are kept. */
  async resolve(path: string, choose: (conflict: number) => Side): Promise<void> {
    const entry = this.#entries.get(path);
    const compared = this.compare(path);
    if (!entry) return;
    if (compared) {
      this.#adopt(path, entry, compared.theirs, compared.comparison.merge(choose));
      await this.save();
    } else if (choose(0) === "theirs") entry.file.takeTheirs();
    else {
      const { text } = entry;
      if (await entry.file.keepMine(text)) this.#saved(entry, text);
    }
  }

  /** Saves what is here beside the file, under a name that is free: the file itself stays as somebody else saved it. */
  async saveCopy(path: string): Promise<{ copy: string } | { fault: string }> {
    const bytes = new TextEncoder().encode(this.text(path) ?? "");
    for (let number = 1; number <= MAX_COPIES; number += 1) {
      const copy = path.replace(/(?:\.kicad_sch)?$/i, `-mine${number === 1 ? "" : `-${number}`}.kicad_sch`);
      const written = await this.#access.file(copy).write(bytes, "absent");
      if (written.kind === "written") return { copy };
      if (written.kind === "fault") return { fault: faultWords(written.fault) };
    }
    return { fault: `There are ${MAX_COPIES} copies already.` };
  }

  /** Looks whether somebody else has saved one of the files, and whether a conflict is still one. */
  async check(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ file }) => file.check()));
    for (const [path, entry] of this.#entries) this.#merge(path, entry, entry.file.state().conflict?.text);
  }

  /** An unsaved text comes back that was based on this version of the file; on none: it was a new file. */
  restore(path: string, text: string, etag: string | undefined): void {
    const entry = this.#entries.get(path);
    if (!entry && etag === undefined) this.#begin(path, text);
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
      if (error instanceof FileFault) return { fault: this.#refusal(this.#root) ?? `${error.message}.` };
      throw error;
    }
  }

  /** Files that cannot be read at all are not kept: the design says that they are missing. */
  readonly #refused = new Map<string, string>();
  #refusal(path: string): string | undefined {
    return this.#refused.get(path);
  }

  /** False for a new file that no sheet names any more. */
  #isWanted(path: string, { file }: Entry): boolean {
    return file.etag() !== undefined || this.#named.has(path);
  }

  async #open(path: string): Promise<void> {
    const file = this.#openFile(path);
    await file.load();
    const { phase, fault } = file.state();
    if (phase === "open") this.#keep(path, file);
    else this.#refused.set(path, fault ?? "It cannot be read.");
  }

  /** A file that is not in the project yet. */
  #begin(path: string, text: string): void {
    const file = this.#openFile(path);
    file.begin(text);
    this.#keep(path, file).base = "";
    this.#changed.emit();
  }

  #keep(path: string, file: OpenFile): Entry {
    const { text, version } = file.state().shown;
    const entry: Entry = { file, base: text, text, version };
    this.#entries.set(path, entry);
    file.subscribe(() => this.#follow(path, entry));
    return entry;
  }

  #openFile(path: string): OpenFile {
    const { read, write } = this.#access.file(path);
    const join = (bytes: Uint8Array<ArrayBuffer>, expected: Expected): Promise<WrittenFile> => {
      const joining = this.#joining;
      if (joining === undefined) return write(bytes, expected);
      return new Promise((answer) => joining.push({ path, bytes, expected, answer }));
    };
    return new OpenFile({ read, write: join }, () => new Date(), MAX_SHEET_BYTES);
  }

  #saved(entry: Entry, text: string): void {
    entry.base = text;
    entry.file.setDirty(entry.text !== text);
    this.#changed.emit();
  }

  #follow(path: string, entry: Entry): void {
    const { shown, conflict } = entry.file.state();
    if (shown.version !== entry.version) {
      const before = entry.text;
      entry.version = shown.version;
      entry.base = shown.text;
      entry.text = shown.text;
      for (const listener of this.#outside) listener(path, before);
    } else if (conflict) this.#merge(path, entry, conflict.text);
    this.#changed.emit();
  }

  /** What somebody else saved and what is unsaved here become one text, where they are about different things. */
  #merge(path: string, entry: Entry, theirs: string | undefined): void {
    const comparison = theirs === undefined ? undefined : compareTexts(entry.base, entry.text, theirs);
    if (theirs !== undefined && comparison?.conflicts.length === 0)
      this.#adopt(
        path,
        entry,
        theirs,
        comparison.merge(() => "mine"),
      );
  }

  /** From here on the changes are those that make `merged` of what somebody else saved. */
  #adopt(path: string, entry: Entry, theirs: string, merged: string): void {
    const before = entry.text;
    entry.base = theirs;
    entry.text = merged;
    entry.version += 1;
    entry.file.takeTheirs();
    entry.file.setDirty(merged !== theirs);
    for (const listener of this.#outside) listener(path, before);
  }

  /** If somebody saved while this was being saved, and both fit together, what they are together is saved. */
  async #save(entry: Entry): Promise<boolean> {
    for (let tries = 0; tries < SAVE_TRIES && entry.base !== entry.text; tries += 1) {
      // What is changed while this is on its way is not saved by it.
      const { text } = entry;
      if (await entry.file.save(text)) this.#saved(entry, text);
      else if (entry.file.state().conflict !== undefined || entry.file.state().fault !== undefined) return false;
    }
    return entry.base === entry.text;
  }

  /** Each file is written as it is alone, but their requests go as one. */
  async #saveTogether(entries: readonly Entry[]): Promise<boolean> {
    const texts = entries.map(({ text }) => text);
    const joining: Joining[] = [];
    this.#joining = joining;
    const saves = entries.map(({ file }, at) => file.save(texts[at] ?? ""));
    this.#joining = undefined;
    // One that is too large says so itself; nothing is sent then, and the others stay as they are.
    const answers = joining.length < entries.length ? [] : await this.#access.writeTogether(joining);
    for (const [at, { answer }] of joining.entries()) answer(answers[at] ?? { kind: "changed", etag: undefined });
    const isSaved = await Promise.all(saves);
    for (const [at, entry] of entries.entries()) if (isSaved[at]) this.#saved(entry, texts[at] ?? "");
    return isSaved.every(Boolean);
  }

  async #removeDiscarded(): Promise<void> {
    for (const path of [...this.#discarded]) {
      const entry = this.#entries.get(path);
      const [made, etag] = [this.#made.get(path), entry?.file.etag()];
      const isAsMade = entry?.base === made && entry?.text === made;
      if (!isAsMade || etag === undefined || !(await this.#access.remove(path, etag))) {
        this.#discarded.delete(path);
        continue;
      }
      this.#entries.delete(path);
      const isNamedAgain = !this.#discarded.delete(path);
      if (isNamedAgain) this.#begin(path, made ?? "");
    }
  }
}
