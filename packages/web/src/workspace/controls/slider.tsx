import "./controls.css";
import { type KeyboardEvent, useId } from "react";
import { numberWords, withUnit } from "../parts/plot/words.ts";
import type { Limits } from "./params.ts";

type Props = {
  label: string;
  /** What is asked for; undefined: nothing, and the device does not say either. */
  value: number | undefined;
  limits: Limits;
  step: number;
  unit?: string | undefined;
  digits?: number;
  /** What the device says that it is: a bar beside the box of what is asked. */
  measured?: number | undefined;
  /** What may be set now is less than the whole: the rest is hatched. */
  reachable?: Limits;
  why?: string | undefined;
  /** Instead of the track, such as all hues. */
  look?: "hue";
  onChange: (value: number) => void;
};

/** A target between its limits. Arrows change it by a step, with Shift by ten. */
export function Slider(props: Props) {
  const { label, value, limits, step, unit, digits = 0, measured, reachable, why, look, onChange } = props;
  const [min, max] = limits;
  const id = useId();
  const at = (one: number) => `${100 * Math.max(0, Math.min(1, (one - min) / (max - min)))}%`;
  const words = (one: number | undefined) =>
    one === undefined ? "–" : withUnit(numberWords(one, digits, { thousands: false }), unit);
  const isAway = measured !== undefined && value !== undefined && Math.abs(measured - value) > step;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined || !event.shiftKey || why !== undefined) return;
    event.preventDefault();
    onChange(Math.max(min, Math.min(max, (value ?? min) + 10 * by * step)));
  };
  return (
    <div className="slider">
      <label htmlFor={id}>{label}</label>
      <span className={look === "hue" ? "slider-track hue" : "slider-track"}>
        {reachable && (
          <>
            <i className="no" style={{ left: 0, right: `calc(100% - ${at(reachable[0])})` }} />
            <i className="no" style={{ left: at(reachable[1]), right: 0 }} />
          </>
        )}
        {measured !== undefined && <i className="was" style={{ left: at(measured) }} />}
        <input
          id={id}
          type="range"
          {...{ min, max, step, value: value ?? min }}
          disabled={why !== undefined}
          title={why}
          aria-valuetext={isAway ? `asked ${words(value)}, measured ${words(measured)}` : words(value)}
          onChange={(event) => onChange(Number(event.target.value))}
          onKeyDown={onKeyDown}
        />
      </span>
      <output htmlFor={id}>{words(value)}</output>
    </div>
  );
}
