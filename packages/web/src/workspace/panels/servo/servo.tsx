import "./servo.css";
import type { Ack } from "@backplane/contract/devices";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { numberOf } from "../../controls/json.ts";
import { Meter, shown, useValues, type Values } from "../../controls/values.tsx";
import { usePermission } from "../../controls/why-not.ts";
import { type DeviceContent, devicePanel } from "../../device-panel/device-panel.tsx";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { numberWords } from "../../parts/plot/words.ts";
import { usePanelState } from "../react-panel.tsx";
import { readArm } from "./arm.ts";
import {
  addFrame,
  angleAt,
  type Channel,
  channelsOf,
  type Frame,
  lengthOf,
  MAX_FRAMES,
  type Pose,
  poseNow,
  poseParams,
  readFrames,
  stepsOf,
} from "./frames.ts";
import { SideView } from "./side-view.tsx";

export const mount = devicePanel({ noun: "servo bus", Content: Servo });

/** A pose that is set by hand takes this long. */
const BY_HAND_S = 1;
const HOT_C = 50;

/** Many channels as one pose, and key frames that are played while somebody holds the button. */
function Servo(props: DeviceContent) {
  const { capability, commands } = props;
  const channels = channelsOf(capability);
  const values = useValues(props);
  const arm = readArm(values.arm);
  const { control, why } = usePermission(props, "moves");
  /** What was moved here and not sent yet. */
  const [wanted, setWanted] = useState<Pose>({});
  const isSet = Object.keys(wanted).length > 0;
  const send = () =>
    void commands.send("pose", { ...poseParams(wanted), over_s: BY_HAND_S }, `pose ${poseWords(wanted, channels)}`);
  return (
    <div className="servo">
      <div className="servo-table">
        <Channels {...{ channels, values, wanted }} onWant={(id, deg) => setWanted({ ...wanted, [id]: deg })} />
        {arm && <SideView {...{ arm, channels, values, wanted }} />}
      </div>
      <div className="servo-hold">
        <HoldButton
          {...{ control }}
          label="Hold to move"
          why={why ?? (isSet ? undefined : "set a target first")}
          onHold={send}
        />
        <Button size="small" disabled={!isSet} onClick={() => setWanted({})}>
          Drop targets
        </Button>
        <span className="hint">Nothing is sent until it is held.</span>
      </div>
      <Sequence {...props} {...{ channels, values, why }} onShow={setWanted} />
    </div>
  );
}

const poseWords = (pose: Pose, channels: readonly Channel[]): string => {
  const [only, ...others] = channels.filter(({ id }) => Object.hasOwn(pose, id));
  if (!only) return "";
  return others.length === 0 ? `${only.name} ${pose[only.id]}°` : `of ${others.length + 1} channels`;
};

type ChannelsProps = {
  channels: readonly Channel[];
  values: Values;
  wanted: Pose;
  onWant: (channel: string, deg: number) => void;
};

/** Box: target; bar: measured. */
const Channels = ({ channels, values, wanted, onWant }: ChannelsProps) => (
  <table className="small-table">
    <thead>
      <tr>
        <th scope="col" className="num wide">
          #
        </th>
        <th scope="col">Channel</th>
        <th scope="col">Travel</th>
        <th scope="col" className="num">
          Angle
        </th>
        <th scope="col" className="num">
          Target
        </th>
        <th scope="col" className="wide">
          Load
        </th>
        <th scope="col" className="num wide">
          Case
        </th>
      </tr>
    </thead>
    <tbody>
      {channels.map(({ id, name, limits: [min, max] }, i) => {
        const deg = numberOf(values[`${id}_deg`]);
        const target = wanted[id] ?? numberOf(values[`${id}_target_deg`]) ?? deg;
        const load = numberOf(values[`${id}_load_pct`]);
        const warmC = numberOf(values[`${id}_c`]);
        const at = (one: number) => `${(100 * (one - min)) / (max - min)}%`;
        return (
          <tr key={id} data-chosen={Object.hasOwn(wanted, id) || undefined}>
            <td className="num wide quiet">{i + 1}</td>
            <th scope="row">{name}</th>
            <td className="servo-travel">
              <span className="slider-track">
                {deg !== undefined && <i className="was" style={{ left: at(deg) }} />}
                <input
                  type="range"
                  aria-label={`Target of ${name}`}
                  aria-valuetext={`${numberWords(target ?? min)}°`}
                  {...{ min, max, step: 1, value: target ?? min }}
                  onChange={(event) => onWant(id, Number(event.target.value))}
                />
              </span>
            </td>
            <td className="num measured" data-field={`${id}_deg`}>
              {shown(deg, 1)}°
            </td>
            <td className="num quiet">{shown(target, 1)}°</td>
            <td className="wide servo-load">
              {load === undefined ? "–" : <Meter share={load / 100} label={`Load of ${name}`} />}
            </td>
            <td className={warmC !== undefined && warmC > HOT_C ? "num wide warn" : "num wide"}>
              {shown(warmC, 0)} °C
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

type SequenceProps = DeviceContent & {
  channels: readonly Channel[];
  values: Values;
  why: string | undefined;
  onShow: (pose: Pose) => void;
};

/** Key frames on a time line: kept in the tab, played while the button is held. */
function Sequence(props: SequenceProps) {
  const { context, commands, channels, values, why, onShow } = props;
  const { control } = usePermission(props, "moves");
  const frames = readFrames(usePanelState(context).frames);
  const [isLooped, setLooped] = useState(false);
  const { atS, play, stop } = usePlaying(frames, isLooped, ({ frame, overS }) =>
    commands.send("pose", { ...poseParams(frame.pose), over_s: overS }, `pose ${frame.name}`),
  );
  const keep = (next: readonly Frame[]) => void context.setState({ frames: next as never }).catch(reportError);
  return (
    <section className="servo-sequence" aria-label="Key frames">
      <div className="servo-tools">
        <b>Key frames</b> <span className="hint">{frames.length === 0 ? "none yet" : frames.length}</span>
        <span className="grow" />
        <span className="servo-time">
          {(atS ?? 0).toFixed(2)} / {lengthOf(frames).toFixed(2)} s
        </span>
        <Button size="small" pressed={isLooped} onClick={() => setLooped(!isLooped)}>
          Loop
        </Button>
        <Button
          size="small"
          disabled={frames.length >= MAX_FRAMES}
          onClick={() => keep(addFrame(frames, poseNow(channels, values)))}
        >
          Add key frame
        </Button>
      </div>
      {frames.length > 0 && (
        <>
          <TimeLine {...{ frames, channels, atS }} />
          <div className="chips servo-frames">
            {frames.map((frame, i) => (
              <span key={`${frame.atS} ${frame.name}`} className="servo-frame">
                <button type="button" onClick={() => onShow(frame.pose)} title="Sets these targets; nothing is sent">
                  {frame.name}
                </button>
                <label>
                  <span className="sr">Time of {frame.name} in seconds</span>
                  <input
                    type="number"
                    min={0}
                    max={600}
                    step={0.1}
                    defaultValue={frame.atS}
                    onBlur={({ target }) => {
                      const at = target.valueAsNumber;
                      if (at >= 0 && at !== frame.atS)
                        keep(frames.map((one, other) => (other === i ? { ...one, atS: at } : one)));
                    }}
                  />
                </label>
                <button
                  type="button"
                  aria-label={`Remove ${frame.name}`}
                  onClick={() => keep(frames.filter((_, other) => other !== i))}
                >
                  ×
                </button>
              </span>
            ))}
          </div>
          <div className="servo-hold">
            <HoldButton {...{ control }} label="Hold to play" why={why} onHold={play} onRelease={stop} />
          </div>
        </>
      )}
    </section>
  );
}

/** One pose after the other, each when the one before it has had its time. */
function usePlaying(
  frames: readonly Frame[],
  isLooped: boolean,
  send: (step: ReturnType<typeof stepsOf>[number]) => Promise<Ack>,
) {
  const [atS, setAt] = useState<number>();
  const playing = useRef<{ timer: ReturnType<typeof setInterval> }>(undefined);
  const sender = useRef(send);
  sender.current = send;
  const stop = () => {
    clearInterval(playing.current?.timer);
    playing.current = undefined;
    setAt(undefined);
  };
  const play = () => {
    stop();
    const steps = stepsOf(frames);
    let [step, beganMs] = [0, performance.now()];
    const begin = () => {
      const next = steps[step];
      if (!next) return stop();
      beganMs = performance.now();
      // A newer pose ends the one before it. Anything else that is refused ends the movement.
      void sender.current(next).then(({ ok, code }) => ok || code === "stopped" || stop());
    };
    const look = () => {
      const now = steps[step];
      if (!now) return;
      const passedS = (performance.now() - beganMs) / 1_000;
      setAt(step === 0 ? 0 : now.endS - now.overS + Math.min(passedS, now.overS));
      if (passedS < now.overS) return;
      step = step + 1 === steps.length && isLooped ? 0 : step + 1;
      begin();
    };
    playing.current = { timer: setInterval(look, 40) };
    begin();
  };
  useEffect(() => () => clearInterval(playing.current?.timer), []);
  return { atS, play, stop };
}

const ROW = 14;
const WIDTH = 600;

/** A line per channel, a mark per key frame, and where it is now. */
function TimeLine({
  frames,
  channels,
  atS,
}: {
  frames: readonly Frame[];
  channels: readonly Channel[];
  atS: number | undefined;
}) {
  const length = Math.max(1, lengthOf(frames));
  const x = (s: number) => 6 + (s / length) * (WIDTH - 12);
  const y = ({ limits: [min, max] }: Channel, deg: number, row: number) =>
    row * ROW + ROW - 2 - ((deg - min) / (max - min)) * (ROW - 4);
  const times = frames.map((frame) => frame.atS);
  return (
    <div className="servo-line">
      <ul>
        {channels.map(({ id, name }) => (
          <li key={id} className="cut">
            {name}
          </li>
        ))}
      </ul>
      <svg
        viewBox={`0 0 ${WIDTH} ${channels.length * ROW}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${frames.length} key frames over ${length.toFixed(1)} s`}
      >
        {channels.map((channel, row) => (
          <polyline
            key={channel.id}
            points={times
              .map((time) => `${x(time)},${y(channel, angleAt(frames, channel.id, time) ?? 0, row)}`)
              .join(" ")}
          />
        ))}
        {frames.map((frame) => (
          <path key={`${frame.atS} ${frame.name}`} className="mark" d={`M${x(frame.atS)} 0V${channels.length * ROW}`} />
        ))}
        {atS !== undefined && <path className="head" d={`M${x(atS)} 0V${channels.length * ROW}`} />}
      </svg>
    </div>
  );
}
