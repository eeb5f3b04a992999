import { type Ack, DEVICES_LIMITS, type Device } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { pause, within } from "./stopper.ts";
import { type Rail, railKey, railNamed, railsOf } from "./stopping.ts";

const { repeatMs } = DEVICES_LIMITS;
/** How long the next rail waits for the answer about the one before it. Cutting all of them matters more than their order. */
const RAIL_WAIT_MS = 500;

type RailsOptions = {
  send(rail: Rail): Promise<Ack>;
  /** Capabilities, or `capability/rail`, that stay on so that devices can still be read. */
  keptOf(device: string): readonly string[];
  /** Whether what did not answer is to be switched off again. */
  isGoingOn(device: string): boolean;
  signal: AbortSignal;
};

export type Rails = {
  /** A command with effect `powers` was carried out. */
  switched(place: { device: string; capability: string; params: JsonObject }, isOn: boolean): void;
  /** Switches off all but the kept ones, the one that was switched on last first, and again until each has answered. */
  cut(device: Device): Promise<Ack[]>;
  forget(device: string): void;
};

/** What supplies and heats, in the order in which it was switched on. */
export function createRails({ send, keptOf, isGoingOn, signal }: RailsOptions): Rails {
  /** Keys of rails that were switched on here, oldest first. */
  const switchedOn = new Map<string, string>();

  const isKept = ({ device, capability, rail }: Rail): boolean => {
    const kept = keptOf(device);
    return kept.includes(capability) || (rail !== "" && kept.includes(`${capability}/${rail}`));
  };

  /** The first to cut comes first. Rails that somebody else switched on come last, in reverse of how they are declared. */
  function inOrder(device: Device): Rail[] {
    const places = [...switchedOn.keys()];
    const rails = railsOf(device).filter((rail) => !isKept(rail));
    const turnOf = (rail: Rail) => places.indexOf(railKey(rail));
    return rails.reverse().sort((a, b) => turnOf(b) - turnOf(a));
  }

  async function cutAgain(rail: Rail): Promise<void> {
    while (!signal.aborted && isGoingOn(rail.device)) {
      await pause(5 * repeatMs, signal);
      if (signal.aborted || !isGoingOn(rail.device) || (await send(rail)).ok) return;
    }
  }

  return {
    switched({ device, capability, params }, isOn) {
      const key = railKey({ device, capability, rail: railNamed(params) });
      switchedOn.delete(key);
      if (isOn) switchedOn.set(key, device);
    },
    async cut(device) {
      const answers: Promise<Ack>[] = [];
      for (const rail of inOrder(device)) {
        const answer = send(rail);
        answers.push(answer);
        void answer.then((ack) => (ack.ok || ack.code === "unsupported" ? undefined : cutAgain(rail)));
        await within<unknown>(answer, RAIL_WAIT_MS, () => undefined);
      }
      return Promise.all(answers);
    },
    forget(device) {
      for (const [key, owner] of switchedOn) if (owner === device) switchedOn.delete(key);
    },
  };
}
