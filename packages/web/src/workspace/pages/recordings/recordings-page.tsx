import "../../device-panel/device-panel.css";
import "../../devices-bar/devices-bar.css";
import "./recordings-page.css";
import type { Recording, Recordings } from "@backplane/contract/devices";
import { useEffect, useRef, useState } from "react";
import { LoadFailed } from "../../../calls/load-failed.tsx";
import { useAction } from "../../../calls/use-action.ts";
import { useResource } from "../../../calls/use-resource.ts";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { useSearchKey } from "../../../parts/search-key.ts";
import { PageTitle } from "../../../shell/page-title.tsx";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { useDevicesStatus } from "../../device-panel/use-devices.ts";
import type { OpenDevices } from "../../devices/devices.ts";
import { sizeWords } from "../../devices-bar/recording-words.ts";
import { WorkspaceFrame } from "../workspace-frame.tsx";
import { RecordingRow } from "./recording-row.tsx";

export const RecordingsPage = () => (
  <WorkspaceFrame page="recordings">
    {(workspace, opened) => <RecordingsOf workspace={workspace} opened={opened} />}
  </WorkspaceFrame>
);

function RecordingsOf({ workspace, opened: { devices } }: { workspace: WorkspaceName; opened: OpenDevices }) {
  const path = workspaceRoute(workspace, "/recordings");
  const { value, fault, reload } = useResource<Recordings>(path);
  const { recording, mayControl } = useDevicesStatus(devices);
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  const running = recording?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one that began or ended changes the list
  useEffect(() => void reload(), [running, reload]);

  const all = (value?.recordings ?? []).map((each) => (each.id === running && recording ? recording : each));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((each) => words.every((word) => textOf(each).includes(word)));
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle name="Recordings" />
          <p>All channels of the workspace, one file each. The last 10 minutes are always in memory.</p>
        </div>
        {mayControl && <Begin path={path} isRunning={recording !== null} onDone={reload} />}
      </div>
      {fault && !value && <LoadFailed title="The recordings could not be loaded." fault={fault} onRetry={reload} />}
      {value && all.length === 0 && (
        <section className="card empty" aria-label="No recordings">
          <Icon name="clock" />
          <h2>No recordings yet</h2>
          <p>Keep the last 10 minutes, or record from now on. Every device of the workspace is in the file.</p>
        </section>
      )}
      {value && all.length > 0 && (
        <section className="card recordings" aria-label="Recordings">
          <div className="recordings-tools">
            <div className="input">
              <Icon name="search" />
              <input
                ref={field}
                type="search"
                aria-label="Search names and channels"
                placeholder="Search names and channels"
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            </div>
            <span className="grow" />
            <Used {...value} />
          </div>
          <div className="recordings-table">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Preview</th>
                  <th scope="col">Name</th>
                  <th scope="col" className="num">
                    Length
                  </th>
                  <th scope="col" className="num">
                    Channels
                  </th>
                  <th scope="col" className="num">
                    Size
                  </th>
                  <th scope="col">State</th>
                  <th scope="col">
                    <span className="sr">Replay</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {found.map((each) => (
                  <RecordingRow key={each.id} {...{ workspace, mayControl }} recording={each} onChanged={reload} />
                ))}
              </tbody>
            </table>
          </div>
          <p className="recordings-foot small muted">
            {found.length === all.length
              ? `${all.length} ${all.length === 1 ? "recording" : "recordings"}, ${sizeWords(value.bytes)}.`
              : `${found.length} of ${all.length} fit.`}{" "}
            Files open in Foxglove, Lichtblick, PlotJuggler and Rerun.
          </p>
        </section>
      )}
    </>
  );
}

const textOf = ({ name, by, preview }: Recording): string =>
  [name, by, ...preview.flatMap(({ device, capability, field }) => [device, capability, field])]
    .join(" ")
    .toLowerCase();

function Begin({ path, isRunning, onDone }: { path: string; isRunning: boolean; onDone: () => Promise<void> }) {
  const { busy, fault, act } = useAction();
  const begin = (body: object) => void act({ method: "POST", path, body }, onDone);
  return (
    <div className="recordings-begin">
      <div className="row">
        <Button busy={busy} disabled={isRunning} onClick={() => begin({})}>
          Record
        </Button>
        <Button look="primary" busy={busy} onClick={() => begin({ keep: true })}>
          Keep the last 10 min
        </Button>
      </div>
      <FaultNote>{fault}</FaultNote>
    </div>
  );
}

const GIGABYTE = 1024 ** 3;
const MAX_PINS = 20;

/** One pin is one gigabyte, or a twentieth of what there may be. */
function Used({ bytes, maxBytes }: Pick<Recordings, "bytes" | "maxBytes">) {
  const count = Math.max(1, Math.min(MAX_PINS, Math.round(maxBytes / GIGABYTE)));
  const on = Math.ceil((count * bytes) / maxBytes);
  return (
    <span className="recordings-used">
      <span className="small muted">
        {sizeWords(bytes)} of {sizeWords(maxBytes)}
      </span>
      <span className="pins" aria-hidden="true">
        {Array.from({ length: count }, (_, place) => place + 1).map((pin) => (
          <i key={pin} className={pin <= on ? "on" : ""} />
        ))}
      </span>
    </span>
  );
}
