import { type SimulatedKind, startSimulator } from "@backplane/simulators";

/** What the devices noted, by their own clock: one line of JSON each. */
export type Noted = { atMs: number } & (
  | { what: "command" | "watchdog"; name: string }
  /** The motor has a target, or has none any more. */
  | { what: "driven" | "at-rest" }
  /** This process did not run for so long, and neither did the watchdog of the motor. */
  | { what: "stalled"; ms: number }
  /** Everything until now is noted. */
  | { what: "alive" }
);

export type SimulatedDevicesOptions = {
  url: string;
  prefix?: string;
  /** Device keys, by the id of the device. */
  keys: Record<string, string>;
};

export const [MOTOR, COUNTER] = ["drive", "counter"] as const;
/** Together more than 1,000 samples per second, each below the rate at which a hub thins. */
export const COUNTERS = ["a", "b", "c", "d"] as const;
const RATE_HZ = 300;
const LOOK_MS = 10;
const STALLED_MS = 50;
const ALIVE_MS = 200;

/** Every sample of a node is one more than the last: what is missing shows. */
const counting: SimulatedKind = {
  ...{ kind: "counter", name: "Counter", model: "counter", description: "Counts its samples" },
  nodes: Object.fromEntries(
    COUNTERS.map((id) => [
      id,
      { name: id, kind: "sensor", rateHz: RATE_HZ, fields: { count: { type: "integer" as const } } },
    ]),
  ),
  create() {
    const counts = new Map<string, number>();
    return {
      step() {},
      read(node) {
        const count = (counts.get(node) ?? 0) + 1;
        counts.set(node, count);
        return { count };
      },
    };
  },
};

/** A motor and a fast sensor in a process of their own, which nobody kills. */
function run({ url, prefix = "", keys }: SimulatedDevicesOptions): void {
  const note = (noted: Noted) => void process.stdout.write(`${JSON.stringify(noted)}\n`);
  const start = (id: string, kind: string | SimulatedKind) =>
    startSimulator({ kind, url, prefix, id, ...(keys[id] === undefined ? {} : { key: keys[id] }) });
  const motor = start(MOTOR, "motor");
  start(COUNTER, counting);
  let seen = motor.witnessed().at(-1);
  let isDriven = false;
  let [lookedMs, aliveMs] = [Date.now(), 0];
  setInterval(() => {
    const nowMs = Date.now();
    if (nowMs - lookedMs > STALLED_MS) note({ atMs: nowMs, what: "stalled", ms: nowMs - lookedMs });
    lookedMs = nowMs;
    const witnessed = motor.witnessed();
    for (const { atMs, what, name } of witnessed.slice(seen ? witnessed.lastIndexOf(seen) + 1 : 0))
      note({ atMs, what, name });
    seen = witnessed.at(-1);
    if (isDriven !== (motor.read("motor").target_rad_s !== null)) {
      isDriven = !isDriven;
      note({ atMs: nowMs, what: isDriven ? "driven" : "at-rest" });
    }
    if (nowMs - aliveMs < ALIVE_MS) return;
    aliveMs = nowMs;
    note({ atMs: nowMs, what: "alive" });
  }, LOOK_MS);
}

if (import.meta.main) run(JSON.parse(process.argv[2] ?? "") as SimulatedDevicesOptions);
