import "./zoom-camera.css";
import type { JsonObject } from "@backplane/contract/panels";
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Select } from "../../../parts/select.tsx";
import { streamPath } from "../../streams/choose-stream.tsx";
import type { PlayerState } from "../../streams/playback.ts";
import { type PlayingProps, streamPanel } from "../../streams/stream-panel.tsx";
import { CameraPick, StatusLine, Trouble } from "../../streams/stream-parts.tsx";
import { usePlayer } from "../../streams/use-streams.ts";
import { usePanelState } from "../react-panel.tsx";
import {
  boxOf,
  byKey,
  isPart,
  MAX_ZOOM,
  moved,
  type Part,
  partIn,
  transformOf,
  WHOLE,
  within,
  zoomedAt,
} from "./part.ts";

export const mount = streamPanel(ZoomCamera);

const WHEEL_STEP = 1.15;
const SAVE_MS = 300;
const MAX_PLACES = 12;
type Place = Part & { name: string };

/** The whole view, and a part of it that is steered by its rectangle. */
function ZoomCamera(props: PlayingProps) {
  const { context, stream, names, mayControl, ffmpeg, onChoose } = props;
  const { workspace } = context;
  const state = usePanelState(context);
  const wide = useRef<HTMLVideoElement>(null);
  const { player, state: playing } = usePlayer(streamPath(workspace, stream), wide);
  const phase = playing?.phase ?? "connecting";
  const [part, steer] = useSteering(context, state);
  const tele = typeof state.tele === "string" && names.includes(state.tele) ? state.tele : undefined;
  const seen = isPart(state.seen) ? within(state.seen) : undefined;
  const inTele = tele !== undefined && seen ? partIn(part, seen) : undefined;
  const change = (patch: JsonObject) => void context.setState(patch).catch(reportError);
  const shape = { "--ratio": ratioOf(wide.current) } as CSSProperties;
  return (
    <div className="panel-root stream-panel" data-phase={phase}>
      <div className="panel-tools">
        <CameraPick {...{ stream, names, phase, onChoose }} />
        <span className="grow" />
        <TelePick {...{ names, stream, tele }} onPick={(name) => change({ tele: name, seen: null })} />
      </div>
      <div className="panel-view zoom-views" style={shape}>
        <div className="stream-view zoom-wide">
          <WideView {...{ wide, part, steer, stream }} />
          {playing && player && phase !== "playing" && (
            <Trouble {...{ state: playing, player, mayControl, ffmpeg }} path={streamPath(workspace, stream)} />
          )}
        </div>
        <div className="stream-view zoom-part" data-shows={inTele ? "tele" : "wide"}>
          {tele !== undefined && <TelePicture {...{ props, tele, part: inTele }} />}
          <PartPicture {...{ wide, part, isHidden: inTele !== undefined, playing }} />
          <span className="stream-chip">
            {part.zoom.toFixed(1)}× {inTele ? `by ${tele}` : "enlarged here"}
          </span>
        </div>
      </div>
      <div className="zoom-tools">
        <label>
          Zoom{" "}
          <input
            type="range"
            min={0}
            max={100}
            value={Math.round((100 * Math.log(part.zoom)) / Math.log(MAX_ZOOM))}
            aria-valuetext={`${part.zoom.toFixed(1)} times`}
            onChange={({ target }) => steer(within({ ...part, zoom: MAX_ZOOM ** (Number(target.value) / 100) }))}
          />{" "}
          <b>{part.zoom.toFixed(1)}×</b>
        </label>
        <Button size="small" onClick={() => steer(WHOLE)}>
          Whole view
        </Button>
        {tele !== undefined && (
          <Button size="small" onClick={() => change({ seen: { ...part } })}>
            {`${tele} sees this part`}
          </Button>
        )}
        <Places {...{ state, part, steer, change }} />
      </div>
      <StatusLine state={playing} video={wide} />
    </div>
  );
}

const ratioOf = (video: HTMLVideoElement | null): number =>
  video && video.videoWidth > 0 ? video.videoWidth / video.videoHeight : 16 / 9;

/** The part that is shown: at once here, and a moment later for everybody who sees the panel. */
function useSteering({ setState }: PlayingProps["context"], state: JsonObject): [Part, (part: Part) => void] {
  const stored = isPart(state.part) ? within(state.part) : WHOLE;
  const [own, setOwn] = useState<Part>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const steer = (part: Part) => {
    setOwn(part);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      void setState({ part: { ...part } })
        .catch(reportError)
        .finally(() => setOwn((now) => (now === part ? undefined : now)));
    }, SAVE_MS);
  };
  return [own ?? stored, steer];
}

type WideProps = { wide: RefObject<HTMLVideoElement | null>; part: Part; steer(part: Part): void; stream: string };

function WideView({ wide, part, steer, stream }: WideProps) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef<{ x: number; y: number; from: Part }>(undefined);
  const { left, top, size } = boxOf(part);
  const hint = useId();
  const placeOf = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = frame.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const at = placeOf(event);
    const isInside = at.x >= left && at.x <= left + size && at.y >= top && at.y <= top + size;
    const from = isInside ? part : within({ ...part, ...at });
    if (!isInside) steer(from);
    held.current = { ...at, from };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!held.current) return;
    const at = placeOf(event);
    steer(moved(held.current.from, at.x - held.current.x, at.y - held.current.y));
  };
  const release = () => {
    held.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = byKey(part, event.key, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    steer(next);
  };
  return (
    <div
      className="zoom-frame"
      ref={frame}
      {...{ onPointerDown, onPointerMove, onPointerUp: release, onPointerCancel: release }}
      onWheel={(event) => steer(zoomedAt(part, event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, placeOf(event)))}
    >
      <video ref={wide} muted playsInline autoPlay aria-label={`The whole view of ${stream}`} />
      <button
        type="button"
        className="zoom-window"
        aria-label={`The part that is shown: ${part.zoom.toFixed(1)} times`}
        aria-describedby={hint}
        style={{ left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * size}%`, height: `${100 * size}%` }}
        {...{ onKeyDown }}
      />
      <span className="sr" id={hint}>
        Arrow keys move it, plus and minus zoom, Home shows the whole view.
      </span>
    </div>
  );
}

type PartProps = {
  wide: RefObject<HTMLVideoElement | null>;
  part: Part;
  isHidden: boolean;
  playing: PlayerState | undefined;
};

/** The same pictures as the whole view, enlarged: nothing is sent twice. */
function PartPicture({ wide, part, isHidden, playing }: PartProps) {
  const video = useRef<HTMLVideoElement>(null);
  const phase = playing?.phase;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each phase there may be another stream
  useEffect(() => {
    if (!video.current || !wide.current) return;
    video.current.srcObject = wide.current.srcObject;
    void video.current.play().catch(() => {});
  }, [wide, phase]);
  return (
    <div className="zoom-frame" hidden={isHidden}>
      <video ref={video} muted playsInline autoPlay aria-label="The part" style={{ transform: transformOf(part) }} />
    </div>
  );
}

type TelePictureProps = { props: PlayingProps; tele: string; part: Part | undefined };

/** A second camera with a longer lens. It is connected while it is chosen, so that it is there at once. */
function TelePicture({ props: { context }, tele, part }: TelePictureProps) {
  const video = useRef<HTMLVideoElement>(null);
  usePlayer(streamPath(context.workspace, tele), video);
  return (
    <div className="zoom-frame" hidden={part === undefined}>
      <video
        ref={video}
        muted
        playsInline
        autoPlay
        aria-label={`The part, by ${tele}`}
        style={{ transform: transformOf(part ?? WHOLE) }}
      />
    </div>
  );
}

type TeleProps = {
  names: readonly string[];
  stream: string;
  tele: string | undefined;
  onPick(name: string | null): void;
};

function TelePick({ names, stream, tele, onPick }: TeleProps) {
  const others = names.filter((name) => name !== stream);
  if (others.length === 0) return null;
  return (
    <Select aria-label="Second camera" value={tele ?? ""} onChange={({ target }) => onPick(target.value || null)}>
      <option value="">No second camera</option>
      {others.map((name) => (
        <option key={name} value={name}>{`Tele: ${name}`}</option>
      ))}
    </Select>
  );
}

type PlacesProps = { state: JsonObject; part: Part; steer(part: Part): void; change(patch: JsonObject): void };

function Places({ state, part, steer, change }: PlacesProps) {
  const places = Array.isArray(state.places) ? (state.places as unknown as Place[]).filter(isPart) : [];
  const keep = () => {
    const numbers = places.map(({ name }) => Number(/^Place (\d+)$/.exec(name)?.[1] ?? 0));
    const name = `Place ${Math.max(0, ...numbers) + 1}`;
    change({ places: [...places, { ...part, name }].map((place) => ({ ...place })) });
  };
  return (
    <ul className="zoom-places" aria-label="Places">
      {places.map((place) => (
        <li key={place.name}>
          <Button size="small" look="quiet" onClick={() => steer(within(place))}>
            {`${place.name}, ${place.zoom.toFixed(1)}×`}
          </Button>
          <button
            type="button"
            className="icon-btn small"
            aria-label={`Forget ${place.name}`}
            onClick={() => change({ places: places.filter((each) => each !== place).map((each) => ({ ...each })) })}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <Button size="small" icon="plus" disabled={places.length >= MAX_PLACES} onClick={keep}>
          Keep this place
        </Button>
      </li>
    </ul>
  );
}
