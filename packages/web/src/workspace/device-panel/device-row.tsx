import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import type { DeviceContext } from "../panel.ts";
import type { ChoosingProps } from "./choose-device.tsx";
import { ConnectSerial } from "./connect-serial.tsx";
import { DeviceList, holderWords } from "./device-list.tsx";
import { type Fitting, nameOf, toneOf } from "./fitting.ts";
import { freshnessWords } from "./freshness.ts";
import { StartSimulator } from "./start-simulator.tsx";
import { StopButton } from "./stop-button.tsx";
import { useClock, useClockMode, useDevicesStatus, useFreshness } from "./use-devices.ts";

type Props = {
  context: DeviceContext;
  chosen: Fitting;
  choosing: ChoosingProps;
  isControlled: boolean;
  /** How long the last command took to the device and back. */
  roundTripMs: number | undefined;
  tools: ReactNode;
};

/** Which device, how fresh, what to do with what is seen. Stop is always at the right end. */
export function DeviceRow({ context, chosen, choosing, isControlled, roundTripMs, tools }: Props) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { device } = chosen;
  return (
    <div className="panel-tools device-row">
      <button
        ref={anchor}
        className="device-pick"
        type="button"
        aria-label={`${nameOf(chosen, choosing.all)}, ${device.state}. Choose another device`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={`dot ${toneOf(device.state)}`} aria-hidden="true" />
        <span className="cut">{nameOf(chosen, choosing.all)}</span>
        <Icon name="down" />
      </button>
      <Age {...{ context, chosen, roundTripMs }} />
      {!isControlled && <Holder device={device} />}
      <span className="grow" />
      {tools}
      {isControlled && <StopButton devices={context.devices} size="small" />}
      {isOpen && anchor.current && <DevicePicker {...{ choosing, chosen, anchor: anchor.current, onClose: close }} />}
    </div>
  );
}

/** A panel that only looks has no row for control: here it says who moves what it shows. */
function Holder({ device }: Pick<Fitting, "device">) {
  return device.lease ? <span className="badge replaying cut">{holderWords(device)}</span> : null;
}

function Age({ context, chosen, roundTripMs }: Pick<Props, "context" | "chosen" | "roundTripMs">) {
  const fresh = useFreshness(context, chosen);
  const mode = useClockMode(context);
  const { connection } = useDevicesStatus(context.devices);
  const now = new Date(useClock(context, 1_000));
  if (mode === "replay") return <span className="device-age">recorded</span>;
  if (connection !== "open") return <span className="device-age warn">no connection</span>;
  const { tone, words } = freshnessWords(chosen.device, fresh, now);
  const isFresh = tone === undefined && roundTripMs !== undefined;
  return (
    <span className={`device-age ${tone ?? ""}`}>
      {words}
      {isFresh && <span title="From here to the device and back"> · {Math.round(roundTripMs)} ms</span>}
    </span>
  );
}

const MARGIN = 8;
const SEARCHED_FROM = 6;

type PickerProps = { choosing: ChoosingProps; chosen: Fitting; anchor: HTMLElement; onClose: () => void };

/** In the top layer, above panels and their frames. */
function DevicePicker({ choosing, chosen, anchor, onClose }: PickerProps) {
  const box = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const [place, setPlace] = useState<{ left: number; top: number; maxHeight: number }>();
  const { context, all, shows, onChoose } = choosing;
  const { workspace } = context;
  const isFound = ({ device }: Fitting) => `${device.name} ${device.id}`.toLowerCase().includes(search.toLowerCase());

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.showPopover();
    const from = anchor.getBoundingClientRect();
    const left = Math.max(MARGIN, Math.min(from.left, window.innerWidth - element.offsetWidth - MARGIN));
    setPlace({ left, top: from.bottom + 4, maxHeight: window.innerHeight - from.bottom - 4 - MARGIN });
  }, [anchor]);
  useEffect(() => {
    if (place) box.current?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
  }, [place]);
  useEffect(() => {
    const leave = ({ target }: Event) => {
      if (!(target instanceof Element)) return;
      if (!box.current?.contains(target) && !anchor.contains(target) && !target.closest(".menu")) onClose();
    };
    document.addEventListener("pointerdown", leave, true);
    window.addEventListener("resize", onClose);
    return () => {
      document.removeEventListener("pointerdown", leave, true);
      window.removeEventListener("resize", onClose);
    };
  }, [anchor, onClose]);

  const done = (...what: Parameters<typeof onChoose>) => {
    onClose();
    onChoose(...what);
    anchor.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      onClose();
      return anchor.focus();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const rows = [...(box.current?.querySelectorAll<HTMLElement>(".device-list button") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows.at(event.key === "ArrowDown" ? (at + 1) % rows.length : Math.max(at, 0) - 1)?.focus();
  };
  return (
    <div
      ref={box}
      className="device-picker"
      role="dialog"
      aria-label="Device"
      popover="manual"
      tabIndex={-1}
      style={place ?? { left: 0, top: 0, visibility: "hidden" }}
      onKeyDown={onKeyDown}
    >
      {all.length >= SEARCHED_FROM && (
        <div className="input">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search devices"
            placeholder={`Search ${all.length} devices`}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      )}
      <DeviceList {...{ context, current: chosen, onChoose: done }} all={all.filter(isFound)} />
      <div className="device-picker-foot">
        <span className="grow">Only devices that fit are listed.</span>
        <ConnectSerial {...{ context, shows }} onConnected={done} />
        {workspace && <StartSimulator {...{ context: { workspace }, shows }} size="small" onStarted={done} />}
      </div>
    </div>
  );
}
