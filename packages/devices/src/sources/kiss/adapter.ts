import { type Ack, type Capability, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import { refused } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { kissFrames } from "./codec.ts";

const { sourceAnswerMs } = DEVICES_LIMITS;
/** Noise has a right checksum now and then: two frames in a row are telemetry. */
const FRAMES_TO_CONFIRM = 2;

const SETTINGS = settingsWith({ host: HOST, port: portWith(4_002) });

/** Speed controllers that send telemetry by themselves: over a serial port on the network. They are told nothing. */
export const kiss = defineAdapter<typeof SETTINGS>({
  kind: "kiss",
  name: "KISS telemetry",
  description: "Telemetry of KISS, BLHeli_32 and AM32 speed controllers, over TCP; it only measures",
  shows: ["speed-controller"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: (_settings, wire, ground) => openKiss(wire, ground),
});

function openKiss(wire: Wire, ground: SourceGround): Session {
  const reader = kissFrames.createReader();
  let device: string | undefined;
  let frames = 0;
  const silent = () => wire.fail("It sends no telemetry. Check that automatic telemetry is on, and the wiring.");
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    wire.confirm();
    device = ground.declare({
      id: ground.name,
      name: ground.name,
      model: "KISS telemetry",
      capabilities: [CAPABILITY],
    });
    if (device === undefined) wire.fail("The workspace has no room for another device.");
    else ground.state(device, "ready");
  }

  return {
    take(bytes) {
      for (const frame of reader.take(bytes)) {
        frames += 1;
        if (frames === FRAMES_TO_CONFIRM) begin();
        if (device === undefined) continue;
        ground.sample(device, CAPABILITY.id, {
          ...{ temperature_c: frame.temperatureC, voltage_v: frame.voltageV, current_a: frame.currentA },
          ...{ consumed_mah: frame.consumedMah, erpm: frame.erpm, frames, bad_frames: reader.refused },
        });
        clearTimeout(timer);
        timer = setTimeout(silent, sourceAnswerMs);
      }
    },
    command: async (): Promise<Ack> => refused("unsupported", "It only measures."),
    stop: async () => ({ ok: true, tookMs: 0 }),
    close: () => clearTimeout(timer),
  };
}

const number = (unit: string): Field => ({ datatype: "number", unit });
const CAPABILITY: Capability = {
  ...{ id: "esc", kind: "speed-controller", name: "Controller" },
  fields: {
    ...{ erpm: { datatype: "integer" }, current_a: number("A"), voltage_v: number("V") },
    ...{ consumed_mah: number("mAh"), temperature_c: number("°C") },
    ...{ frames: { datatype: "integer" }, bad_frames: { datatype: "integer" } },
  },
  commands: {},
};
