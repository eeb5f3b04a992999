import { once } from "node:events";
import { openWorkspace } from "@backplane/sdk";
import { type Fault, findKind, type RunningSimulator, SIMULATED_KINDS, startSimulator } from "@backplane/simulators";
import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { SHAPES } from "../terminal.ts";

type SimulateFlags = PanelFlags & { fault?: Fault[]; id?: string };

/** How long revoking its key may take after Ctrl-C. */
const REVOKE_MS = 5_000;

/** Each simulator gets a key of its own, which is revoked at the end. */
export const simulate = (host: NodeJS.Process, kind: string, options: SimulateFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, session, answer, out, name }) => {
    const kinds = kind === "all" ? SIMULATED_KINDS.map((known) => known.kind) : [kind];
    const made: string[] = [];
    const running: RunningSimulator[] = [];
    try {
      for (const one of kinds) {
        const id = options.id ?? `sim-${one}`;
        const { id: keyId, key } = await workspace.devices.makeKey({ name: `Simulator: ${one}`, device: id });
        made.push(keyId);
        // Nothing listens for devices before there is a key.
        const { address, reason = "Devices cannot connect here." } = await workspace.devices.keys();
        if (address === null) return refuse("not-ready", reason, "See: backplane help devices");
        const simulator = startSimulator({ kind: one, url: address, key, id, faults: options.fault ?? [] });
        running.push(simulator);
        await simulator.ready;
        const { name: shown = one, description = "" } = findKind(one) ?? {};
        answer({ id, kind: one }, () => out.line(`${out.paint("ok", SHAPES.ok)} ${id}  ${shown}: ${description}`));
      }
      if (options.json !== true) out.hint(`  In ${name}: ${workspace.page}  Ctrl-C ends it.`);
      if (session.signal && !session.signal.aborted) await once(session.signal, "abort");
      return undefined;
    } finally {
      await Promise.all(running.map((simulator) => simulator.close()));
      // Ctrl-C has ended the session's own calls.
      const [owner = "", repo = ""] = name.split("/");
      const { devices } = openWorkspace({ ...session, owner, repo, signal: AbortSignal.timeout(REVOKE_MS) });
      await Promise.all(made.map((id) => devices.revokeKey(id).catch(() => {})));
    }
  });
