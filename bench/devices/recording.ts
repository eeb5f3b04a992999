import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { createMcapFile } from "../../packages/devices/src/recordings/mcap-file.ts";
import { nsOf } from "../../packages/devices/src/recordings/times.ts";
import { noise, randomOf } from "../../packages/simulators/src/simulator.ts";
import type { Session } from "../harness/session.ts";
import { DEVICES, MAX_MCAP_SHARE, RECORDING } from "./limits.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** The bytes of a recording, beside those of the same samples as lines of JSON. */
export async function recording(session: Session): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-bench-recording-"));
  try {
    await using handle = await open(join(folder, "bench.mcap"), "wx");
    const file = await createMcapFile(handle);
    const channels = Array.from({ length: DEVICES }, (_, device) =>
      file.addChannel({
        topic: `/sensor-${device}/imu`,
        schema: { name: `sensor-${device}.imu`, data: Buffer.from("{}") },
        metadata: new Map(),
      }),
    );
    const seconds = session.quick ? 5 : RECORDING.seconds;
    const random = randomOf(1);
    let lineBytes = 0;
    const cpu = process.cpuUsage();
    for (let tick = 0; tick < seconds * RECORDING.hz; tick += 1) {
      const tMs = START_MS + (tick * 1_000) / RECORDING.hz;
      for (const [device, channelId] of channels.entries()) {
        const values = imuAt(tick + 7 * device, random);
        const data = Buffer.from(JSON.stringify(values));
        file.addMessage({ channelId, logTime: nsOf(tMs), publishTime: nsOf(tMs), data });
        const line = { at: tMs, device: `sensor-${device}`, capability: "imu", ...values };
        lineBytes += Buffer.byteLength(JSON.stringify(line)) + 1;
        if (file.pendingBytes >= DEVICES_LIMITS.chunkBytes) await file.endChunk();
      }
    }
    await file.finish();
    const { user, system } = process.cpuUsage(cpu);
    say(session, { mcapBytes: file.bytes, lineBytes, cpuS: (user + system) / 1_000_000, seconds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A sensor that shakes, with as many digits as sensors have. */
function imuAt(tick: number, random: () => number) {
  const around = (value: number) => Number((value + noise(random, 0.02)).toFixed(4));
  return {
    ...{ x_m_s2: around(Math.sin(tick / 30)), y_m_s2: around(Math.cos(tick / 40)), z_m_s2: around(9.81) },
    ...{ roll_rad_s: around(0.1), pitch_rad_s: around(0), yaw_rad_s: around(Math.sin(tick / 200)) },
  };
}

type Written = { mcapBytes: number; lineBytes: number; cpuS: number; seconds: number };

function say(session: Session, { mcapBytes, lineBytes, cpuS, seconds }: Written): void {
  const share = mcapBytes / lineBytes;
  const holds = share <= MAX_MCAP_SHARE;
  const perMessage = (bytes: number) => (bytes / (seconds * RECORDING.hz * DEVICES)).toFixed(0);
  session.say(
    [
      `Recording, ${DEVICES} sensors of six values at ${RECORDING.hz} Hz, ${seconds} s`,
      `  MCAP ${perMessage(mcapBytes)} bytes per sample, JSON lines ${perMessage(lineBytes)}; ${((cpuS / seconds) * 100).toFixed(1)} % of a core for both`,
    ],
    [
      {
        ...{ holds, isStretch: false },
        sentence: `target ${holds ? "holds" : "missed"}: at most ${MAX_MCAP_SHARE} × the bytes of JSON lines; it is ${share.toFixed(2)}`,
      },
    ],
  );
}
