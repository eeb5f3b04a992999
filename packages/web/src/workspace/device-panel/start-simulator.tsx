import type { RunningSimulator, SimulatorKind, Simulators } from "@backplane/contract/devices";
import { useCallback, useEffect, useRef, useState } from "react";
import { call } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { useWork } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { FaultLine } from "../../parts/field.tsx";
import { type WorkspaceName, workspaceRoute } from "../calls.ts";
import type { PanelContext } from "../panel.ts";
import { Menu } from "../parts/menu.tsx";
import { simulatorsFor } from "./fitting.ts";

const simulatorsPath = (workspace: WorkspaceName): string => workspaceRoute(workspace, "/devices/simulators");

type Props = {
  context: Pick<PanelContext, "workspace">;
  shows: readonly string[];
  look?: "primary" | undefined;
  size?: "small";
  onStarted: (device: string) => void;
};

/** Starts a device that behaves as a real one, in the server. */
export function StartSimulator({ context: { workspace }, shows, look, size, onStarted }: Props) {
  const { busy, run } = useWork();
  const [kinds, setKinds] = useState<readonly SimulatorKind[]>([]);
  const [fault, setFault] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  const { owner, repo } = workspace;

  useEffect(() => {
    const stop = new AbortController();
    void call<Simulators>({ method: "GET", path: simulatorsPath({ owner, repo }), signal: stop.signal }).then(
      (answer) => answer.ok && !stop.signal.aborted && setKinds(answer.value.kinds),
    );
    return () => stop.abort();
  }, [owner, repo]);

  const fitting = simulatorsFor(kinds, shows);
  const [only] = fitting;
  if (!only) return null;
  const start = (kind: string) =>
    run(async () => {
      setFault(undefined);
      const answer = await call<RunningSimulator>({ method: "POST", path: simulatorsPath(workspace), body: { kind } });
      if (answer.ok) onStarted(answer.value.device);
      else setFault(faultWords(answer.fault));
    });
  const items = fitting.map(({ kind, name }) => ({ label: name, onSelect: () => void start(kind) }));
  return (
    <div className="start-simulator">
      <Button
        ref={anchor}
        icon="simulator"
        busy={busy}
        {...(look === undefined ? {} : { look })}
        {...(size === undefined ? {} : { size })}
        onClick={() => (fitting.length === 1 ? void start(only.kind) : setOpen(true))}
      >
        Start a simulator
      </Button>
      {size !== "small" && (
        <span className="hint">
          No hardware needed. {fitting.length === 1 ? only.description : "It behaves as a real device does."}
        </span>
      )}
      {isOpen && anchor.current && <Menu label="Simulators" anchor={anchor.current} items={items} onClose={close} />}
      {fault !== undefined && <FaultLine>{fault}</FaultLine>}
    </div>
  );
}
