import { useState } from "react";
import { useWork } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { clockWithSeconds } from "../../parts/times.ts";
import { useDeviceList, useDevicesStatus } from "../device-panel/use-devices.ts";
import type { Devices, DevicesStatus } from "../devices/devices.ts";

/** Over all panels while the devices are stopped: by whom, who has confirmed it, and how it goes on. */
export function StopBanner({ devices }: { devices: Devices }) {
  const status = useDevicesStatus(devices);
  const list = useDeviceList(devices);
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();
  const { stopped, stopAnswer, mayControl } = status;
  if (!stopped) return null;
  const names = new Map(list.map(({ id, name }) => [id, name]));
  const { title, detail, rest = "" } = wordsOf(status, (id) => names.get(id) ?? id);
  const acks = Object.entries(typeof stopAnswer === "object" ? (stopAnswer ?? {}) : {});

  const clear = () =>
    run(async () => {
      setFault(undefined);
      const fine = await clearStop(devices);
      if (fine !== undefined) setFault(fine);
    });
  return (
    <div className="stop-banner" role="alert">
      <Icon name="stop" />
      <p className="grow">
        <b>{title}</b> <span>{fault ?? detail}</span> {fault === undefined && <span className="stop-rest">{rest}</span>}
      </p>
      {acks.length > 0 && (
        <span className="pins" aria-hidden="true">
          {acks.map(([id, { ok }]) => (
            <i key={id} className={ok ? "on" : ""} />
          ))}
        </span>
      )}
      {mayControl && (
        <Button busy={busy} onClick={() => void clear()}>
          Clear the stop
        </Button>
      )}
    </div>
  );
}

type Words = { title: string; detail: string /** What narrow screens leave out. */; rest?: string };

function wordsOf({ stopped, stopAnswer, mayControl }: DevicesStatus, nameOf: (id: string) => string): Words {
  const by = stopped ? `Stopped by ${stopped.by} at ${clockWithSeconds(new Date(stopped.at))}` : "";
  const rest = mayControl
    ? "Nothing moves or powers up until it is cleared. It does not replace the switch in the supply."
    : "Somebody who may control devices clears it.";
  if (stopAnswer === null) return { title: by, detail: "", rest };
  if (stopAnswer === "asked") return { title: "Stopping…", detail: "The devices have not confirmed it yet." };
  const acks = Object.entries(stopAnswer);
  const silent = acks.filter(([, { ok }]) => !ok).map(([id]) => nameOf(id));
  if (silent.length === 0) {
    const slowest = Math.round(Math.max(0, ...acks.map(([, { tookMs }]) => tookMs)));
    const all = acks.length === 1 ? "The device" : `All ${acks.length} devices`;
    return { title: by, detail: acks.length === 0 ? "" : `${all} confirmed in ${slowest} ms.`, rest };
  }
  return {
    title: `Stopping: ${acks.length - silent.length} of ${acks.length} devices confirmed`,
    detail: `${silent.join(", ")} ${silent.length === 1 ? "does" : "do"} not answer. Cut the supply now.`,
  };
}

/** Only who is in control of a device may clear: one is taken for that moment, unless this page has one. */
async function clearStop(devices: Devices): Promise<string | undefined> {
  const held = devices.list().find(({ id }) => devices.control(id).state().isMine);
  const free = devices.list().find(({ lease }) => !lease);
  if (!held && free) {
    const taken = await devices.control(free.id).take();
    if (!taken.ok) return taken.detail ?? "No device could be taken, which clearing needs.";
  }
  const ack = await devices.clear();
  if (!held && free) devices.control(free.id).leave();
  return ack.ok ? undefined : (ack.detail ?? `It was refused: ${ack.code}.`);
}
