import type { Dependencies } from "@backplane/devices";
import { SIMULATED_KINDS, startSimulator } from "@backplane/simulators";

/** Simulated devices are a package of their own: devices get them from here. */
export const simulators: Dependencies["simulators"] = {
  kinds: SIMULATED_KINDS.map(({ kind, name, description, nodes }) => ({
    ...{ kind, name, description },
    shows: [...new Set(Object.values(nodes).map((node) => node.kind))],
  })),
  start(options) {
    const { ready, close } = startSimulator(options);
    return { ready, close: () => close({ forget: true }) };
  },
};
