import "../../device-panel/device-panel.css";
import "./devices-page.css";
import type { Device, DeviceKeys, Devices, Sources } from "@backplane/contract/devices";
import type { CatalogAnswer } from "@backplane/contract/panels";
import { useEffect, useRef } from "react";
import { LoadFailed } from "../../../calls/load-failed.tsx";
import { useResource } from "../../../calls/use-resource.ts";
import { Command } from "../../../parts/command.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { terminalCommand } from "../../../parts/terminal-command.ts";
import { PageTitle } from "../../../shell/page-title.tsx";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { StartSimulator } from "../../device-panel/start-simulator.tsx";
import { StopButton } from "../../device-panel/stop-button.tsx";
import { useDeviceList, useDevicesStatus } from "../../device-panel/use-devices.ts";
import type { OpenDevices } from "../../devices/devices.ts";
import { WorkspaceFrame } from "../workspace-frame.tsx";
import { AddByKey } from "./add-by-key.tsx";
import { DeviceTable } from "./device-table.tsx";
import { keptWords } from "./history-words.ts";
import { KeyList } from "./key-list.tsx";
import { SourcesCard } from "./sources-card.tsx";

export const DevicesPage = () => (
  <WorkspaceFrame page="devices">
    {(workspace, opened) => <DevicesOf workspace={workspace} opened={opened} />}
  </WorkspaceFrame>
);

const ANY = ["*"];
const nothing = () => {};

function DevicesOf({ workspace, opened }: { workspace: WorkspaceName; opened: OpenDevices }) {
  const { devices } = opened;
  const list = useDeviceList(devices);
  const { connection, mayControl } = useDevicesStatus(devices);
  const keys = useResource<DeviceKeys>(workspaceRoute(workspace, "/devices/keys"));
  const catalog = useResource<CatalogAnswer>("/api/panels/catalog");
  const sources = useResource<Sources>(workspaceRoute(workspace, "/devices/sources"));
  useReloadWith(list, keys.reload);
  useReloadWith(list, sources.reload);
  const command = terminalCommand(`simulate motor --workspace ${workspace.owner}/${workspace.repo}`);
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="Devices" />
          <p>{connection === "connecting" ? "Looking for devices…" : summaryOf(list)}</p>
        </div>
        {list.length > 0 && <StopButton devices={devices} words="Stop all that moves" />}
      </div>
      <DeviceTable {...{ workspace, opened }} keys={keys.value?.keys ?? []} panels={catalog.value?.panels ?? []} />
      {keys.fault && !keys.value && (
        <LoadFailed title="The keys could not be loaded." fault={keys.fault} onRetry={keys.reload} />
      )}
      <div className="devices-cards">
        {mayControl && <AddByKey workspace={workspace} address={keys.value} onMade={keys.reload} />}
        <KeyList workspace={workspace} keys={keys.value?.keys ?? []} mayControl={mayControl} onChanged={keys.reload} />
        <section className="card" aria-labelledby="simulators">
          <div className="card-head">
            <h2 id="simulators">Start a simulator</h2>
          </div>
          <div className="card-body devices-card">
            <p className="dense muted">
              It speaks the same protocol as a real device. From this page it runs in the server, and ends after the
              last page of the workspace.
            </p>
            {mayControl && <StartSimulator context={{ workspace }} shows={ANY} size="small" onStarted={nothing} />}
            <div className="copy">
              <Command text={command} />
              <CopyButton text={command} />
            </div>
          </div>
        </section>
        <SourcesCard {...{ workspace, mayControl, sources }} />
      </div>
      <KeptHistory workspace={workspace} />
    </>
  );
}

/** For how long what devices measure can be looked at. */
function KeptHistory({ workspace }: { workspace: WorkspaceName }) {
  const { value } = useResource<Devices>(workspaceRoute(workspace, "/devices"));
  if (!value) return null;
  return (
    <section className="card devices-history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <p>Kept {keptWords(value.history)}.</p>
      <p className="muted">Lowest, highest, mean and last value. HISTORY_KEEP of the server sets the longest.</p>
    </section>
  );
}

function summaryOf(list: readonly Device[]): string {
  if (list.length === 0) return "There are no devices yet. Connect one, or start a simulator.";
  const ready = list.filter(({ state }) => state === "ready").length;
  const channels = list.reduce((sum, { capabilities }) => sum + capabilities.length, 0);
  return `${ready} of ${list.length} ready, ${channels} ${channels === 1 ? "channel" : "channels"}.`;
}

/** A device that has connected is the first use of its key. */
function useReloadWith(list: readonly Device[], reload: () => Promise<void>): void {
  const known = list.map(({ id, state }) => `${id} ${state}`).join();
  const before = useRef(known);
  useEffect(() => {
    if (before.current === known) return;
    before.current = known;
    void reload();
  }, [known, reload]);
}
