import { PANELS_LIMITS } from "@backplane/contract/panels";
import { faultWords } from "../../../calls/fault-words.ts";
import type { Expected, ReadFile, WrittenFile } from "../project-files/file-calls.ts";
import { sizeWords } from "../project-files/paths.ts";
import { decodeText, encodeText, PLAIN_FORMAT, type TextFormat } from "./text-format.ts";

const { maxTextFileBytes } = PANELS_LIMITS;

/** What somebody else saved while there were changes of one's own. `text` undefined: they deleted it. */
export type Conflict = { text: string | undefined; etag: string | undefined };

export type FileState = {
  phase: "loading" | "open" | "refused";
  /** Why it is not shown, or was not saved. */
  fault: string | undefined;
  /** What the editor has to show; another `version` means: show it now. */
  shown: { text: string; version: number };
  isDirty: boolean;
  isSaving: boolean;
  savedAt: Date | undefined;
  /** The file is not there any more, and nothing of one's own would be lost by that. */
  isGone: boolean;
  conflict: Conflict | undefined;
};

export type FileAccess = {
  read(knownEtag: string | undefined): Promise<ReadFile>;
  write(bytes: Uint8Array<ArrayBuffer>, expected: Expected): Promise<WrittenFile>;
};

export type OpenFile = ReturnType<typeof openFile>;

/** One file in one editor: read, saved, and never over what somebody else has saved meanwhile. */
export function openFile({ read, write }: FileAccess, now: () => Date) {
  let state: FileState = {
    ...{ phase: "loading", fault: undefined, shown: { text: "", version: 0 }, isDirty: false, isSaving: false },
    ...{ savedAt: undefined, isGone: false, conflict: undefined },
  };
  let etag: string | undefined;
  let format: TextFormat = PLAIN_FORMAT;
  const listeners = new Set<() => void>();

  function set(change: Partial<FileState>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  }

  function show(text: string): void {
    const version = state.shown.version + 1;
    set({
      phase: "open",
      fault: undefined,
      shown: { text, version },
      isDirty: false,
      isGone: false,
      conflict: undefined,
    });
  }

  /** What was read, as text; or what to say instead. */
  function textOf(
    answer: Exclude<ReadFile, { kind: "unchanged" }>,
  ): { text: string; format: TextFormat; etag: string } | string {
    if (answer.kind === "fault") return faultWords(answer.fault);
    if (answer.kind === "missing") return "This file is not in the project.";
    if (answer.kind === "too-large") {
      return `This file has ${sizeWords(answer.size)}. Files of at most ${sizeWords(maxTextFileBytes)} are edited here.`;
    }
    const decoded = decodeText(answer.bytes);
    return decoded ? { ...decoded, etag: answer.etag } : "This file is no text in UTF-8, so it is not edited here.";
  }

  async function load(): Promise<void> {
    set({ phase: "loading", fault: undefined });
    const answer = await read(undefined);
    const found = answer.kind === "unchanged" ? undefined : textOf(answer);
    if (found === undefined || typeof found === "string") {
      set({ phase: "refused", fault: found });
      return;
    }
    etag = found.etag;
    format = found.format;
    show(found.text);
  }

  /** Somebody else has saved: theirs is shown when nothing of one's own is lost, else one has to choose. */
  function meet(theirs: { text: string; format: TextFormat; etag: string }, mine: string | undefined): void {
    const isSame = mine !== undefined && theirs.text === mine;
    if (isSame || !state.isDirty) {
      etag = theirs.etag;
      format = theirs.format;
      if (isSame) set({ isDirty: false, isGone: false, conflict: undefined, savedAt: now() });
      else show(theirs.text);
      return;
    }
    set({ conflict: { text: theirs.text, etag: theirs.etag } });
  }

  function meetNothing(): void {
    if (state.isDirty) set({ conflict: { text: undefined, etag: undefined } });
    else set({ isGone: true });
  }

  async function check(): Promise<void> {
    if (state.phase !== "open" || state.isSaving || state.conflict) return;
    const asked = etag;
    const answer = await read(asked);
    // Saved or chosen meanwhile: what was asked for is old.
    if (asked !== etag || state.isSaving || state.conflict) return;
    if (answer.kind === "missing") meetNothing();
    else if (answer.kind !== "unchanged") {
      const found = textOf(answer);
      if (typeof found !== "string") meet(found, undefined);
    }
  }

  async function put(text: string, expected: Expected): Promise<boolean> {
    if (state.isSaving) return false;
    const bytes = encodeText(text, format);
    if (bytes.length > maxTextFileBytes) {
      const most = sizeWords(maxTextFileBytes);
      set({
        fault: `Not saved: the text has ${sizeWords(bytes.length)}, and files of at most ${most} are edited here.`,
      });
      return false;
    }
    set({ isSaving: true, fault: undefined });
    const answer = await write(bytes, expected);
    if (answer.kind === "written") {
      etag = answer.etag;
      set({ isSaving: false, savedAt: now(), isGone: false, conflict: undefined });
      return true;
    }
    if (answer.kind === "fault") {
      set({ isSaving: false, fault: `Not saved. ${faultWords(answer.fault)}` });
      return false;
    }
    const theirs = await read(undefined);
    set({ isSaving: false });
    const found = theirs.kind === "unchanged" || theirs.kind === "missing" ? undefined : textOf(theirs);
    if (typeof found === "string") set({ fault: `Not saved: somebody else has saved this file. ${found}` });
    else if (found) meet(found, text);
    else meetNothing();
    return found !== undefined && typeof found !== "string" && found.text === text;
  }

  return {
    state: (): FileState => state,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load,
    check,
    /** Of the text that one's own changes began from. */
    etag: (): string | undefined => etag,
    /** The text is an earlier one that was not saved, and began from this ETag: somebody may have saved since. */
    restored(from: string | undefined): void {
      set({ isDirty: true, ...(from === etag ? {} : { conflict: { text: state.shown.text, etag } }) });
    },
    /** Tells whether the text differs from what was last read or saved. */
    touched(isDirty: boolean): void {
      if (isDirty !== state.isDirty) set({ isDirty });
    },
    /** True: this very text is saved. While there is a choice to make, nothing is: that would make it for one. */
    async save(text: string): Promise<boolean> {
      if (state.phase !== "open" || state.conflict) return false;
      return put(text, state.isGone || etag === undefined ? "absent" : { etag });
    },
    takeTheirs(): void {
      const { conflict } = state;
      if (conflict === undefined) return;
      if (conflict.text === undefined) {
        set({ conflict: undefined, isGone: true, isDirty: false });
        return;
      }
      etag = conflict.etag;
      show(conflict.text);
    },
    keepMine: (text: string): Promise<boolean> =>
      put(text, state.conflict?.etag === undefined ? "absent" : { etag: state.conflict.etag }),
  };
}
