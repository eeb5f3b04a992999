import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import type { Fitting } from "../../device-panel/fitting.ts";
import { keyOf, type LampState, lampName, lampsBetween, type Place, stateWords, within } from "./room.ts";

type Props = {
  lamps: readonly Fitting[];
  states: ReadonlyMap<string, LampState>;
  places: ReadonlyMap<string, Place>;
  chosen: ReadonlySet<string>;
  /** Lamps that were asked for something and did not change. */
  unchanged: ReadonlySet<string>;
  isArranging: boolean;
  /** What was recorded is shown: whether a lamp is lost now says nothing about it. */
  isReplay: boolean;
  /** Lines this far apart, as a share of its width. */
  scale: { share: number } | undefined;
  onChoose: (keys: readonly string[]) => void;
  onPlace: (key: string, place: Place) => void;
};

const MOVED_PX = 4;
const STEP = 0.02;
const MOVES: Readonly<Record<string, Place>> = {
  ...{ ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] },
};

/** The lamps where they are in the room. A drag across lamps chooses them; while they are arranged, it moves one. */
export function Plan(props: Props) {
  const { lamps, states, places, chosen, unchanged, isArranging, isReplay, scale, onChoose, onPlace } = props;
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ from: Place; x: number; y: number; lamp: string | undefined; isMoved: boolean }>(undefined);
  const [area, setArea] = useState<readonly [Place, Place]>();

  function placeIn({ clientX, clientY }: PointerEvent): Place {
    const { left, top, width, height } = (box.current as HTMLDivElement).getBoundingClientRect();
    return [(clientX - left) / width, (clientY - top) / height];
  }
  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const lamp = (event.target as Element).closest<HTMLElement>("[data-lamp]")?.dataset.lamp;
    drag.current = { from: placeIn(event), x: event.clientX, y: event.clientY, lamp, isMoved: false };
  }
  function move(event: PointerEvent): void {
    const one = drag.current;
    if (!one) return;
    if (!one.isMoved && Math.hypot(event.clientX - one.x, event.clientY - one.y) < MOVED_PX) return;
    if (!one.isMoved) event.currentTarget.setPointerCapture(event.pointerId);
    one.isMoved = true;
    const to = placeIn(event);
    if (isArranging) {
      if (one.lamp !== undefined) onPlace(one.lamp, [within(to[0]), within(to[1])]);
      return;
    }
    setArea([one.from, to]);
    onChoose(lampsBetween(places, one.from, to));
  }
  function up(event: PointerEvent): void {
    const one = drag.current;
    drag.current = undefined;
    setArea(undefined);
    if (!one || one.isMoved || isArranging) return;
    if (one.lamp === undefined) onChoose([]);
    else onChoose(event.shiftKey ? toggled(chosen, one.lamp) : [one.lamp]);
  }
  const onKeyDown = (key: string, place: Place) => (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onChoose(toggled(chosen, key));
    }
    const by = MOVES[event.key];
    if (!by || !isArranging) return;
    event.preventDefault();
    onPlace(key, [within(place[0] + by[0]), within(place[1] + by[1])]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      ref={box}
      className="lights-plan"
      role="group"
      aria-label="Plan of the room"
      data-arranging={isArranging || undefined}
      style={{ "--grid": `${100 * (scale?.share ?? 0.125)}cqi` } as CSSProperties}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      {area && <i className="lights-area" style={areaStyle(area)} />}
      {lamps.map((lamp) => {
        const key = keyOf(lamp);
        const place = places.get(key) ?? [0.5, 0.5];
        const state = states.get(key);
        const { tone, word } = lookOf(lamp, state, { isUnchanged: unchanged.has(key), isReplay });
        return (
          <button
            key={key}
            type="button"
            className={`lamp ${tone}`}
            data-lamp={key}
            aria-pressed={chosen.has(key)}
            style={{
              left: `${100 * place[0]}%`,
              top: `${100 * place[1]}%`,
              ...glowOf(tone === "on" ? state : undefined),
            }}
            onKeyDown={onKeyDown(key, place)}
          >
            <i aria-hidden="true" />
            <b>{lampName(lamp)}</b>
            <span data-field={key}>{word}</span>
          </button>
        );
      })}
    </div>
  );
}

const toggled = (chosen: ReadonlySet<string>, key: string): string[] =>
  chosen.has(key) ? [...chosen].filter((one) => one !== key) : [...chosen, key];

const areaStyle = ([[x0, y0], [x1, y1]]: readonly [Place, Place]) => ({
  left: `${100 * Math.min(x0, x1)}%`,
  top: `${100 * Math.min(y0, y1)}%`,
  width: `${100 * Math.abs(x1 - x0)}%`,
  height: `${100 * Math.abs(y1 - y0)}%`,
});

type Looked = { isUnchanged: boolean; isReplay: boolean };

function lookOf({ device }: Fitting, state: LampState | undefined, { isUnchanged, isReplay }: Looked) {
  const isLost = device.state === "lost" || device.state === "disconnected";
  if (isLost && !isReplay) return { tone: "lost", word: "lost" };
  if (isUnchanged) return { tone: "same", word: "no change" };
  if (state?.on === undefined) return { tone: "off", word: "no value" };
  return state.on ? { tone: "on", word: stateWords({ ...state, kelvin: undefined }) } : { tone: "off", word: "off" };
}

/** The light of the lamp: its own measured colour and brightness. */
function glowOf(state: LampState | undefined): Record<string, string> {
  if (!state) return {};
  const cold = Math.max(0, Math.min(1, ((state.kelvin ?? 2_700) - 2_200) / 4_300));
  const light = `color-mix(in srgb, #cfe0ff ${100 * cold}%, #ffbe6e)`;
  return { "--light": light, "--size": `${50 + (state.brightness_pct ?? 100)}px` };
}
