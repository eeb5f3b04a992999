import { type Capability, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import mqtt from "mqtt";
import { IDENTIFY, IDLE, LAMP, ON, VELOCITY } from "./motor-commands.ts";

const MOTOR: Capability = { id: "motor", kind: "motor", fields: {}, commands: { velocity: VELOCITY, idle: IDLE } };
export const lamp: Capability = { id: "lamp", kind: "led", fields: {}, commands: { set: LAMP, identify: IDENTIFY } };
export const rail = (id: string): Capability => ({
  ...{ id, kind: "workcell-power", fields: {}, commands: { on: ON, off: ON } },
});

/**
 * A motor on a real connection, with a watchdog of its own: told nothing for a second while it turns, it stops. What it
 * did is in `log`, which is the witness of the tests.
 */
export async function connectMotor(url: string, id: string, more: readonly Capability[] = []) {
  const motor = {
    id,
    wanted: 0,
    /** What it heard, in order. */
    log: [] as string[],
    /** Hears nothing. */
    isDeaf: false,
    /** Hears but does not answer. */
    isMute: false,
    /** Refuses with this code. */
    refuses: undefined as string | undefined,
    watchdogs: 0,
    vanish: () => client.stream.destroy(),
    end: () => client.endAsync(true),
    /** Describes itself with other capabilities. */
    describe: (capabilities: readonly Capability[]) =>
      client.publishAsync(`${id}/$description`, describing(capabilities), { retain: true }),
    say: (state: string) => client.publishAsync(`${id}/$state`, state, { retain: true }),
  };
  const describing = (capabilities: readonly Capability[]) => JSON.stringify({ name: `Motor ${id}`, capabilities });
  let watchdog: NodeJS.Timeout | undefined;
  const feed = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      if (motor.wanted === 0) return;
      motor.wanted = 0;
      motor.watchdogs += 1;
    }, DEVICES_LIMITS.deviceWatchdogMs).unref();
  };

  const client = mqtt.connect(url, {
    ...{ clientId: `device-${id}`, reconnectPeriod: 50 },
    will: { topic: `${id}/$state`, payload: Buffer.from("lost"), retain: true, qos: 1 },
  });
  client.on("message", (topic, payload) => {
    if (motor.isDeaf) return;
    const [, capability = ""] = topic.split("/");
    const {
      id: commandId,
      name,
      params,
    } = JSON.parse(payload.toString()) as {
      id: string;
      name: string;
      params: JsonObject;
    };
    const what = Object.values(params).join(" ");
    motor.log.push(`${capability} ${name}${what === "" ? "" : ` ${what}`}`);
    const isRefused = motor.refuses !== undefined && name !== "idle";
    if (capability === "motor" && !isRefused) {
      motor.wanted = name === "velocity" ? Number(params.velocity_rad_s) : 0;
      feed();
    }
    if (motor.isMute) return;
    const answer = isRefused ? { id: commandId, ok: false, code: motor.refuses } : { id: commandId, ok: true };
    client.publish(`${id}/${capability}/ack`, JSON.stringify(answer));
  });
  client.on("connect", () => {
    void (async () => {
      await client.subscribeAsync(`${id}/+/set`, { qos: 1 });
      await motor.describe([MOTOR, ...more]);
      await motor.say("ready");
    })().catch(() => undefined);
  });
  return motor;
}

export type Motor = Awaited<ReturnType<typeof connectMotor>>;
