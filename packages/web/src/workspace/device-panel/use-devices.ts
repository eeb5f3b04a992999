import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Control, ControlState, Devices, DevicesStatus } from "../devices/devices.ts";
import type { DeviceContext } from "../panel.ts";
import { pageBeat } from "../parts/beat.ts";
import type { Fitting } from "./fitting.ts";
import { createFreshness, type Freshness } from "./freshness.ts";

const LOOK_EVERY_MS = 250;

export const useDeviceList = (devices: Devices): ReturnType<Devices["list"]> =>
  useSyncExternalStore(devices.onList, devices.list);

export const useDevicesStatus = (devices: Devices): DevicesStatus =>
  useSyncExternalStore(devices.onStatus, devices.status);

/** The control of one device, and its state as it changes. */
export function useControl(devices: Devices, device: string): { control: Control; state: ControlState } {
  const control = useMemo(() => devices.control(device), [devices, device]);
  const [state, setState] = useState(() => control.state());
  useEffect(() => {
    setState(control.state());
    return control.onState(() => setState(control.state()));
  }, [control]);
  return { control, state };
}

/** A panel, or whatever else shows a time. */
type Shower = Pick<DeviceContext, "clock"> & Partial<Pick<DeviceContext, "isShown">>;

/** The time by the hub's clock, or that of a replay, as often as ages are shown. */
export function useClock(of: Shower, everyMs = LOOK_EVERY_MS): number {
  const { clock } = of;
  const [nowMs, setNow] = useState(() => clock.nowMs());
  useEffect(() => {
    const look = () => setNow(clock.nowMs());
    look();
    const stops = [pageBeat.add(of, everyMs, look), clock.onChange(look)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [of, clock, everyMs]);
  return nowMs;
}

export const useClockMode = ({ clock }: Pick<DeviceContext, "clock">): "live" | "replay" =>
  useSyncExternalStore(clock.onChange, clock.mode);

/** How fresh the values of a capability are. Of them, only one field is asked for. */
export function useFreshness(context: DeviceContext, { device, capability }: Fitting): Freshness {
  const { devices } = context;
  const fresh = useRef(createFreshness());
  const nowMs = useClock(context);
  const id = device.id;
  const [field] = Object.keys(capability.fields);
  useEffect(() => {
    fresh.current.forget();
    if (field === undefined) return;
    return devices.subscribe({ device: id, capability: capability.id, fields: [field], historyMs: 10_000 }, ({ tMs }) =>
      fresh.current.take(tMs),
    );
  }, [devices, id, capability.id, field]);
  return fresh.current.read(nowMs);
}
