import { DEVICES_LIMITS } from "@backplane/contract/devices";
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { Control } from "../devices/devices.ts";

type Props = {
  control: Pick<Control, "press" | "release">;
  label: string;
  /** Why it cannot be held now; undefined: it can. */
  why: string | undefined;
  /** It is held: the command goes out, once. What moves is told again by the hub while the presses are heard. */
  onHold: () => void;
  /** It is not held any more, for whatever reason. */
  onRelease?: () => void;
};

const PINS = [1, 2, 3];

/** Presses while something is held, until it is let go; `isBy`: whether it is held by this pointer, or by keys. */
export type Hold = {
  isHeld: boolean;
  /** False: it is held already, or cannot be. */
  begin(pointer?: number): boolean;
  end(): void;
  isBy(pointer: number | undefined): boolean;
  /** Of what is held by a pointer: lifting it and a cancelled touch end it, sliding off does not. */
  byPointer(onBegin: (event: PointerEvent<HTMLButtonElement>) => void): HTMLAttributes<HTMLButtonElement>;
};

/**
 * The dead man: something moves while it is held. Losing the window, another size of it, hiding the page and losing control
 * end it, besides whatever calls `end`.
 */
export function useHold({ control, why, onRelease }: Pick<Props, "control" | "why" | "onRelease">): Hold {
  const [isHeld, setHeld] = useState(false);
  const held = useRef<{ timer: ReturnType<typeof setInterval>; pointer: number | undefined }>(undefined);
  const released = useRef(onRelease);
  released.current = onRelease;

  const end = useCallback(() => {
    if (!held.current) return;
    clearInterval(held.current.timer);
    held.current = undefined;
    setHeld(false);
    control.release();
    released.current?.();
  }, [control]);
  const begin = (pointer?: number): boolean => {
    if (held.current || why !== undefined) return false;
    control.press();
    held.current = { timer: setInterval(() => control.press(), DEVICES_LIMITS.pressMs), pointer };
    setHeld(true);
    return true;
  };

  useEffect(() => {
    const hide = () => document.visibilityState === "hidden" && end();
    window.addEventListener("blur", end);
    window.addEventListener("pagehide", end);
    // What was under the pointer is somewhere else now, or not there any more.
    window.addEventListener("resize", end);
    document.addEventListener("visibilitychange", hide);
    return () => {
      end();
      window.removeEventListener("blur", end);
      window.removeEventListener("pagehide", end);
      window.removeEventListener("resize", end);
      document.removeEventListener("visibilitychange", hide);
    };
  }, [end]);
  // What ends control also ends the hold.
  useEffect(() => {
    if (why !== undefined) end();
  }, [why, end]);

  const isBy = (pointer: number | undefined) => held.current !== undefined && held.current.pointer === pointer;
  const endOf = ({ pointerId }: PointerEvent) => isBy(pointerId) && end();
  const byPointer: Hold["byPointer"] = (onBegin) => ({
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      if (begin(event.pointerId)) onBegin(event);
    },
    ...{ onPointerUp: endOf, onPointerCancel: endOf, onLostPointerCapture: endOf },
    onContextMenu: (event) => event.preventDefault(),
  });
  return { isHeld, begin, end, isBy, byPointer };
}

/** Something moves while this is held, by pointer or Space. Lifting, losing the focus and a cancelled touch end it; sliding off does not. */
export function HoldButton({ control, label, why, onHold, onRelease }: Props) {
  const { isHeld, begin, end, isBy, byPointer } = useHold({ control, why, ...(onRelease ? { onRelease } : {}) });
  const id = useId();
  return (
    <button
      className={isHeld ? "hold-button held" : "hold-button"}
      type="button"
      aria-disabled={why !== undefined || undefined}
      aria-pressed={isHeld}
      aria-describedby={id}
      {...byPointer(() => onHold())}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== " ") return;
        event.preventDefault();
        if (!event.repeat && begin()) onHold();
      }}
      onKeyUp={(event) => event.key === " " && isBy(undefined) && end()}
      onBlur={end}
    >
      <span>{isHeld ? "Held: release to stop" : label}</span>
      <small id={id}>
        {isHeld ? (
          <span className="pins" aria-hidden="true">
            {PINS.map((pin) => (
              <i key={pin} className="on" />
            ))}
          </span>
        ) : (
          (why ?? "pointer or Space")
        )}
      </small>
    </button>
  );
}
