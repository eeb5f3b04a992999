import type { Side } from "@backplane/kicad/board";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { WorkspaceName } from "../../../calls.ts";
import { PARTS } from "../layers.ts";
import { ModelLoader, type Models } from "../models/load-models.ts";
import type { OpenBoard } from "../use-board.ts";
import type { Picks } from "../use-picks.ts";
import { FlatStage } from "./flat-stage.ts";
import { SolidStage } from "./solid-stage.ts";
import type { BoardStage, Measured, StageEvents } from "./stage.ts";

const NO_WEBGL = "This browser cannot show 3D: WebGL is off or missing. The board is shown flat.";
const LOST = "The graphics card has reset this view. Choose Flat, then 3D again.";
/** Pixels along the longer side of a picture: a coarse one at once, then a sharp one. */
const PICTURE_PX = [1_024, 2_048] as const;

type Options = StageEvents & {
  host: RefObject<HTMLDivElement | null>;
  stage: { current: BoardStage | undefined };
  open: OpenBoard;
  picks: Picks;
  measured: Measured | undefined;
  project: WorkspaceName;
  onNo3d: () => void;
};

/** The stage of the chosen view, kept up to date. */
export function useStage(options: Options): { fault: string | undefined; models: Models | undefined } {
  const { host, stage, open, picks, measured, project } = options;
  const [fault, setFault] = useState<string>();
  const [models, setModels] = useState<Models>();
  const latest = useRef(options);
  latest.current = options;
  const { board, reader } = open;
  const { view, side, net, part } = picks;
  const layers = JSON.stringify(picks.layers);
  const loader = useRef<ModelLoader>(undefined);

  useEffect(() => {
    const made = new ModelLoader(board, project);
    loader.current = made;
    return () => made.close();
  }, [board, project]);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const leaving = new AbortController();
    const events: StageEvents = {
      onPress: (...press) => latest.current.onPress(...press),
      onMoved: () => latest.current.onMoved(),
    };
    const flat = () =>
      new FlatStage(element, board, events, (place) => {
        const { layers: on, net: shown } = latest.current.picks;
        return reader.ask({ kind: "paint", ...place, layers: on, net: shown });
      });
    if (view === "flat") stage.current = flat();
    else {
      try {
        const made = new SolidStage(element, board, events, () => setFault(LOST));
        stage.current = made;
        setFault(undefined);
        void loader.current?.load(leaving.signal, {
          onModel: (place, object) => made.addModel(place, object),
          onProgress: setModels,
        });
      } catch {
        setFault(NO_WEBGL);
        latest.current.onNo3d();
      }
    }
    return () => {
      leaving.abort();
      stage.current?.dispose();
      stage.current = undefined;
    };
  }, [host, stage, board, reader, view]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another stage
  useEffect(() => stage.current?.setSide(side), [stage, side, board, view]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another stage
  useEffect(() => stage.current?.setMarks({ part, measured }), [stage, part, measured, board, view]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has another stage
  useEffect(() => {
    const shown = stage.current;
    if (shown instanceof FlatStage) shown.repaint();
    if (!(shown instanceof SolidStage)) return;
    const on: string[] = JSON.parse(layers);
    for (const each of ["front", "back"] as const) shown.showParts(each, on.includes(PARTS[each]));
    const leaving = new AbortController();
    void paintSides(shown, open, { layers: on, net }, latest.current.picks.side, leaving.signal);
    return () => leaving.abort();
  }, [stage, open, layers, net, view]);

  return { fault, models };
}

/** The side that is seen first, coarse before sharp. */
async function paintSides(
  stage: SolidStage,
  { board, reader }: OpenBoard,
  look: { layers: readonly string[]; net: number },
  first: Side,
  signal: AbortSignal,
): Promise<void> {
  const { left, top, right, bottom } = board.outline.box;
  const sides: Side[] = first === "front" ? ["front", "back"] : ["back", "front"];
  try {
    for (const longest of PICTURE_PX) {
      const scale = longest / Math.max(right - left, bottom - top);
      const [width, height] = [Math.ceil((right - left) * scale), Math.ceil((bottom - top) * scale)];
      for (const side of sides) {
        if (signal.aborted) return;
        const order = { ...look, side, width, height, left, top, scale, isMirrored: false };
        const bitmap = await reader.ask({ kind: "paint", ...order });
        if (signal.aborted) return bitmap.close();
        stage.setPicture(side, bitmap);
      }
    }
  } catch {
    // The reader was closed, or the board replaced: there is nothing to paint any more.
  }
}
