import type { Point } from "@backplane/kicad/schematic";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import type { PanelContext } from "../../panel.ts";
import { numberWords } from "../../parts/plot/words.ts";
import { ToolButton } from "../../parts/tool-button.tsx";
import { nameOf } from "../project-files/paths.ts";
import { BoardLists, type ListName } from "./lists.tsx";
import type { Models } from "./models/load-models.ts";
import { PictureMenu } from "./picture-menu.tsx";
import { MAX_PINS, type ShownPin, usePins } from "./pins.ts";
import { heightOf } from "./stage/part-boxes.ts";
import type { BoardStage, Measured } from "./stage/stage.ts";
import { useStage } from "./stage/use-stage.ts";
import type { OpenBoard } from "./use-board.ts";
import { usePicks } from "./use-picks.ts";

type Props = {
  context: PanelContext;
  path: string;
  open: OpenBoard;
  isHidden: boolean;
  takesFocus: { current: boolean };
  onPick: () => void;
};

const KEYS = [
  "In 3D, arrow keys turn the board, with Shift they move it, and T looks straight at it.",
  "In the flat view, arrow keys move the crosshair by 1 mm, with Shift by 10 mm, and Enter picks what is there.",
  "Plus and minus zoom, 0 shows the whole board, F flips it, V changes the view, M measures, Escape ends.",
].join(" ");

const MODELS =
  "A part shows the .step, .stp or .glb of the name that the board gives, from the project or a library package. Pick a part to see why it is a box.";

const mm = (value: number): string => `${numberWords(value, 2)} mm`;

function measuredWords({ from, to }: Measured): string {
  if (!to) return "Measure: pick the second place.";
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  return `${mm(Math.hypot(dx, dy))} (${numberWords(dx, 2)} across, ${numberWords(dy, 2)} up)`;
}

/** An open board: the view of it, and the lists beside. */
export function BoardView({ context, path, open, isHidden, takesFocus, onPick }: Props) {
  const { board, reader } = open;
  const host = useRef<HTMLDivElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const stage = useRef<BoardStage>(undefined);
  const [list, setList] = useState<ListName>("layers");
  const [isListOpen, setListOpen] = useState(false);
  const [isMeasuring, setMeasuring] = useState(false);
  const [measured, setMeasured] = useState<Measured>();
  const reveal = (place: number) => {
    const part = board.parts[place];
    if (part) stage.current?.reveal(part.yard?.at ?? part.at);
  };
  const { picks, choose } = usePicks(context, board, reveal);
  const pins = usePins(context, picks.pins);

  const measure = async (at: Point, withinMm: number) => {
    const snapped = await reader.ask({ kind: "snap", at, withinMm: Math.max(withinMm, 0.3) });
    setMeasured((before) =>
      before && !before.to ? { from: before.from, to: snapped } : { from: snapped, to: undefined },
    );
  };
  const find = async (at: Point, withinMm: number, body: number) => {
    const { side, layers } = picks;
    const found =
      body >= 0 ? { net: -1, part: body } : await reader.ask({ kind: "find", at, withinMm, side, layers, net: -1 });
    choose.part(found?.part ?? -1);
    if (body < 0) choose.net(found?.net ?? -1);
  };
  const { fault, models } = useStage({
    ...{ host, stage, open, picks, measured, project: context.workspace },
    onPress: (at, withinMm, body) =>
      void (isMeasuring ? measure(at, withinMm) : find(at, withinMm, body)).catch(() => {}),
    onMoved: () => placeLabels(stage.current, labels.current, board),
    onNo3d: () => choose.view("flat"),
  });
  const words = pins.map(({ key, words: value }) => key + value).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels are placed again when there are others
  useEffect(() => placeLabels(stage.current, labels.current, board), [words, board, picks.side]);

  useEffect(() => {
    if (isHidden || !takesFocus.current) return;
    takesFocus.current = false;
    host.current?.focus();
  }, [isHidden, takesFocus]);

  const toggleMeasure = () => {
    setMeasuring(!isMeasuring);
    setMeasured(undefined);
  };
  const showList = (name: ListName) => {
    setList(name);
    setListOpen(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "+" || key === "=") stage.current?.zoom(1);
    else if (key === "-") stage.current?.zoom(-1);
    else if (key === "0") stage.current?.fit();
    else if (key === "f") choose.side(picks.side === "front" ? "back" : "front");
    else if (key === "v") choose.view(picks.view === "3d" ? "flat" : "3d");
    else if (key === "m") toggleMeasure();
    else if (stage.current?.press(key, event.shiftKey)) undefined;
    else if (key === "Escape" && isMeasuring) toggleMeasure();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const { left, top, right, bottom } = board.outline.box;
  const copper = board.layers.filter(({ kind }) => kind === "copper").length;
  const size = `${numberWords(right - left, 1)} × ${numberWords(bottom - top, 1)} mm`;
  const status = statusWords(picks.part < 0 ? undefined : board.parts[picks.part]?.name, board.nets[picks.net]?.name);
  return (
    <div className="board-open" hidden={isHidden}>
      <div className="panel-tools" role="toolbar" aria-label="Board">
        <Button look="quiet" size="small" onClick={onPick}>
          Open
        </Button>
        <Segmented
          label="View"
          choices={[
            ["3d", "3D"],
            ["flat", "Flat"],
          ]}
          value={picks.view}
          onChange={choose.view}
        />
        <Segmented
          label="Side"
          choices={[
            ["front", "Front"],
            ["back", "Back"],
          ]}
          value={picks.side}
          onChange={choose.side}
        />
        <span className="board-zoom">
          <ToolButton icon="minus" label="Zoom out" onClick={() => stage.current?.zoom(-1)} />
          <ToolButton icon="plus" label="Zoom in" onClick={() => stage.current?.zoom(1)} />
        </span>
        <ToolButton icon="expand" label="Fit the board" onClick={() => stage.current?.fit()} />
        <button className="switch" type="button" role="switch" aria-checked={isMeasuring} onClick={toggleMeasure}>
          Measure
          <i />
        </button>
        <span className="grow" />
        <ToolButton icon="search" label="Find a part" onClick={() => showList("parts")} />
        <span className="board-lists-button">
          <Button look="quiet" size="small" expanded={isListOpen} onClick={() => setListOpen(!isListOpen)}>
            Lists
          </Button>
        </span>
        <PictureMenu {...{ context, path, stage }} />
      </div>
      {fault !== undefined && (
        <div className="board-note">
          <Note tone="warn" role="alert">
            {fault}
          </Note>
        </div>
      )}
      {board.notes.map((note) => (
        <div className="board-note" key={note}>
          <Note tone="warn">{note}</Note>
        </div>
      ))}
      <div className="board-body" data-list={isListOpen || undefined}>
        <div className="board-middle">
          <div
            ref={host}
            className="board-stage"
            data-measuring={isMeasuring || undefined}
            role="application"
            data-takes-keys=""
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the keys
            tabIndex={0}
            aria-label={`${nameOf(path)}, ${size}, ${picks.side}`}
            aria-description={KEYS}
            onKeyDown={onKeyDown}
          />
          <Labels pins={pins} ref={labels} picked={board.parts[picks.part]?.name} />
          {isMeasuring && (
            <p className="board-measured" role="status">
              {measured ? measuredWords(measured) : "Measure: pick the first place."}
            </p>
          )}
        </div>
        <BoardLists
          {...{ context, board, models, picks, choose, pins, list, isOpen: isListOpen }}
          mayAdd={picks.pins.length < MAX_PINS}
          onList={setList}
          onReveal={reveal}
          onClose={() => {
            setListOpen(false);
            host.current?.focus();
          }}
        />
      </div>
      <div className="panel-status board-status">
        <span>
          {size}, {copper} {copper === 1 ? "layer" : "layers"}
        </span>
        <span className="wide">{count(board.parts.length, "part")}</span>
        {models && models.named > 0 && (
          <span className="wide" title={MODELS}>
            {modelWords(models)}
          </span>
        )}
        <span className="grow" />
        <span role="status">{status}</span>
      </div>
    </div>
  );
}

const count = (number: number, word: string): string => `${number} ${number === 1 ? word : `${word}s`}`;

function modelWords({ shown, named, isDone }: Models): string {
  if (!isDone) return `Loading models, ${shown} of ${named} parts`;
  if (shown === 0) return "Parts as boxes";
  return shown < named ? `${count(shown, "model")}, other parts as boxes` : count(shown, "model");
}

const statusWords = (part: string | undefined, net: string | undefined): string =>
  [part && `Part ${part}`, net && `Net ${net}`].filter(Boolean).join(", ");

type LabelsProps = { pins: readonly ShownPin[]; picked: string | undefined; ref: React.Ref<HTMLDivElement> };

/** Values of devices at their parts. */
function Labels({ pins, picked, ref }: LabelsProps) {
  return (
    <div className="board-labels" ref={ref}>
      {pins.map(({ key, part, label, words, isLost }) => (
        <div
          key={key}
          className="board-label"
          data-part={part}
          data-lost={isLost}
          data-picked={part === picked || undefined}
        >
          <span>{label}</span>
          <b>{words}</b>
        </div>
      ))}
    </div>
  );
}

/** Several labels of one part are below each other. */
const LABEL_STEP_PX = 42;

function placeLabels(stage: BoardStage | undefined, box: HTMLElement | null, { parts }: OpenBoard["board"]): void {
  if (!stage || !box) return;
  const times = new Map<string, number>();
  for (const label of box.children) {
    if (!(label instanceof HTMLElement)) continue;
    const name = label.dataset.part ?? "";
    const part = parts.find((each) => each.name === name);
    const at = part && stage.pixelOf(part.yard?.at ?? part.at, heightOf(part), part.side);
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    label.hidden = at === undefined;
    if (at) label.style.translate = `${Math.round(at.x)}px ${Math.round(at.y) + before * LABEL_STEP_PX}px`;
  }
}
