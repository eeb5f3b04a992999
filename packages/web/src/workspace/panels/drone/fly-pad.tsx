import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from "react";
import { useHold } from "../../device-panel/hold-button.tsx";
import type { Control } from "../../devices/devices.ts";
import { isFlightKey, NO_PUSH, type Push, pushOfKeys, pushOfPointer } from "./flight.ts";

type Props = {
  control: Pick<Control, "press" | "release">;
  why: string | undefined;
  /** Pushed somewhere else: sent at most every `SEND_MS`. */
  onPush: (push: Push) => void;
};

const SEND_MS = 150;

/** A stick: the drone flies while it is held, by pointer or keys, and brakes and hovers when it is let go. */
export function FlyPad({ control, why, onPush }: Props) {
  const [push, setPush] = useState<Push>(NO_PUSH);
  const keys = useRef(new Set<string>());
  const sent = useRef<{ text: string; atMs: number; timer: ReturnType<typeof setTimeout> | undefined }>({
    ...{ text: "", atMs: 0, timer: undefined },
  });
  const rest = () => {
    keys.current.clear();
    clearTimeout(sent.current.timer);
    sent.current = { text: "", atMs: 0, timer: undefined };
    setPush(NO_PUSH);
  };
  const { isHeld, begin, end, isBy, byPointer } = useHold({ control, why, onRelease: rest });
  const id = useId();

  const send = (next: Push) => {
    setPush(next);
    const text = JSON.stringify(next);
    clearTimeout(sent.current.timer);
    if (text === sent.current.text) return;
    const go = () => {
      sent.current = { text, atMs: performance.now(), timer: undefined };
      onPush(next);
    };
    const waitMs = sent.current.atMs + SEND_MS - performance.now();
    if (waitMs <= 0) go();
    else sent.current.timer = setTimeout(go, waitMs);
  };
  const pushAt = (event: PointerEvent<HTMLButtonElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = (value: number, low: number, size: number) => (2 * (value - low)) / size - 1;
    return pushOfPointer(at(event.clientX, box.left, box.width), at(event.clientY, box.top, box.height));
  };
  const byKeys = (event: KeyboardEvent, isDown: boolean) => {
    if (!isFlightKey(event.code) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (event.repeat || (isHeld && !isBy(undefined))) return;
    if (isDown) keys.current.add(event.code);
    else keys.current.delete(event.code);
    if (keys.current.size === 0) end();
    else if (isBy(undefined) || begin()) send(pushOfKeys(keys.current));
    else keys.current.clear();
  };
  return (
    <button
      className={isHeld ? "hold-button fly-pad held" : "hold-button fly-pad"}
      type="button"
      aria-disabled={why !== undefined || undefined}
      aria-pressed={isHeld}
      aria-describedby={id}
      {...byPointer((event) => send(pushAt(event)))}
      onPointerMove={(event) => isBy(event.pointerId) && send(pushAt(event))}
      onKeyDown={(event) => byKeys(event, true)}
      onKeyUp={(event) => byKeys(event, false)}
      onBlur={end}
    >
      <svg viewBox="-50 -50 100 100" aria-hidden="true">
        <circle r="44" />
        <path d="M0-40v80M-40 0h80" />
        <circle className="fly-stick" r="12" cx={30 * push.right} cy={-30 * push.ahead} />
      </svg>
      <span>{isHeld ? "Flying" : "Hold to fly"}</span>
      <small id={id}>{isHeld ? "release to hover" : (why ?? "WASD, QE, RF")}</small>
    </button>
  );
}
