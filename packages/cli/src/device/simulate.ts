import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace } from "@backplane/sdk";
import {
  type Fault,
  findKind,
  findSocketKind,
  type RunningSimulator,
  SIMULATED_KINDS,
  startSimulator,
  startSocketSimulator,
  startTestCamera,
} from "@backplane/simulators";
import { type PanelFlags, withWorkspace } from "../panel/with-workspace.ts";
import { refuse } from "../refusal.ts";
import { SHAPES } from "../terminal.ts";

/** How long a source may take to find its simulator. */
const CONNECT_MS = 10_000;

type SimulateFlags = PanelFlags & { fault?: Fault[]; id?: string };

/** How long revoking its key may take after Ctrl-C. */
const REVOKE_MS = 5_000;

/** Listens on this machine, and is a source of the workspace until the end. */
const simulateSocket = (host: NodeJS.Process, kind: string, options: SimulateFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, session, answer, out, name }) => {
    const found = findSocketKind(kind);
    if (!found) return refuse("wrong-usage", `There is no simulator ${kind}.`, "See: backplane simulate --help");
    const id = options.id ?? `sim-${kind}`;
    await using simulator = await startSocketSimulator({ kind: found, port: 0, faults: options.fault ?? [] });
    const { host: at, port } = simulator;
    await workspace.devices.connect({ name: id, kind, settings: { ...found.settings, host: at, port } });
    try {
      const source = await connected(async () =>
        (await workspace.devices.sources()).sources.find((one) => one.name === id),
      );
      if (source?.state !== "connected")
        return refuse(
          "not-ready",
          `Backplane cannot reach it: ${source?.reason ?? "no answer"}`,
          "Run it where Backplane runs.",
        );
      answer({ id, kind, host: at, port }, () =>
        out.line(`${out.paint("ok", SHAPES.ok)} ${id}  ${found.name}: ${found.description}, at ${at}:${port}`),
      );
      if (options.json !== true) out.hint(`  In ${name}: ${workspace.page}  Ctrl-C ends it.`);
      if (session.signal && !session.signal.aborted) await once(session.signal, "abort");
      return undefined;
    } finally {
      const [owner = "", repo = ""] = name.split("/");
      const { devices } = openWorkspace({ ...session, owner, repo, signal: AbortSignal.timeout(REVOKE_MS) });
      await devices.disconnect(id).catch(() => {});
    }
  });

/** An RTSP server on this machine, and a camera of the workspace until the end. */
const simulateCamera = (host: NodeJS.Process, options: SimulateFlags): Promise<number> =>
  withWorkspace(host, options, async ({ workspace, session, answer, out, name }) => {
    const id = options.id ?? "sim-camera";
    const camera = await startTestCamera({ port: 0 });
    let isAdded = false;
    try {
      const { address } = camera;
      await workspace.devices.streams.add({ name: id, kind: "rtsp", settings: { address } });
      isAdded = true;
      const { state, reason = "no answer" } = await workspace.devices.streams.tryOut(id);
      if (state !== "playing")
        return refuse("not-ready", `Backplane gets no picture: ${reason}`, "Run it where Backplane runs, with ffmpeg.");
      answer({ id, kind: "camera", address }, () =>
        out.line(`${out.paint("ok", SHAPES.ok)} ${id}  RTSP camera, at ${address}`),
      );
      if (options.json !== true) out.hint(`  In ${name}: ${workspace.page}  Ctrl-C ends it.`);
      if (session.signal && !session.signal.aborted) await once(session.signal, "abort");
      return undefined;
    } finally {
      const [owner = "", repo = ""] = name.split("/");
      const { devices } = openWorkspace({ ...session, owner, repo, signal: AbortSignal.timeout(REVOKE_MS) });
      if (isAdded) await devices.streams.remove(id).catch(() => {});
      await camera.close();
    }
  });

async function connected<One extends { state: string }>(
  look: () => Promise<One | undefined>,
): Promise<One | undefined> {
  for (const fromMs = performance.now(); ; await sleep(200)) {
    const one = await look();
    if (one?.state !== "connecting" || performance.now() - fromMs > CONNECT_MS) return one;
  }
}

export function simulate(host: NodeJS.Process, kind: string, options: SimulateFlags): Promise<number> {
  if (kind === "camera") return simulateCamera(host, options);
  return findSocketKind(kind) ? simulateSocket(host, kind, options) : simulateByKey(host, kind, options);
}

/** Each simulator gets a key of its own, which is revoked at the end. */
const simulateByKey = (host: NodeJS.Process, kind: string, options: SimulateFlags): Promise<number> =>
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
