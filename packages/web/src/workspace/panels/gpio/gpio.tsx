import "./gpio.css";
import type { JsonObject } from "@backplane/contract/panels";
import { useId, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import { numberOf } from "../../controls/json.ts";
import { choicesOf, limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { useAsked } from "../../controls/use-asked.ts";
import { useTrack } from "../../controls/use-track.ts";
import { useValues, type Values } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import type { Track } from "../../parts/plot/track.ts";
import { areaOf, changesOf, changesWords, edgesOf, fieldOf, type Pin, pathOf, pinWords, readPins } from "./pins.ts";

export const mount = devicePanel({ noun: "board", Content: Gpio });

const WINDOW_MS = 30_000;
const MODE_WORDS: Readonly<Record<string, string>> = { in: "In", out: "Out", pwm: "PWM", adc: "ADC" };

/** The header as it is on the board, the last 30 s of every pin, and what one pin is set to. */
function Gpio(props: DeviceContent) {
  const { capability } = props;
  const values = useValues(props);
  const track = useTrack(props, WINDOW_MS);
  const pins = readPins(values.pins, capability);
  const used = pins.filter(({ mode }) => mode !== undefined);
  const [name, setName] = useState<string>();
  const [view, setView] = useState<"header" | "traces">("traces");
  const writable = choicesOf(capability.commands.write, "pin");
  const chosen = used.find((pin) => pin.name === name) ?? used.find((pin) => pin.mode === "out") ?? used[0];
  const nowMs = props.context.clock.nowMs();
  const shared = { chosen: chosen?.name, onChoose: setName, values };
  return (
    <div className="gpio" data-view={view}>
      <div className="gpio-views">
        <Segmented
          label="View"
          choices={
            [
              ["header", "Header"],
              ["traces", "Traces"],
            ] as const
          }
          value={view}
          onChange={setView}
        />
      </div>
      <Header pins={pins} {...shared} />
      <Traces pins={used} {...shared} {...{ track, nowMs }} />
      {chosen && (
        <PinSettings
          key={chosen.name}
          {...props}
          pin={chosen}
          values={values}
          isWritable={writable.includes(chosen.name)}
          changes={changesWords(changesOf(edgesOf(track, fieldOf(chosen), nowMs - WINDOW_MS)), nowMs)}
        />
      )}
    </div>
  );
}

type PinsProps = { pins: readonly Pin[]; values: Values; chosen: string | undefined; onChoose: (name: string) => void };

const labelOf = (name: string): string => name.toUpperCase().replace(/^(GPIO|ADC)(\d)/, "$1 $2");

/** Odd pins at the left, even ones at the right. */
const Header = ({ pins, values, chosen, onChoose }: PinsProps) => (
  <ol className="gpio-header" aria-label="Header">
    {pins.map((pin, i) => {
      const words = pin.mode === undefined ? "" : pinWords(pin, values);
      const place = pin.place ?? i + 1;
      const content = (
        <>
          <span className="gpio-value" data-field={pin.name}>
            {words}
          </span>
          <span className="gpio-name">{labelOf(pin.name)}</span>
          <i className={pin.mode === undefined ? "fixed" : words === "high" ? "high" : pin.mode} aria-hidden="true" />
        </>
      );
      return (
        <li key={place} className={place % 2 === 1 ? "left" : "right"}>
          {pin.mode === undefined ? (
            <span className="gpio-pin">{content}</span>
          ) : (
            <button
              className="gpio-pin"
              type="button"
              aria-pressed={pin.name === chosen}
              onClick={() => onChoose(pin.name)}
            >
              {content}
            </button>
          )}
        </li>
      );
    })}
  </ol>
);

const [WIDTH, HEIGHT] = [300, 30];
const y = (share: number): number => HEIGHT - 5 - share * (HEIGHT - 10);

/** One lane per pin; every change has a mark. */
function Traces({ pins, values, chosen, onChoose, track, nowMs }: PinsProps & { track: Track; nowMs: number }) {
  const x = (tMs: number) => WIDTH * Math.max(0, 1 - (nowMs - tMs) / WINDOW_MS);
  return (
    <div className="gpio-traces">
      {pins.map((pin) => {
        const isDigital = pin.mode === "in" || pin.mode === "out";
        const edges = edgesOf(track, fieldOf(pin), nowMs - WINDOW_MS);
        const span = pin.mode === "pwm" ? 100 : pin.mode === "adc" ? 3.3 : 1;
        const frame = { x, y, toMs: nowMs, span };
        const isStepped = isDigital || pin.mode === "pwm";
        const look = pin.mode === "in" || pin.mode === "adc" ? " in" : "";
        return (
          <button
            key={pin.name}
            className="gpio-lane"
            type="button"
            aria-pressed={pin.name === chosen}
            onClick={() => onChoose(pin.name)}
          >
            <span className="gpio-lane-name">
              {labelOf(pin.name)} <small className="cut">{[pin.mode, pin.note].filter(Boolean).join(", ")}</small>
            </span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              {isStepped && <path className={`area${look}`} d={areaOf(edges, frame)} />}
              <path className={`trace${look}`} d={pathOf(edges, frame, isStepped)} />
              {isDigital &&
                edges
                  .slice(1)
                  .map(({ tMs }) => <path key={tMs} className="mark" d={`M${x(tMs).toFixed(1)} ${HEIGHT - 3}v3`} />)}
            </svg>
            <span className="gpio-now">{pinWords(pin, values)}</span>
          </button>
        );
      })}
      <p className="gpio-axis">
        <span>−30</span>
        <span>−20</span>
        <span>−10</span>
        <span>0 s</span>
      </p>
    </div>
  );
}

type SettingsProps = DeviceContent & { pin: Pin; values: Values; isWritable: boolean; changes: string };

function PinSettings(props: SettingsProps) {
  const { capability, commands, pin, values, isWritable, changes } = props;
  const { why } = usePermission(props, "powers");
  const [ms, setMs] = useState(50);
  const id = useId();
  const label = labelOf(pin.name);
  const send = (name: string, params: JsonObject, words: string) => {
    if (why === undefined) return commands.send(name, { pin: pin.name, ...params }, words);
    return Promise.resolve({ ok: false, tookMs: 0 });
  };
  const { asked, ask } = useAsked<number>((duty) => send("pwm", { duty_pct: duty }, `${label} ${duty} %`));
  const now = pinWords(pin, values);
  const isHigh = now === "high";
  const modes = choicesOf(capability.commands.mode, "mode").map((mode) => [mode, MODE_WORDS[mode] ?? mode] as const);
  return (
    <div className="gpio-pin-settings">
      <div>
        <span className="control-label">{pin.place === undefined ? "Pin" : `Pin ${pin.place}`}</span>
        <b>
          {label}
          {pin.note === undefined ? "" : `, ${pin.note}`}
        </b>
      </div>
      {isWritable && modes.length > 0 && (
        <div>
          <span className="control-label">Mode</span>
          <Segmented
            label="Mode"
            choices={modes}
            value={pin.mode}
            onChange={(mode) => void send("mode", { mode }, `${label} ${MODE_WORDS[mode] ?? mode}`)}
          />
        </div>
      )}
      {isWritable && pin.mode === "out" && (
        <>
          <div>
            <span className="control-label">Write</span>
            <Segmented
              label="Write"
              choices={
                [
                  ["low", "Low"],
                  ["high", "High"],
                ] as const
              }
              value={now === "low" || isHigh ? (now as "low" | "high") : undefined}
              onChange={(to) => void send("write", { high: to === "high" }, `write ${label} ${to}`)}
            />
          </div>
          <div>
            <label className="control-label" htmlFor={id}>
              Pulse in ms, then back
            </label>
            <span className="gpio-pulse number-inputs">
              <input
                id={id}
                type="number"
                min={1}
                max={5_000}
                value={ms}
                onChange={(event) => setMs(event.target.valueAsNumber)}
              />
              <Button
                size="small"
                disabled={!(ms >= 1)}
                onClick={() =>
                  void send("pulse", { high: !isHigh, ms }, `pulse ${label} ${isHigh ? "low" : "high"} ${ms} ms`)
                }
              >
                {isHigh ? "Pulse low" : "Pulse high"}
              </Button>
            </span>
          </div>
        </>
      )}
      {isWritable && pin.mode === "pwm" && (
        <Slider
          {...{ why, label: "Duty", unit: "%", step: 1 }}
          limits={limitsOf(capability, "pwm", "duty_pct")}
          value={asked ?? numberOf(values[fieldOf(pin)])}
          measured={numberOf(values[fieldOf(pin)])}
          onChange={(duty) => void ask(duty)}
        />
      )}
      <p className="hint">
        {[
          changes,
          pin.pull !== undefined && `pull ${pin.pull}`,
          pin.start !== undefined && `starts ${pin.start} after a reset`,
          isWritable && why,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </div>
  );
}
