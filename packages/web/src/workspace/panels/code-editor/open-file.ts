import { PANELS_LIMITS } from "@backplane/contract/panels";
import { faultWords } from "../../../calls/fault-words.ts";
import { createStore } from "../../store.ts";
import type { Expected, ReadFile, WrittenFile } from "../project-files/file-calls.ts";
import { sizeWords } from "../project-files/paths.ts";
import { decodeText, encodeText, PLAIN_FORMAT, type TextFormat } from "./text-format.ts";

/** What somebody else saved while there were unsaved changes here; `text` is undefined when they deleted the file. */
export type Conflict = { text: string | undefined; etag: string | undefined };

export type FileState = {
  phase: "loading" | "open" | "refused";
  /** Why the file is not shown, or was not saved. */
  fault: string | undefined;
  /** The text for the editor. A new `version` means: show it now. */
  shown: { text: string; version: number };
  isDirty: boolean;
  isSaving: boolean;
  savedAt: Date | undefined;
  /** Somebody deleted the file, and there are no unsaved changes. */
  isGone: boolean;
  conflict: Conflict | undefined;
};

export type FileAccess = {
  read(knownEtag: string | undefined): Promise<ReadFile>;
  write(bytes: Uint8Array<ArrayBuffer>, expected: Expected): Promise<WrittenFile>;
};

type SavedText = { text: string; format: TextFormat; etag: string };

const INITIAL: FileState = {
  ...{ phase: "loading", fault: undefined, shown: { text: "", version: 0 }, isDirty: false, isSaving: false },
  ...{ savedAt: undefined, isGone: false, conflict: undefined },
};

/** One file in one editor. Saving never overwrites what somebody else has saved meanwhile. */
export class OpenFile {
  readonly #access: FileAccess;
  readonly #now: () => Date;
  readonly #maxBytes: number;
  readonly #store = createStore(INITIAL);
  #etag: string | undefined;
  #format: TextFormat = PLAIN_FORMAT;

  readonly state = this.#store.state;
  readonly subscribe = this.#store.subscribe;

  constructor(access: FileAccess, now: () => Date, maxBytes: number = PANELS_LIMITS.maxTextFileBytes) {
    this.#access = access;
    this.#now = now;
    this.#maxBytes = maxBytes;
  }

  /** The version of the file on which the changes here are based. */
  etag(): string | undefined {
    return this.#etag;
  }

  async load(): Promise<void> {
    this.#store.update({ phase: "loading", fault: undefined });
    const answer = await this.#access.read(undefined);
    const found = answer.kind === "unchanged" ? undefined : savedText(answer, this.#maxBytes);
    if (found === undefined || typeof found === "string") {
      this.#store.update({ phase: "refused", fault: found });
      return;
    }
    this.#take(found);
    this.#show(found.text);
  }

  /** Opens a file that is not in the project yet: saving it creates it, unless somebody else did so meanwhile. */
  begin(text: string): void {
    this.#show(text);
    this.#store.update({ isDirty: true });
  }

  /** Looks whether somebody else has saved or deleted the file. */
  async check(): Promise<void> {
    if (!this.#canCheck()) return;
    const asked = this.#etag;
    const answer = await this.#access.read(asked);
    // Saved or decided meanwhile: the answer is out of date.
    if (asked !== this.#etag || !this.#canCheck()) return;
    if (answer.kind === "missing") this.#wasDeleted();
    else if (answer.kind !== "unchanged") {
      const found = savedText(answer, this.#maxBytes);
      if (typeof found !== "string") this.#wasSaved(found, undefined);
    }
  }

  /** The editor shows an unsaved draft that is based on this version. Somebody may have saved the file since. */
  restored(from: string | undefined): void {
    const conflict = { text: this.state().shown.text, etag: this.#etag };
    this.#store.update({ isDirty: true, ...(from === this.#etag ? {} : { conflict }) });
  }

  setDirty(isDirty: boolean): void {
    if (isDirty !== this.state().isDirty) this.#store.update({ isDirty });
  }

  /** True when exactly this text is saved. Nothing is saved while there is a conflict. */
  async save(text: string): Promise<boolean> {
    const { phase, conflict, isGone } = this.state();
    if (phase !== "open" || conflict) return false;
    return this.#write(text, isGone || this.#etag === undefined ? "absent" : { etag: this.#etag });
  }

  /** Resolves a conflict by overwriting what somebody else has saved. */
  keepMine(text: string): Promise<boolean> {
    const etag = this.state().conflict?.etag;
    return this.#write(text, etag === undefined ? "absent" : { etag });
  }

  /** Resolves a conflict by giving up the changes here. */
  takeTheirs(): void {
    const { conflict } = this.state();
    if (conflict === undefined) return;
    if (conflict.text === undefined) this.#store.update({ conflict: undefined, isGone: true, isDirty: false });
    else {
      this.#etag = conflict.etag;
      this.#show(conflict.text);
    }
  }

  #canCheck(): boolean {
    const { phase, isSaving, conflict } = this.state();
    return phase === "open" && !isSaving && !conflict;
  }

  async #write(text: string, expected: Expected): Promise<boolean> {
    const { update } = this.#store;
    if (this.state().isSaving) return false;
    const bytes = encodeText(text, this.#format);
    if (bytes.length > this.#maxBytes) {
      update({
        fault: `Not saved: the text is ${sizeWords(bytes.length)}. The limit is ${sizeWords(this.#maxBytes)}.`,
      });
      return false;
    }
    update({ isSaving: true, fault: undefined });
    const answer = await this.#access.write(bytes, expected);
    if (answer.kind === "changed") return this.#writeRefused(text);
    if (answer.kind === "fault") {
      update({ isSaving: false, fault: `Not saved. ${faultWords(answer.fault)}` });
      return false;
    }
    this.#etag = answer.etag;
    update({ isSaving: false, savedAt: this.#now(), isGone: false, conflict: undefined });
    return true;
  }

  /** Somebody else has saved or deleted the file. True when they have saved the same text. */
  async #writeRefused(text: string): Promise<boolean> {
    const theirs = await this.#access.read(undefined);
    this.#store.update({ isSaving: false });
    const found =
      theirs.kind === "unchanged" || theirs.kind === "missing" ? undefined : savedText(theirs, this.#maxBytes);
    if (typeof found === "string") {
      this.#store.update({ fault: `Not saved: somebody else has saved this file. ${found}` });
      return false;
    }
    if (found) this.#wasSaved(found, text);
    else this.#wasDeleted();
    return found?.text === text;
  }

  /** Shows what somebody else has saved if no change is lost by that; otherwise it is a conflict. */
  #wasSaved(theirs: SavedText, mine: string | undefined): void {
    const isSame = theirs.text === mine;
    if (!isSame && this.state().isDirty) {
      this.#store.update({ conflict: { text: theirs.text, etag: theirs.etag } });
      return;
    }
    this.#take(theirs);
    if (!isSame) this.#show(theirs.text);
    else this.#store.update({ isDirty: false, isGone: false, conflict: undefined, savedAt: this.#now() });
  }

  #wasDeleted(): void {
    if (this.#etag === undefined) return; // It was never saved.
    if (this.state().isDirty) this.#store.update({ conflict: { text: undefined, etag: undefined } });
    else this.#store.update({ isGone: true });
  }

  #take({ etag, format }: SavedText): void {
    this.#etag = etag;
    this.#format = format;
  }

  #show(text: string): void {
    const version = this.state().shown.version + 1;
    const clean = { fault: undefined, isDirty: false, isGone: false, conflict: undefined };
    this.#store.update({ phase: "open", shown: { text, version }, ...clean });
  }
}

/** The text of a file, or why it cannot be edited. */
function savedText(answer: Exclude<ReadFile, { kind: "unchanged" }>, maxBytes: number): SavedText | string {
  if (answer.kind === "fault") return faultWords(answer.fault);
  if (answer.kind === "missing") return "This file is not in the project.";
  if (answer.kind === "too-large")
    return `This file is ${sizeWords(answer.size)}. The editor opens files of up to ${sizeWords(maxBytes)}.`;
  const decoded = decodeText(answer.bytes);
  return decoded ? { ...decoded, etag: answer.etag } : "This file is not UTF-8 text, so it cannot be edited here.";
}
