import "../../device-panel/device-panel.css";
import "./package.css";
import type { PackageHold, PanelManifest } from "@backplane/contract/panels";
import { useState, useSyncExternalStore } from "react";
import { useWork } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote, Note } from "../../../parts/note.tsx";
import { WantsList } from "../../../parts/panel-wants/wants-list.tsx";
import { whyNot } from "../../controls/why-not.ts";
import { HoldButton } from "../../device-panel/hold-button.tsx";
import { LeaseRow } from "../../device-panel/lease-row.tsx";
import { StopButton } from "../../device-panel/stop-button.tsx";
import { useClockMode, useControl } from "../../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { createFrameHolder, FrameSlot } from "../driven-panel.tsx";
import { reactPanel } from "../react-panel.tsx";
import { Consent } from "./consent.tsx";
import { DeviceChoice } from "./device-choice.tsx";
import { createPackageSession, type PackageSession, type PackageView } from "./package-session.ts";

export const mount: MountPanel = (element, context) => {
  const holder = createFrameHolder();
  const session = createPackageSession(context, holder);
  return reactPanel(element, <PackagePanel {...{ session, holder, context }} />, {
    focus: () => element.querySelector<HTMLElement>("button, [tabindex]")?.focus(),
    rasterise: session.rasterise,
    dispose: session.dispose,
  });
};

type Props = { session: PackageSession; holder: HTMLElement; context: PanelContext };

function PackagePanel({ session, holder, context }: Props) {
  const view = useSyncExternalStore(session.subscribe, session.view);
  const [isOpen, setOpen] = useState(false);
  const { status, question, panel, isDraft, device } = view;
  const { owner, repo } = context.workspace;
  return (
    <div className="panel-root package-panel" data-status={status}>
      {panel && <About {...{ view, session }} />}
      <div className="panel-view">
        <FrameSlot holder={holder} isTabStop={!panel} />
        {status === "loading" && <p className="panel-message">Loading</p>}
        {status === "fault" && (
          <div className="panel-message package-cover" role="alert">
            <h2>This panel cannot be shown</h2>
            <p>{view.fault}</p>
          </div>
        )}
        {question && (
          <div className="package-cover">
            <Consent
              {...{ question, project: `${owner}/${repo}`, busy: view.isAnswering, fault: view.fault }}
              context={context}
              onAllow={(devices) => void session.allow(devices)}
              onRefuse={session.refuse}
            />
          </div>
        )}
        {!question && isOpen && panel && <May key={devicesKey(view)} {...{ view, session, context, panel }} />}
        {status === "shown" && <Trouble {...{ view, session }} />}
      </div>
      {isDraft && status === "shown" && <Messages {...{ view, session }} />}
      {panel && device !== undefined && status === "shown" && (
        <Controlled key={device} {...{ context, device, hold: view.hold, session }} />
      )}
      {panel && (
        <div className="package-foot">
          <span>
            <b>
              {panel.wants.control.length === 0 ? "Controls nothing" : `May control ${panel.wants.control.join(", ")}`}
            </b>{" "}
            <span className="muted">drawn by Backplane, outside the panel</span>
          </span>
          <span className="grow" />
          <Button size="small" look="quiet" pressed={isOpen} onClick={() => setOpen(!isOpen)}>
            What it may do
          </Button>
        </div>
      )}
    </div>
  );
}

const devicesKey = ({ devices }: PackageView): string => JSON.stringify(devices);

/** What was allowed, by whom; and the devices, which can be changed. */
function May({ view, session, context, panel }: Shown & { context: PanelContext; panel: PanelManifest }) {
  const { allowed, devices } = view;
  const before = devices?.ids ?? null;
  const [ids, setIds] = useState<string[] | null>(before);
  const [fault, setFault] = useState<string>();
  const { busy, run } = useWork();
  const save = () => run(async () => setFault(await session.chooseDevices(ids)));
  return (
    <section className="package-may" aria-label={`What ${panel.title} may do`}>
      <WantsList wants={panel.wants} />
      {allowed !== undefined && <p className="small muted">Allowed by {allowed}</p>}
      <DeviceChoice {...{ devices: context.devices, wants: panel.wants, ids, onChange: setIds }} />
      {devices && (
        <p className="small muted">
          Devices chosen by {devices.chosenBy}, {new Date(devices.chosenAt).toLocaleDateString("en-GB")}
        </p>
      )}
      <FaultNote>{fault}</FaultNote>
      {JSON.stringify(ids) !== JSON.stringify(before) && (
        <Button size="small" busy={busy} onClick={() => void save()}>
          Save and load the panel again
        </Button>
      )}
    </section>
  );
}

type Shown = { view: PackageView; session: PackageSession };

/** Maker and version are always in sight. */
function About({ view, session }: Shown) {
  const { panel, owner, version, isDraft, update } = view;
  return (
    <div className="panel-tools package-about" data-draft={isDraft || undefined}>
      {isDraft && <span className="badge accent">draft</span>}
      <span className="cut">
        {isDraft ? `From the computer of ${owner}` : `By ${owner ?? "somebody who has left the registry"}`} · {version}
      </span>
      <span className="grow" />
      {update && panel && view.question === undefined && (
        <Button size="small" onClick={() => void session.takeUpdate()}>
          {`Update to ${update.version}`}
        </Button>
      )}
      {view.status === "shown" && (
        <Button size="small" look="quiet" icon="reload" onClick={() => void session.reset().catch(reportError)}>
          Reset
        </Button>
      )}
      {isDraft && (
        <Button size="small" look="quiet" onClick={() => void session.stopDraft()}>
          Stop
        </Button>
      )}
    </div>
  );
}

/** Never takes the focus: somebody may be typing elsewhere. */
function Trouble({ view: { isSilent, stopped, panel }, session }: Shown) {
  const [isWaiting, setWaiting] = useState(false);
  const words = stopped ?? (isSilent && !isWaiting ? `${panel?.title} does not answer.` : undefined);
  if (words === undefined) return null;
  return (
    <div className="package-cover package-trouble">
      <Note tone="warn" role="alert">
        <p>{words} Reset keeps its settings.</p>
        <Button size="small" onClick={() => void session.reset().catch(reportError)}>
          Reset panel
        </Button>{" "}
        {stopped === undefined && (
          <Button size="small" look="quiet" onClick={() => setWaiting(true)}>
            Wait
          </Button>
        )}
      </Note>
    </div>
  );
}

type ControlledProps = {
  context: PanelContext;
  device: string;
  hold: PackageHold | undefined;
  session: PackageSession;
};

/** Who controls, arm, hold and stop: outside the frame, where the panel cannot paint. */
function Controlled({ context, device, hold, session }: ControlledProps) {
  const { control, state } = useControl(context.devices, device);
  const mode = useClockMode(context);
  return (
    <section className="package-control" aria-label={`Control of ${state.device?.name ?? device}`}>
      <div className="package-device">
        <b className="cut">{state.device?.name ?? device}</b>
        <span className="grow" />
        <StopButton devices={context.devices} size="small" />
      </div>
      <LeaseRow {...{ control, state, mode, context }} />
      {hold && (
        <HoldButton
          control={control}
          label={hold.label}
          why={whyNot(state, mode, "moves")}
          onHold={() => {
            session.setHeld(true);
            const { capability, name, params } = hold;
            void context.devices.command({ device, capability }, name, params);
          }}
          onRelease={() => session.setHeld(false)}
        />
      )}
    </section>
  );
}

/** For whoever writes the panel. */
function Messages({ view: { lines }, session }: Shown) {
  return (
    <section className="package-lines" aria-label="Messages of the panel">
      <div>
        <b>Messages</b>
        <span className="grow" />
        <Button size="small" look="quiet" onClick={session.clearLines}>
          Clear
        </Button>
      </div>
      <ol>
        {lines.slice(-20).map(({ key, at, text, isFault }) => (
          <li key={key} className={isFault ? "fault" : undefined}>
            <span className="muted">{at}</span> {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
