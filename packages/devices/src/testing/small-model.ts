import type { Device } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import type { Declared, Model, ModelEvents } from "../services.ts";

/** As much of a model as control needs: devices, their state, and who is in control. */
export function createSmallModel() {
  const devices = new Map<string, Device>();
  const events = {
    device: createListeners<Device>((error) => assertNever(error)),
    removed: createListeners<string>((error) => assertNever(error)),
  };
  function change(id: string, change: Partial<Device>): void {
    const device = devices.get(id);
    if (!device) return;
    const { lease: _, ...rest } = device;
    const changed: Device = "isArmed" in change ? { ...rest, ...change } : { ...device, ...change };
    devices.set(id, changed);
    events.device.emit(changed);
  }
  return {
    devices: () => [...devices.values()],
    device: (id: string) => devices.get(id),
    on<Name extends keyof ModelEvents>(event: Name, listener: ModelEvents[Name]): () => void {
      if (event === "device") return events.device.add(listener as ModelEvents["device"]);
      return event === "removed" ? events.removed.add(listener as ModelEvents["removed"]) : () => {};
    },
    setControl: change as Model["setControl"],
    declare(source: string, { id, name, capabilities }: Declared): void {
      const known = devices.get(id);
      const device: Device = {
        ...{ id, name: String(name), source, state: "init", lastSeenAt: new Date(0).toISOString(), alerts: [] },
        ...{ isArmed: false, isMoving: false },
        ...known,
        capabilities: [...capabilities],
      };
      devices.set(id, device);
      events.device.emit(device);
    },
    state: (id: string, state: Device["state"]) => change(id, { state }),
    remove(id: string): void {
      if (devices.delete(id)) events.removed.emit(id);
    },
  };
}

const assertNever = (error: unknown): never => {
  throw error;
};
