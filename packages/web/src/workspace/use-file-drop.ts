import { useEffect, useState } from "react";
import { carriesFiles } from "../parts/file-drag.ts";
import type { WorkspaceName } from "./calls.ts";
import { existingWords, savedWords, uploadFiles } from "./panels/project-files/upload.ts";

type Say = { done: (words: string) => void; fault: (words: string) => void };

/** Saves files of this device in the project, and says what came of it. */
export async function saveFiles(project: WorkspaceName, files: readonly File[], say: Say): Promise<void> {
  const { saved, existing, faults } = await uploadFiles(project, files);
  if (saved.length > 0) say.done(savedWords(saved));
  if (existing.length > 0) say.fault(`${existingWords(existing)} To replace, drop on an editor's list of files.`);
  for (const fault of faults) say.fault(fault);
}

/** Asks for files of this device, as a button would. */
export function pickFiles(onFiles: (files: readonly File[]) => void): void {
  const input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true });
  input.addEventListener("change", () => onFiles([...(input.files ?? [])]));
  input.click();
}

/**
 * Files that are dropped beside the panels that take them go to the project. Without this, they would replace the page.
 * True while files are over a place from where they would.
 */
export function useFileDrop({ owner, repo }: WorkspaceName, say: Say): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const isOurs = (event: DragEvent) => carriesFiles(event) && !event.defaultPrevented;
    const drag = (event: DragEvent) => {
      setOver(isOurs(event));
      if (!isOurs(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      void saveFiles({ owner, repo }, [...(event.dataTransfer?.files ?? [])], say);
    };
    const listeners = { dragover: drag, dragleave: leave, drop } as const;
    const each = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [name, listener] of each) window.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of each) window.removeEventListener(name, listener);
    };
  }, [owner, repo, say]);
  return isOver;
}
