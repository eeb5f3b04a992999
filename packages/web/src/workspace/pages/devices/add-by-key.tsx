import { DEVICES_LIMITS, type DeviceKeys, type MadeDeviceKey } from "@backplane/contract/devices";
import { type SubmitEvent, useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Field } from "../../../parts/field.tsx";
import { FaultNote, Note } from "../../../parts/note.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { deviceIdOf, SNIPPETS, type SnippetKind, snippetOf } from "./snippets.ts";

type Props = { workspace: WorkspaceName; address: DeviceKeys | undefined; onMade: () => Promise<void> };
type Made = MadeDeviceKey & { name: string; device: string; isGateway: boolean };

/** A key is made for one device, or for a gateway that speaks for several. It is there only until the page is left. */
export function AddByKey({ workspace, address, onMade }: Props) {
  const [name, setName] = useState("");
  const [isGateway, setGateway] = useState(false);
  const [made, setMade] = useState<Made>();
  const { busy, fault, act } = useAction();
  const device = deviceIdOf(name);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = isGateway ? { name: name.trim(), gateway: true } : { name: name.trim(), device };
    const path = workspaceRoute(workspace, "/devices/keys");
    void act<MadeDeviceKey>({ method: "POST", path, body }, async (key) => {
      setMade({ ...key, name: name.trim(), device, isGateway });
      setName("");
      await onMade();
    });
  };
  return (
    <section className="card" aria-labelledby="add-by-key">
      <div className="card-head">
        <h2 id="add-by-key">Add by key</h2>
      </div>
      <div className="card-body devices-card">
        {address?.reason !== undefined && <Note tone="warn">{address.reason}</Note>}
        <form onSubmit={submit} className="devices-card">
          <Field
            label={isGateway ? "Gateway name" : "Device name"}
            name="device-name"
            value={name}
            onChange={setName}
            maxLength={DEVICES_LIMITS.maxNameLength}
            hint={isGateway || name.trim() === "" ? undefined : `It publishes as ${device}.`}
          />
          <label className="check dense">
            <input type="checkbox" checked={isGateway} onChange={(event) => setGateway(event.target.checked)} />A
            gateway that speaks for several devices, such as Zigbee2MQTT
          </label>
          <FaultNote>{fault}</FaultNote>
          <div>
            <Button type="submit" size="small" busy={busy} disabled={name.trim() === ""}>
              Make a key
            </Button>
          </div>
        </form>
        {made && <MadeKey made={made} address={address?.address ?? undefined} />}
      </div>
    </section>
  );
}

const HIDDEN = "•".repeat(16);

function MadeKey({ made, address = "mqtt://<this machine>:1883" }: { made: Made; address?: string | undefined }) {
  const kinds = (Object.keys(SNIPPETS) as SnippetKind[]).filter((kind) => SNIPPETS[kind].isGateway === made.isGateway);
  const [chosen, setChosen] = useState<SnippetKind>();
  const kind = chosen !== undefined && kinds.includes(chosen) ? chosen : kinds[0];
  const settings = (key: string) => (kind ? snippetOf(kind, { address, key, device: made.device }) : "");
  return (
    <div className="made-key">
      <Note tone="ok" role="status">
        The key of <b>{made.name}</b> is made. Copy it now: it is not kept, and not shown again.
      </Note>
      <div className="copy">
        <code>key {HIDDEN}</code>
        <CopyButton text={made.key} />
      </div>
      <div className="copy">
        <code>to {address}</code>
        <CopyButton text={address} />
      </div>
      <Segmented
        label="Settings for"
        choices={kinds.map((each) => [each, SNIPPETS[each].name] as const)}
        value={kind}
        onChange={setChosen}
      />
      <div className="copy made-settings">
        <pre>{settings(HIDDEN)}</pre>
        <CopyButton text={settings(made.key)} />
      </div>
    </div>
  );
}
