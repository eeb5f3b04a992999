import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import type { Model } from "./load-model.ts";
import { lengthWords, sizeOfBox, type ViewName } from "./measures.ts";
import { Stage } from "./stage.ts";

type Props = {
  model: Model;
  name: string;
  isDropped: boolean;
  isHidden: boolean;
  takesFocus: { current: boolean };
  onPick: () => void;
};

const LOOKS: readonly [name: ViewName, word: string][] = [
  ["iso", "Iso"],
  ["top", "Top"],
  ["front", "Front"],
  ["side", "Side"],
];
const KEYS =
  "Arrow keys turn the model, with Shift they move it. Plus and minus zoom, 0 fits it into the view, 1 to 4 choose a view.";
const NO_WEBGL =
  "This browser cannot show 3D: WebGL is off or missing. Turn on hardware acceleration, then open the panel again.";
const LOST = "The graphics card has reset this view. Open the model again.";

export function ModelView({ model, name, isDropped, isHidden, takesFocus, onPick }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(undefined);
  const [fault, setFault] = useState<string>();
  const [stepMm, setStepMm] = useState<number>();
  const [isWireframe, setWireframe] = useState(false);

  useEffect(() => {
    if (!host.current) return;
    try {
      stage.current = new Stage(host.current, () => setFault(LOST));
    } catch {
      setFault(NO_WEBGL);
    }
    return () => {
      stage.current?.dispose();
      stage.current = undefined;
    };
  }, []);

  useEffect(() => {
    setStepMm(stage.current?.show(model));
  }, [model]);

  useEffect(() => stage.current?.setWireframe(isWireframe), [isWireframe]);

  useEffect(() => {
    if (isHidden || !takesFocus.current) return;
    takesFocus.current = false;
    host.current?.focus();
  }, [isHidden, takesFocus]);

  const { min, max } = model.box;
  const size = { x: max.x - min.x, y: max.y - min.y, z: max.z - min.z };
  return (
    <div className="model-view" hidden={isHidden}>
      <div className="panel-tools">
        <Button look="quiet" size="small" onClick={() => stage.current?.look()}>
          Fit
        </Button>
        {LOOKS.map(([look, word]) => (
          <Button key={look} look="quiet" size="small" onClick={() => stage.current?.look(look)}>
            {word}
          </Button>
        ))}
        <span className="grow" />
        <button
          className="switch"
          type="button"
          role="switch"
          aria-checked={isWireframe}
          onClick={() => setWireframe(!isWireframe)}
        >
          Wireframe
          <i />
        </button>
        <Button look="quiet" size="small" onClick={onPick}>
          Open
        </Button>
      </div>
      {fault !== undefined && (
        <div className="viewer-fault">
          <Note tone="warn" role="alert">
            {fault}
          </Note>
        </div>
      )}
      <div
        ref={host}
        className="viewer-stage"
        role="application"
        data-takes-keys=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the arrow keys
        tabIndex={0}
        aria-label={`${name}, ${sizeOfBox(size)}`}
        aria-description={KEYS}
        onKeyDown={(event) => stage.current && moveByKey(stage.current, event)}
      />
      <div className="panel-status viewer-status">
        <span>{sizeOfBox(size)}</span>
        <span className="grow" />
        {isDropped && <span>Only in this browser</span>}
        <span>
          {model.triangles.toLocaleString("en")} {model.triangles === 1 ? "triangle" : "triangles"}
        </span>
        {stepMm !== undefined && <span>Grid {lengthWords(stepMm)}</span>}
      </div>
    </div>
  );
}

const ARROWS: Readonly<Record<string, readonly [sideways: number, upwards: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function moveByKey(stage: Stage, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  const look = LOOKS[Number(event.key) - 1]?.[0];
  if (arrow && event.shiftKey) stage.shift(...arrow);
  else if (arrow) stage.turn(...arrow);
  else if (event.key === "+" || event.key === "=") stage.zoom(1);
  else if (event.key === "-") stage.zoom(-1);
  else if (event.key === "0") stage.look();
  else if (look) stage.look(look);
  else return;
  event.preventDefault();
}
