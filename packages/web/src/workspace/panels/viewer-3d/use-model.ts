import { useCallback, useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import type { WorkspaceName } from "../../calls.ts";
import { readFile } from "../project-files/file-calls.ts";
import { nameOf, sizeWords } from "../project-files/path-words.ts";
import { ModelFault } from "./gltf-resources.ts";
import { loadModel, type Model } from "./load-model.ts";
import { kindOf, MAX_MODEL_BYTES } from "./model-kind.ts";

export type ShownModel =
  | { phase: "none" }
  | { phase: "loading"; name: string }
  | { phase: "shown"; name: string; model: Model; isDropped: boolean }
  | { phase: "refused"; name: string; why: string };

const NO_MODEL = "It is no model that is shown here: STL, GLB and glTF files are.";
const tooLarge = (size: number): string =>
  `It has ${sizeWords(size)}. Models of at most ${sizeWords(MAX_MODEL_BYTES)} are shown here.`;

/** The model that the panel's state names, or one that was dropped here, which stays in this browser. */
export function useModel({ owner, repo }: WorkspaceName, path: string | undefined) {
  const [shown, setShown] = useState<ShownModel>({ phase: "none" });
  const [reads, setReads] = useState(0);
  const turn = useRef(0);

  const show = useCallback(
    async (name: string, from: string | undefined, read: () => Promise<Uint8Array<ArrayBuffer> | string>) => {
      turn.current += 1;
      const mine = turn.current;
      const set = (next: ShownModel) => {
        if (mine === turn.current) setShown(next);
      };
      set({ phase: "loading", name });
      const kind = kindOf(name);
      try {
        const bytes = kind ? await read() : NO_MODEL;
        if (typeof bytes === "string" || !kind) return set({ phase: "refused", name, why: String(bytes) });
        const model = await loadModel({ kind, bytes, project: { owner, repo }, path: from });
        set({ phase: "shown", name, model, isDropped: from === undefined });
      } catch (error) {
        set({ phase: "refused", name, why: error instanceof ModelFault ? error.message : "It cannot be read." });
      }
    },
    [owner, repo],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reads` counts how often to read
  useEffect(() => {
    if (path === undefined) {
      turn.current += 1;
      setShown({ phase: "none" });
      return;
    }
    void show(nameOf(path), path, async () => {
      const answer = await readFile({ owner, repo }, path, { maxBytes: MAX_MODEL_BYTES });
      if (answer.kind === "read") return answer.bytes;
      if (answer.kind === "too-large") return tooLarge(answer.size);
      return answer.kind === "fault" ? faultWords(answer.fault) : "It is not in the project.";
    });
  }, [owner, repo, path, show, reads]);

  const drop = useCallback(
    (file: File) =>
      show(file.name, undefined, async () =>
        file.size > MAX_MODEL_BYTES ? tooLarge(file.size) : new Uint8Array(await file.arrayBuffer()),
      ),
    [show],
  );
  const reload = useCallback(() => setReads((times) => times + 1), []);
  return { shown, drop, reload };
}
