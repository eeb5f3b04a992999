import "./lights.css";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { type CSSProperties, useMemo, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import { State } from "../../../parts/state.tsx";
import { type Limits, limitsOf } from "../../controls/params.ts";
import { Slider } from "../../controls/slider.tsx";
import { Switch } from "../../controls/switch.tsx";
import { useAsked } from "../../controls/use-asked.ts";
import { whyNot } from "../../controls/why-not.ts";
import { ChooseDevice } from "../../device-panel/choose-device.tsx";
import { CommandRow } from "../../device-panel/command-row.tsx";
import { type Fitting, fittingOf } from "../../device-panel/fitting.ts";
import { ageWords } from "../../device-panel/freshness.ts";
import { useClock, useClockMode, useDeviceList, useDevicesStatus } from "../../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { reactPanel, usePanelState } from "../react-panel.tsx";
import { Plan } from "./plan.tsx";
import {
  answerOf,
  common,
  given,
  keyOf,
  type LampState,
  lampName,
  MAX_LAMPS,
  MAX_SCENES,
  MAX_WIDTH_M,
  MIN_WIDTH_M,
  placeOf,
  readScenes,
  scaleOf,
  stateWords,
} from "./room.ts";
import { lastOf, type Orders, useGroup, useLampStates } from "./use-room.ts";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <Lights context={context} />, {
    focus: () => element.querySelector<HTMLElement>("button, input, [tabindex]")?.focus(),
  });

const SHOWS = ["light"];

/** All lamps of the workspace, whichever bridge they come from. */
function Lights({ context }: { context: PanelContext }) {
  const list = useDeviceList(context.devices);
  const state = usePanelState(context);
  const lamps = useMemo(
    () =>
      fittingOf(list, SHOWS)
        .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))
        .slice(0, MAX_LAMPS),
    [list],
  );
  if (lamps.length === 0)
    return (
      <div className="panel-root">
        <ChooseDevice {...{ context, shows: SHOWS, all: [], noun: "lamp", onChoose: () => {} }} />
      </div>
    );
  return <Room {...{ context, lamps, state }} />;
}

type RoomProps = { context: PanelContext; lamps: readonly Fitting[]; state: JsonObject };

function Room({ context, lamps, state }: RoomProps) {
  const { states, changedMs } = useLampStates(context, lamps);
  const { group, send } = useGroup(context, lamps);
  const mode = useClockMode(context);
  const nowMs = useClock(context);
  const status = useDevicesStatus(context.devices);
  const why = whyNot({ ...status, isMine: false, device: undefined }, mode, "changes");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        lamps
          .filter(({ device }) => device.id === state.device && lamps.some((other) => other.device.id !== device.id))
          .map(keyOf),
      ),
  );
  const [isArranging, setArranging] = useState(false);
  const places = new Map(lamps.map((lamp, i) => [keyOf(lamp), placeOf(state.plan, keyOf(lamp), i, lamps.length)]));
  const plan = typeof state.plan === "object" && state.plan !== null ? state.plan : {};
  const asked = [...(group?.lamps ?? [])].map(([key, one]) => ({
    key,
    answer: answerOf(one, states.get(key) ?? {}, nowMs),
  }));
  const unchanged = new Set(asked.filter(({ answer }) => answer.word === "no change").map(({ key }) => key));
  const isReplay = mode === "replay";
  const isReady = ({ device }: Fitting) => isReplay || device.state === "ready" || device.state === "sleeping";
  const answering = lamps.filter((lamp) => isReady(lamp) && states.get(keyOf(lamp))?.on !== undefined).length;
  const meant = chosen.size === 0 ? lamps : lamps.filter((lamp) => chosen.has(keyOf(lamp)));
  const setWidth = (widthM: number) => void context.setState({ widthM }).catch(reportError);
  const setAll = (change: LampState) => {
    const orders: Orders = new Map(meant.map((lamp) => [keyOf(lamp), change]));
    return send(
      orders,
      `${meant.length === 1 && meant[0] ? lampName(meant[0]) : `${meant.length} lamps`} ${stateWords(change)}`,
    );
  };
  return (
    <div className="panel-root device-panel">
      <div className="panel-tools device-row">
        <span className={`dot ${answering === lamps.length ? "ok" : "warn"}`} aria-hidden="true" />
        <span className="device-age lights-age cut">
          {answering} of {lamps.length} lamps answer
          {changedMs !== undefined && ` · last change ${ageWords(Math.max(0, nowMs - changedMs))} ago`}
        </span>
        <span className="grow" />
        <Button size="small" pressed={isArranging} onClick={() => setArranging(!isArranging)}>
          {isArranging ? "Done" : "Arrange"}
        </Button>
      </div>
      <div className="panel-view">
        <div className="lights">
          <div className="lights-room">
            <Plan
              {...{ lamps, states, places, chosen, unchanged, isArranging, isReplay, scale: scaleOf(state.widthM) }}
              onChoose={(keys) => setChosen(new Set(keys))}
              onPlace={(key, place) =>
                void context.setState({ plan: { ...plan, [key]: [...place] } }).catch(reportError)
              }
            />
            <div className="lights-under">
              <Scale {...{ isArranging }} widthM={state.widthM} onChange={setWidth} />
              <p className="hint">
                {isArranging ? "Drag a lamp, or move it by arrow keys" : "Drag across lamps to choose them"}
              </p>
            </div>
            <Scenes
              {...{ context, state, states, why }}
              onSet={(orders, name) => void send(orders, name)}
              lamps={lamps}
            />
          </div>
          <div className="control-side">
            <Chosen {...{ why, meant, states, isAll: chosen.size === 0 }} onSet={setAll} />
            {asked.length > 0 && <Answers {...{ asked, lamps, states }} />}
            {lamps
              .filter((lamp) => !isReady(lamp))
              .map((lamp) => (
                <Note key={keyOf(lamp)} tone="danger">
                  <strong>{lampName(lamp)} is lost.</strong>
                </Note>
              ))}
          </div>
        </div>
      </div>
      <CommandRow commands={{ last: lastOf(group, states, nowMs) }} mode={mode} />
    </div>
  );
}

type ScaleProps = { widthM: JsonData | undefined; isArranging: boolean; onChange: (widthM: number) => void };

/** How long a metre is on the plan; how wide the room is, while it is arranged. */
function Scale({ widthM, isArranging, onChange }: ScaleProps) {
  const scale = scaleOf(widthM);
  if (isArranging)
    return (
      <label className="number-inputs lights-width">
        Width of the room, m
        <input
          type="number"
          {...{ min: MIN_WIDTH_M, max: MAX_WIDTH_M, step: 0.1 }}
          defaultValue={typeof widthM === "number" ? widthM : ""}
          onBlur={({ target }) => target.value !== "" && target.validity.valid && onChange(target.valueAsNumber)}
        />
      </label>
    );
  if (!scale) return null;
  return (
    <span className="lights-scale" data-reading="scale" style={{ "--share": scale.share } as CSSProperties}>
      <i aria-hidden="true" /> {scale.lengthM} m
    </span>
  );
}

type ChosenProps = {
  meant: readonly Fitting[];
  states: ReadonlyMap<string, LampState>;
  isAll: boolean;
  why: string | undefined;
  onSet: (change: LampState) => Promise<{ ok: boolean; tookMs: number }>;
};

/** What all the chosen lamps are set to. */
function Chosen({ meant, states, isAll, why, onSet }: ChosenProps) {
  const { asked = {}, ask } = useAsked<LampState>(onSet);
  const known = meant.map((lamp) => states.get(keyOf(lamp)) ?? {});
  const now = common(known.filter(({ on }) => on !== undefined));
  const isOn = known.some(({ on }) => on === true);
  // As far as any of them goes, and as far as any of them says that it is.
  const limits = (name: "brightness_pct" | "kelvin", usual: Limits): Limits => {
    const own = meant.map(({ capability }) => limitsOf(capability, "set", name, usual));
    const said = known.flatMap((state) => state[name] ?? []);
    return [
      Math.min(...(own.length > 0 ? own : [usual]).map(([low]) => low), ...said),
      Math.max(...(own.length > 0 ? own : [usual]).map(([, high]) => high), ...said),
    ];
  };
  const title = isAll
    ? `All ${meant.length} lamps`
    : meant.length === 1 && meant[0]
      ? lampName(meant[0])
      : `${meant.length} lamps chosen`;
  return (
    <>
      <div className="control-head">
        <h3>{title}</h3>
        <span className="grow" />
        <Switch
          label={`${title}: on`}
          isOn={isOn}
          isAsked={asked.on !== undefined}
          why={why}
          onChange={(on) => void ask({ on })}
        />
      </div>
      <Slider
        {...{ why, label: "Brightness", unit: "%", step: 1, limits: limits("brightness_pct", [0, 100]) }}
        value={asked.brightness_pct ?? now.brightness_pct}
        measured={now.brightness_pct}
        onChange={(value) => void ask({ on: value > 0, brightness_pct: value })}
      />
      <Slider
        {...{ why, label: "Warmth", unit: "K", step: 100, limits: limits("kelvin", [2_200, 6_500]) }}
        value={asked.kelvin ?? now.kelvin}
        measured={now.kelvin}
        onChange={(kelvin) => void ask({ kelvin })}
      />
    </>
  );
}

type AnswersProps = {
  asked: readonly { key: string; answer: ReturnType<typeof answerOf> }[];
  lamps: readonly Fitting[];
  states: ReadonlyMap<string, LampState>;
};

/** Which lamp answered, how fast, and which said yes and did nothing. */
function Answers({ asked, lamps, states }: AnswersProps) {
  const nameOf = (key: string) => {
    const lamp = lamps.find((one) => keyOf(one) === key);
    return lamp ? lampName(lamp) : key;
  };
  return (
    <div className="lights-answers">
      <div className="control-head">
        <h3>Answers</h3>
        <span className="grow" />
        <span className="hint">
          {asked.filter(({ answer }) => answer.isThere).length} of {asked.length}
        </span>
      </div>
      <dl>
        {asked.map(({ key, answer }) => (
          <div key={key}>
            <dt className="cut">{nameOf(key)}</dt>
            <dd>
              <State tone={answer.tone} word={answer.word} />
            </dd>
          </div>
        ))}
      </dl>
      {asked
        .filter(({ answer }) => answer.word === "no change")
        .map(({ key }) => (
          <Note key={key} tone="warn">
            <strong>{nameOf(key)} says yes</strong> but still reports {stateWords(states.get(key) ?? {}) || "nothing"}.
            Shown as it reports.
          </Note>
        ))}
    </div>
  );
}

type ScenesProps = Pick<RoomProps, "context" | "lamps" | "state"> & {
  states: ReadonlyMap<string, LampState>;
  why: string | undefined;
  onSet: (orders: Orders, name: string) => void;
};

/** Whole rooms by name, as they were when they were saved. */
function Scenes({ context, lamps, state, states, why, onSet }: ScenesProps) {
  const scenes = readScenes(state.scenes);
  const [name, setName] = useState<string>();
  const save = () => {
    const known = [...states].filter(([, one]) => one.on !== undefined).map(([key, one]) => [key, given(one)]);
    const others = scenes.filter((scene) => scene.name !== name?.trim());
    const saved = [...others, { name: name?.trim() ?? "", lamps: Object.fromEntries(known) }];
    setName(undefined);
    void context.setState({ scenes: saved as never }).catch(reportError);
  };
  const off: Orders = new Map(lamps.map((lamp) => [keyOf(lamp), { on: false }]));
  const all = [
    ...scenes.map((scene) => [scene.name, new Map(Object.entries(scene.lamps))] as const),
    ["Off", off] as const,
  ];
  return (
    <div className="lights-scenes">
      <p className="control-label">Scenes of the whole room</p>
      <div className="chips">
        {all.map(([scene, orders]) => (
          <button
            key={scene}
            type="button"
            aria-disabled={why !== undefined || undefined}
            title={why}
            onClick={() => why === undefined && onSet(orders, scene)}
          >
            {scene}
          </button>
        ))}
        <span className="grow" />
        {name === undefined ? (
          <Button
            size="small"
            onClick={() => setName(`Scene ${scenes.length + 1}`)}
            disabled={scenes.length >= MAX_SCENES}
          >
            Save as scene
          </Button>
        ) : (
          <form
            className="lights-name"
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() !== "") save();
            }}
          >
            <input
              aria-label="Name of the scene"
              value={name}
              maxLength={40}
              onChange={(event) => setName(event.target.value)}
            />
            <Button size="small" type="submit">
              Save
            </Button>
          </form>
        )}
      </div>
    </div>
  );
}
