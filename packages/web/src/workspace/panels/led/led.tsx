import "./led.css";
import type { JsonObject } from "@backplane/contract/panels";
import { useCallback, useState } from "react";
import { Note } from "../../../parts/note.tsx";
import { drawLimit, drawLine } from "../../controls/draw.ts";
import { numberOf } from "../../controls/json.ts";
import { choicesOf, limitsOf, paramsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { Switch } from "../../controls/switch.tsx";
import { useAsked } from "../../controls/use-asked.ts";
import { recentPoints, useTrack } from "../../controls/use-track.ts";
import { Meter, shown, useValues } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { Chart } from "../../parts/plot/chart.tsx";
import type { Painter } from "../../parts/plot/paint.ts";
import { heldWords, hueOf, type Rgb, readPixels, readSegments, rgbOfHue, type Segment } from "./strip.ts";

export const mount = devicePanel({ noun: "LED strip", Content: Led });

const WINDOW_MS = 60_000;
/** More pixels are drawn in several lines, without the names of the segments above. */
const ONE_LINE = 80;

/** What the strip really shows, what it is told, and what it draws of its current budget. */
function Led(props: DeviceContent) {
  const values = useValues(props);
  const pixels = readPixels(values.pixels);
  const segments = readSegments(values, pixels.length);
  const [chosen, setChosen] = useState(0);
  const segment = segments[chosen] ?? (segments[0] as Segment);
  const budgetA = numberOf(values.budget_a);
  const currentA = numberOf(values.current_a);
  const wantedA = numberOf(values.wanted_a);
  return (
    <div className="led">
      <Strip
        pixels={pixels.length > 0 ? pixels : [segment.on ? (segment.rgb ?? undefined) : [0, 0, 0]]}
        segments={segments}
      />
      <div className="led-parts">
        <Settings key={segment.name} {...props} segment={segment} current={{ wantedA, budgetA }} />
        <div className="led-draws">
          {budgetA !== undefined && currentA !== undefined && (
            <>
              <div className="control-head">
                <h3>Current budget</h3>
                <span className="grow" />
                <span className={currentA > 0.95 * budgetA ? "warn" : ""}>
                  <b className="measured" data-field="current_a">
                    {shown(currentA, 2)}
                  </b>{" "}
                  of {budgetA.toFixed(1)} A
                </span>
              </div>
              <Meter share={currentA / budgetA} label="Current of the budget" />
              <Draws {...props} budgetA={budgetA} />
            </>
          )}
          {segments.length > 1 && <Segments {...{ segments, chosen, onChoose: setChosen }} />}
        </div>
      </div>
    </div>
  );
}

const colourOf = (rgb: Rgb): string => `rgb(${rgb.join(" ")})`;

/** Live pixels, each as the strip says that it is. */
function Strip({ pixels, segments }: { pixels: readonly (Rgb | undefined)[]; segments: readonly Segment[] }) {
  const dead = pixels.flatMap((pixel, i) => (pixel ? [] : [i]));
  const answer = dead.length === 0 ? "all answer" : `${dead.join(", ")} do not answer`;
  return (
    <div className="led-strip">
      {segments.length > 1 && pixels.length <= ONE_LINE && (
        <div className="led-names" aria-hidden="true">
          {segments.map(({ name, from, to }) => (
            <span key={name} style={{ flex: to - from + 1 }}>
              {name}
            </span>
          ))}
        </div>
      )}
      <div className="led-pixels" role="img" aria-label={`Live pixels 0 to ${pixels.length - 1}; ${answer}`}>
        {pixels.map((pixel, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pixel is its place
          <i key={i} className={pixel ? "" : "dead"} style={pixel && { background: colourOf(pixel) }} />
        ))}
      </div>
      {pixels.length > 1 && (
        <p className="hint">
          {pixels.length - dead.length} of {pixels.length} pixels answer
          {dead.length > 0 && <span className="danger"> · {dead.slice(0, 8).join(", ")} dead</span>}
        </p>
      )}
    </div>
  );
}

type SettingsProps = DeviceContent & {
  segment: Segment;
  current: { wantedA: number | undefined; budgetA: number | undefined };
};

function Settings(props: SettingsProps) {
  const { capability, commands, segment, current } = props;
  const { why } = usePermission(props, "changes");
  const known = paramsOf(capability.commands.set);
  const place = segment.name === undefined ? {} : { segment: segment.name };
  const { asked = {}, ask } = useAsked<JsonObject>(({ hue, ...params }) =>
    commands.send(
      "set",
      { ...place, ...params },
      `${segment.name ?? ""} ${wordsOf({ hue: hue ?? null, ...params })}`.trim(),
    ),
  );
  const wanted = (name: string, measured: number | undefined) => numberOf(asked[name]) ?? measured;
  const slider = (label: string, name: string, measured: number | undefined, unit: string, step = 1) =>
    Object.hasOwn(known, name) && (
      <Slider
        {...{ label, unit, step, why }}
        limits={limitsOf(capability, "set", name)}
        value={wanted(name, measured)}
        measured={measured}
        onChange={(value) => void ask({ [name]: value })}
      />
    );
  const held = heldWords(segment, current);
  const effects = choicesOf(capability.commands.set, "effect");
  const brightness = wanted("brightness_pct", segment.askedPct ?? segment.brightnessPct);
  return (
    <div className="control-side">
      <div className="control-head">
        <h3>
          {segment.name === undefined ? "Whole strip" : `${segment.name}, pixels ${segment.from} to ${segment.to}`}
        </h3>
        <span className="grow" />
        <span className="hint">{segment.on === undefined ? "no value yet" : segment.on ? "on" : "off"}</span>
        <Switch
          label="On"
          isOn={segment.on}
          isAsked={asked.on !== undefined}
          why={why}
          onChange={(on) => void ask({ on })}
        />
      </div>
      {Object.hasOwn(known, "brightness_pct") && (
        <>
          <Slider
            {...{ why, label: "Brightness", unit: "%", step: 1 }}
            limits={limitsOf(capability, "set", "brightness_pct")}
            value={brightness}
            measured={segment.brightnessPct}
            onChange={(value) => void ask({ brightness_pct: value })}
          />
          <p className="led-reached measured">
            reached <span data-field="brightness_pct">{shown(segment.brightnessPct, 0)}</span> %
          </p>
        </>
      )}
      {Object.hasOwn(known, "rgb") && (
        <Slider
          {...{ why, label: "Colour", unit: "°", step: 1, look: "hue" as const }}
          limits={[0, 359]}
          value={numberOf(asked.hue) ?? hueOf(segment.rgb ?? [0, 0, 0])}
          onChange={(hue) => void ask({ hue, rgb: [...rgbOfHue(hue)] })}
        />
      )}
      {slider("White", "kelvin", segment.kelvin, "K", 100)}
      {slider("Speed", "speed_pct", segment.speedPct, "%")}
      {held && (
        <Note tone="warn">
          <strong>{held.held}</strong> {held.why}
        </Note>
      )}
      {effects.length > 0 && (
        <>
          <h3 className="control-label">Effect</h3>
          <div className="chips">
            {effects.map((effect) => (
              <button
                key={effect}
                type="button"
                aria-pressed={segment.effect === effect}
                aria-disabled={why !== undefined || undefined}
                title={why}
                onClick={() => why === undefined && void ask({ effect })}
              >
                {effect}
              </button>
            ))}
          </div>
        </>
      )}
    </div>
  );
}

/** cabin 80 %, 3000 K, Breathe */
function wordsOf({ on, brightness_pct, kelvin, hue, speed_pct, effect }: JsonObject): string {
  const parts = [
    on !== undefined && (on ? "on" : "off"),
    brightness_pct !== undefined && `${brightness_pct} %`,
    kelvin !== undefined && `${kelvin} K`,
    hue !== null && hue !== undefined && `${hue}°`,
    speed_pct !== undefined && `speed ${speed_pct} %`,
    effect,
  ];
  return parts.filter((part) => part !== false && part !== undefined && part !== null).join(", ");
}

/** The last minute of what it draws, and of what it would draw without the budget. */
function Draws(props: DeviceContent & { budgetA: number }) {
  const { budgetA, context } = props;
  const track = useTrack(props, WINDOW_MS);
  const end = track.next;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the track grows, and is drawn again then
  const draw = useCallback(
    (painter: Painter) => {
      const nowMs = context.clock.nowMs();
      const points = (field: string) => recentPoints(track, field, nowMs - WINDOW_MS, nowMs);
      drawLine(painter, points("wanted_a"), { colour: "series-1", dash: [3, 3] });
      drawLine(painter, points("current_a"), { colour: "series-2" });
      drawLimit(painter, budgetA, `budget ${budgetA.toFixed(1)} A`);
    },
    [track, end, budgetA, context],
  );
  return (
    <>
      <div className="small-chart">
        <Chart
          label={`Current of the strip over 60 seconds, budget ${budgetA.toFixed(1)} A`}
          x={{ range: [-WINDOW_MS / 1_000, 0], unit: "s" }}
          y={{ range: [0, 1.5 * budgetA], unit: "A" }}
          draw={draw}
        />
      </div>
      <p className="legend">
        <span className="trace-2">
          <i />
          drawn
        </span>
        <span className="trace-1">
          <i className="dash" />
          asked for
        </span>
      </p>
    </>
  );
}

type SegmentsProps = { segments: readonly Segment[]; chosen: number; onChoose: (segment: number) => void };

const Segments = ({ segments, chosen, onChoose }: SegmentsProps) => (
  <table className="small-table">
    <thead>
      <tr>
        <th scope="col">Segment</th>
        <th scope="col">Pixels</th>
        <th scope="col">Effect</th>
        <th scope="col" className="num">
          Draws
        </th>
      </tr>
    </thead>
    <tbody>
      {segments.map(({ name, from, to, effect, currentA }, i) => (
        <tr key={name} data-chosen={i === chosen || undefined}>
          <th scope="row">
            <button className="row-button" type="button" aria-pressed={i === chosen} onClick={() => onChoose(i)}>
              {name}
            </button>
          </th>
          <td>
            {from}–{to}
          </td>
          <td>{effect ?? "–"}</td>
          <td className="num">{currentA === undefined ? "–" : `${currentA.toFixed(2)} A`}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
