import "./drone.css";
import type { DeviceLine } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type MouseEvent, useCallback, useEffect, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { State } from "../../../parts/state.tsx";
import { numberOf } from "../../controls/json.ts";
import { limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { useTrack } from "../../controls/use-track.ts";
import { Readout, Readouts, useValues, type Values } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { Drawing, type Pen } from "../../parts/drawing/drawing.tsx";
import { drawHorizon } from "../../parts/drawing/horizon.ts";
import { numberWords, timeWords } from "../../parts/plot/words.ts";
import { drawMap, mapScale } from "./draw-map.ts";
import {
  airWords,
  checksWords,
  isKeptOut,
  type Limits,
  type Place,
  placeOf,
  readChecks,
  readKeepOut,
  shownM,
  velocityOf,
  wayOf,
} from "./flight.ts";
import { FlyPad } from "./fly-pad.tsx";

export const mount = devicePanel({ noun: "drone", Content: Drone });

const WAY_MS = 300_000;
/** A link that is slower than this is not one to fly by. */
const SLOW_MS = 300;
const LOW_PCT = 25;
const RENEW_MS = 1_000;

function Drone(props: DeviceContent) {
  const { device, commands } = props;
  const values = useValues(props);
  const [target, setTarget] = useState<Place>();
  const { control } = usePermission(props, "powers");
  // Whoever watches what they have told is in control of it, also without moving the pointer.
  const isUnderway = commands.last !== undefined && commands.last.ack === undefined;
  useEffect(() => {
    if (!isUnderway) return;
    const timer = setInterval(() => document.hidden || control.renew(), RENEW_MS);
    return () => clearInterval(timer);
  }, [isUnderway, control]);
  const link = numberOf(values.link_ms);
  return (
    <div className="drone">
      <Readouts isLost={device.state === "lost"}>
        <Readout label="mode" field="mode" value={values.mode} />
        <Readout
          label="battery"
          field="battery_pct"
          value={values.battery_pct}
          unit={`% · ${voltsOf(values)}`}
          digits={0}
        />
        <Readout label="satellites" field="satellites" value={values.satellites} unit={accuracyOf(values)} digits={0} />
        {link !== undefined && <Readout label="link delay" field="link_ms" value={link} unit="ms" digits={0} />}
        <Readout label="height" field="height_m" value={values.height_m} unit="m" digits={1} />
        <Readout label="speed" field="speed" value={speedOf(values)} unit="m/s" digits={1} />
        <Readout label="in the air" field="air_s" value={airWords(numberOf(values.air_s))} />
      </Readouts>
      <div className="drone-views">
        <Horizon values={values} />
        <Ground {...props} {...{ values, target }} onTarget={setTarget} />
      </div>
      <Buttons {...props} {...{ values, target }} onTarget={setTarget} />
      <Notes {...props} values={values} />
    </div>
  );
}

const voltsOf = ({ battery_v }: Values): string => `${numberWords(numberOf(battery_v) ?? Number.NaN, 1)} V`;
const accuracyOf = ({ accuracy_m }: Values): string => {
  const accuracy = numberOf(accuracy_m);
  return accuracy === undefined ? "" : `± ${numberWords(accuracy, 1)} m`;
};
function speedOf({ north_m_s, east_m_s }: Values): number | null {
  const [north, east] = [numberOf(north_m_s), numberOf(east_m_s)];
  return north === undefined || east === undefined ? null : Math.hypot(north, east);
}

function Horizon({ values }: { values: Values }) {
  const [roll, pitch, yaw] = [numberOf(values.roll_deg), numberOf(values.pitch_deg), numberOf(values.yaw_deg)];
  const draw = useCallback(
    (pen: Pen) => drawHorizon(pen, roll === undefined || pitch === undefined ? undefined : { roll, pitch: -pitch }),
    [roll, pitch],
  );
  const words = (value: number | undefined) => numberWords(value ?? Number.NaN);
  return (
    <div className="drone-horizon">
      <Drawing label={`Horizon: roll ${words(roll)}°, pitch ${words(pitch)}°, heading ${words(yaw)}°`} draw={draw} />
      <b data-field="yaw_deg">{yaw === undefined ? "–" : `${String(Math.round(yaw) % 360).padStart(3, "0")}°`}</b>
    </div>
  );
}

type WithTarget = DeviceContent & {
  values: Values;
  target: Place | undefined;
  onTarget: (place: Place | undefined) => void;
};

function Ground(props: WithTarget) {
  const { context, values, target, onTarget } = props;
  const track = useTrack(props, WAY_MS);
  const at = placeOf(values);
  const fenceM = numberOf(values.fence_m);
  const way = wayOf(track, context.clock.nowMs() - WAY_MS);
  const keepOut = readKeepOut(values.keep_out);
  const radius = shownM([...way, at, target, ...keepOut.flat()], fenceM);
  const yawDeg = numberOf(values.yaw_deg);
  const key = `${track.next} ${radius} ${at?.north} ${at?.east} ${yawDeg} ${fenceM} ${target?.north} ${target?.east} ${keepOut.length}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all that it depends on
  const draw = useCallback(
    (pen: Pen) => drawMap(pen, { shownM: radius, way, at, yawDeg, fenceM, target, keepOut }),
    [key],
  );
  const choose = (event: MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const { placeAt } = mapScale({ width: box.width, height: box.height }, radius);
    const { north, east } = placeAt(event.clientX - box.left, event.clientY - box.top);
    onTarget({ north: Math.round(north), east: Math.round(east) });
  };
  const away = at && Math.hypot(at.north, at.east);
  const words = away === undefined ? "It does not say where it is" : `${numberWords(away)} m from home`;
  const areas =
    keepOut.length === 0 ? "" : `, ${keepOut.length} ${keepOut.length === 1 ? "area" : "areas"} to keep out of`;
  return <Drawing className="drone-map" label={`Map in metres: ${words}${areas}`} draw={draw} onClick={choose} />;
}

/** What is told once needs control; landing never does. */
function Buttons(props: WithTarget) {
  const { capability, commands, values, target, onTarget } = props;
  const { control, why } = usePermission(props, "powers");
  const [heightM, setHeightM] = useState(5);
  const [speedMS, setSpeedMS] = useState(1);
  const isFlying = values.flying === true;
  const isArmed = values.armed === true;
  const send = (name: string, words: string, params: JsonObject = {}) => void commands.send(name, params, words);
  const heights = limitsOf(capability, "takeoff", "height_m", [1, 10]);
  const most = (name: keyof Limits) => limitsOf(capability, "velocity", name, [-1, 1])[1];
  const limits: Limits = {
    ...{
      forward_m_s: most("forward_m_s"),
      right_m_s: most("right_m_s"),
      up_m_s: most("up_m_s"),
      turn_deg_s: most("turn_deg_s"),
    },
  };
  const needsAir = why ?? (isFlying ? undefined : "it is on the ground");
  const whyNotThere = target && isKeptOut(readKeepOut(values.keep_out), target) ? "it keeps out of there" : undefined;
  const has = (name: string) => capability.commands[name] !== undefined;
  const button = (name: string, label: string, reason: string | undefined, click: () => void) =>
    has(name) && (
      <Button size="small" disabled={reason !== undefined} onClick={click}>
        {label}
      </Button>
    );
  return (
    <div className="drone-controls">
      <div className="drone-buttons">
        {isArmed && !isFlying
          ? button("disarm", "Stop motors", why, () => send("disarm", "stop motors"))
          : button("arm", "Start motors", why ?? (isFlying ? "it flies" : undefined), () =>
              send("arm", "start motors"),
            )}
        {button("takeoff", `Take off ${heightM} m`, why ?? (isFlying ? "it flies" : undefined), () =>
          send("takeoff", `take off ${heightM} m`, { height_m: heightM }),
        )}
        {button("hold", "Hold", needsAir, () => send("hold", "hold position"))}
        {button("land", "Land", isFlying ? undefined : "it is on the ground", () => send("land", "land"))}
        {button("return", "Return", needsAir, () => send("return", "return"))}
        <Slider label="Height" unit="m" value={heightM} limits={heights} step={1} onChange={setHeightM} />
        {has("velocity") && (
          <Slider
            label="Speed"
            unit="m/s"
            value={speedMS}
            limits={[0.5, limits.forward_m_s]}
            step={0.5}
            digits={1}
            onChange={setSpeedMS}
          />
        )}
        {has("goto") && (
          <FlyThere
            {...{
              target,
              onTarget,
              why: needsAir ?? whyNotThere,
              note: whyNotThere,
              limits: limitsOf(capability, "goto", "north_m", [-50, 50]),
            }}
            onGo={(place) =>
              send("goto", `fly to ${place.north} m north, ${place.east} m east`, {
                ...{ north_m: place.north, east_m: place.east, height_m: heightM },
              })
            }
          />
        )}
      </div>
      {has("velocity") && (
        <FlyPad
          {...{ control, why: needsAir }}
          onPush={(push) => send("velocity", "fly", velocityOf(push, speedMS, limits))}
        />
      )}
    </div>
  );
}

type FlyThereProps = {
  target: Place | undefined;
  onTarget: (place: Place | undefined) => void;
  why: string | undefined;
  /** Why not there. */
  note: string | undefined;
  limits: readonly [number, number];
  onGo: (place: Place) => void;
};

/** A place by numbers, or by a click on the map. */
function FlyThere({ target, onTarget, why, note, limits: [min, max], onGo }: FlyThereProps) {
  const set = (name: keyof Place, value: number) =>
    Number.isFinite(value) &&
    onTarget({ ...{ north: 0, east: 0 }, ...target, [name]: Math.max(min, Math.min(max, value)) });
  return (
    <div className="drone-there number-inputs">
      {(["north", "east"] as const).map((name) => (
        <label key={name}>
          {`m ${name}`}
          <input
            type="number"
            {...{ min, max }}
            value={target?.[name] ?? ""}
            placeholder="0"
            onChange={(event) => set(name, event.target.valueAsNumber)}
          />
        </label>
      ))}
      <Button size="small" disabled={why !== undefined || !target} onClick={() => target && onGo(target)}>
        Fly there
      </Button>
      {note !== undefined && <span className="hint">{note}</span>}
    </div>
  );
}

/** What is in the way, what happens now, and what the drone said last. */
function Notes(props: DeviceContent & { values: Values }) {
  const { context, device, values } = props;
  const [said, setSaid] = useState<DeviceLine>();
  useEffect(
    () =>
      context.devices.onLines(({ lines }) => {
        const last = lines.findLast((line) => line.device === device.id);
        if (last) setSaid(last);
      }),
    [context.devices, device.id],
  );
  const { tone, word, words } = noteOf(values);
  return (
    <p className="drone-note" role="status">
      <State tone={tone} word={word} />
      <span className="cut" data-field="note">
        {words}
      </span>
      <span className="grow" />
      {said && (
        <span className="cut drone-said">
          <time>{timeWords(said.tMs)}</time> {said.text}
        </span>
      )}
      {said && context.open && (
        <Button
          size="small"
          look="quiet"
          onClick={() => void context.open?.("robot-log", { device: device.id }).catch(reportError)}
        >
          All messages
        </Button>
      )}
    </p>
  );
}

function noteOf(values: Values): { tone: "ok" | "warn" | "danger"; word: string; words: string } {
  const link = numberOf(values.link_ms) ?? 0;
  const battery = numberOf(values.battery_pct) ?? 100;
  if (link > SLOW_MS)
    return { tone: "danger", word: "Link slow", words: `${Math.round(link)} ms: what you see is that old.` };
  if (values.flying === true && battery < LOW_PCT)
    return { tone: "danger", word: "Battery low", words: `${Math.round(battery)} %: land now.` };
  if (values.flying === true)
    return { tone: "ok", word: "Flying", words: "Stop brakes, then it lands. Releasing the stick holds." };
  const failed = checksWords(readChecks(values.checks));
  if (failed !== undefined) return { tone: "warn", word: "Not ready", words: failed };
  return values.armed === true
    ? { tone: "warn", word: "Motors on", words: "Keep away from the propellers." }
    : { tone: "ok", word: "Ready", words: "Pre-arm checks passed." };
}
