import { useCallback, useEffect, useRef, useState } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import type { PanelContext } from "../../panel.ts";
import { readFile } from "../project-files/file-calls.ts";
import { sizeWords } from "../project-files/paths.ts";
import { useFollowFiles } from "../project-files/use-follow-files.ts";
import { MAX_MODEL_BYTES } from "../viewer-3d/measures.ts";
import { BoardReader } from "./worker/board-reader.ts";
import type { BoardSummary } from "./worker/messages.ts";

export type OpenBoard = { board: BoardSummary; reader: BoardReader };
export type ShownBoard = { phase: "loading" } | ({ phase: "shown" } & OpenBoard) | { phase: "refused"; why: string };

/** A board of the project, read in a worker. It is read again when somebody saves it. */
export function useBoard(context: PanelContext, path: string): { shown: ShownBoard; reload: () => void } {
  const { workspace } = context;
  const [shown, setShown] = useState<ShownBoard>({ phase: "loading" });
  const state = useRef<{ turn: number; etag: string | undefined; reader: BoardReader | undefined }>(undefined);
  state.current ??= { turn: 0, etag: undefined, reader: undefined };
  const now = state.current;

  const read = useCallback(
    async (isCheck: boolean) => {
      now.turn += 1;
      const { turn } = now;
      if (!isCheck) setShown({ phase: "loading" });
      const knownEtag = isCheck ? now.etag : undefined;
      const file = await readFile(workspace, path, { maxBytes: MAX_MODEL_BYTES, knownEtag });
      if (turn !== now.turn || file.kind === "unchanged") return;
      // A check that fails says nothing about the board that is shown.
      if (isCheck && file.kind === "fault") return;
      const reader = file.kind === "read" ? new BoardReader() : undefined;
      const next = await (file.kind === "read" && reader
        ? reader.load(file.bytes).then(
            (board): ShownBoard => ({ phase: "shown", board, reader }),
            (fault: Error): ShownBoard => ({ phase: "refused", why: fault.message }),
          )
        : ({ phase: "refused", why: whyNot(file) } as const));
      if (turn !== now.turn) return reader?.close();
      now.reader?.close();
      now.reader = reader;
      now.etag = file.kind === "read" ? file.etag : undefined;
      setShown(next);
    },
    [workspace, path, now],
  );

  useEffect(() => {
    void read(false);
    return () => {
      now.turn += 1;
      now.reader?.close();
      now.reader = undefined;
    };
  }, [read, now]);
  useFollowFiles(
    useCallback(() => void read(true), [read]),
    context,
  );
  return { shown, reload: useCallback(() => void read(false), [read]) };
}

type Unread = Exclude<Awaited<ReturnType<typeof readFile>>, { kind: "read" }>;

function whyNot(file: Unread | { kind: "read" }): string {
  if (file.kind === "too-large") return `It is ${sizeWords(file.size)}. The limit is ${sizeWords(MAX_MODEL_BYTES)}.`;
  return file.kind === "fault" ? faultWords(file.fault) : "It is not in the project.";
}
