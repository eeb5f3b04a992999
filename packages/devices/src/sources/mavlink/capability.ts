import type { Capability, Command, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";

export const CAPABILITY = "drone";
const MAX_M_S = 5;
const MAX_CLIMB_M_S = 2;
const MAX_TURN_DEG_S = 90;

const number = (unit?: string): Field => ({ datatype: "number", ...(unit === undefined ? {} : { unit }) });
const within = (low: number, high: number): JsonObject => ({ type: "number", minimum: low, maximum: high });
const command = (
  effect: Command["effect"],
  properties: JsonObject = {},
  required = Object.keys(properties),
): Command => ({
  effect,
  params: { type: "object", properties, required },
});

/** As drones that describe themselves by Homie do, so that one panel shows both. `fenceM`: how far and how high it may fly. */
export function capabilityOf({ fenceM, maxHeightM }: { fenceM: number; maxHeightM: number }): Capability {
  const far = within(-fenceM, fenceM);
  const high = within(1, maxHeightM);
  return {
    ...{ id: CAPABILITY, kind: "drone", name: "Drone" },
    fields: {
      ...{
        armed: { datatype: "boolean" },
        flying: { datatype: "boolean" },
        mode: { datatype: "text" },
        checks: { datatype: "list" },
      },
      ...{ lat_deg: number("°"), lon_deg: number("°"), alt_m: number("m"), height_m: number("m") },
      ...{ north_m: number("m"), east_m: number("m"), fence_m: number("m"), accuracy_m: number("m") },
      ...{ roll_deg: number("°"), pitch_deg: number("°"), yaw_deg: number("°") },
      ...{ north_m_s: number("m/s"), east_m_s: number("m/s"), up_m_s: number("m/s") },
      ...{ battery_pct: number("%"), battery_v: number("V"), battery_a: number("A"), battery_left_s: number("s") },
      ...{ satellites: { datatype: "integer" }, air_s: number("s"), link_ms: number("ms") },
    },
    commands: {
      ...{ arm: command("powers"), disarm: command("powers"), takeoff: command("powers", { height_m: high }) },
      goto: command("powers", { north_m: far, east_m: far, height_m: high }),
      ...{ return: command("powers"), hold: command("powers") },
      velocity: command(
        "moves",
        {
          ...{ forward_m_s: within(-MAX_M_S, MAX_M_S), right_m_s: within(-MAX_M_S, MAX_M_S) },
          ...{ up_m_s: within(-MAX_CLIMB_M_S, MAX_CLIMB_M_S), turn_deg_s: within(-MAX_TURN_DEG_S, MAX_TURN_DEG_S) },
        },
        [],
      ),
      ...{ stop: command("none"), land: command("none") },
    },
  };
}
