import { DEVICES_LIMITS, type Source, type SourceKind, type Sources } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { type SubmitEvent, useEffect, useId, useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import type { Resource } from "../../../calls/use-resource.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { Select } from "../../../parts/select.tsx";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { DisconnectButton } from "./disconnect-button.tsx";

/** How often the page looks while a source is not connected. */
const LOOK_MS = 2_000;
const TONES = { connected: "ok", connecting: "warn", refused: "danger" } as const;

type Props = { workspace: WorkspaceName; mayControl: boolean; sources: Resource<Sources> };

/** Devices that do not speak MQTT: Backplane connects to them. */
export function SourcesCard({ workspace, mayControl, sources: { value, fault, reload } }: Props) {
  const [isAdding, setAdding] = useState(false);
  const isWaiting = value?.sources.some(({ state }) => state !== "connected") === true;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void (document.hidden || reload()), LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);
  return (
    <section className="card" aria-labelledby="sources">
      <div className="card-head">
        <h2 id="sources">Connect to a device</h2>
        <span className="small muted">{value?.sources.length ?? 0}</span>
      </div>
      {fault && !value && <p className="card-body dense muted">The list could not be loaded.</p>}
      <ul className="device-keys">
        {value?.sources.map((source) => (
          <SourceRow key={source.name} {...{ workspace, source, mayControl, onChanged: reload }} />
        ))}
      </ul>
      {mayControl && value && !isAdding && (
        <div className="card-body devices-card">
          <p className="dense muted">
            For devices that do not speak MQTT. Backplane connects to them, and again when the connection was lost.
          </p>
          <div>
            <Button size="small" onClick={() => setAdding(true)}>
              Add a device
            </Button>
          </div>
        </div>
      )}
      {mayControl && value && isAdding && (
        <AddSource {...{ workspace, kinds: value.kinds, onAdded: reload, onClose: () => setAdding(false) }} />
      )}
    </section>
  );
}

type RowProps = Pick<Props, "workspace" | "mayControl"> & { source: Source; onChanged: () => Promise<void> };

function SourceRow({ workspace, source, mayControl, onChanged }: RowProps) {
  const { name, kind, state, reason, settings } = source;
  return (
    <li>
      <span className={`dot ${TONES[state]}`} aria-hidden="true" />
      <span className="grow">
        <b className="cut">{name}</b>
        <span className="devices-sub">
          {kind} at {String(settings.host)}:{String(settings.port)}, {state}
        </span>
        {reason !== undefined && <span className="devices-sub">{reason}</span>}
      </span>
      {mayControl && (
        <DisconnectButton
          label={`Remove ${name}`}
          words="Remove"
          path={workspaceRoute(workspace, `/devices/sources/${encodeURIComponent(name)}`)}
          onDone={onChanged}
        />
      )}
    </li>
  );
}

type AddProps = Pick<Props, "workspace"> & {
  kinds: readonly SourceKind[];
  onAdded: () => Promise<void>;
  onClose: () => void;
};

function AddSource({ workspace, kinds, onAdded, onClose }: AddProps) {
  const id = useId();
  const [kind, setKind] = useState(kinds[0]?.kind ?? "");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const { busy, fault, act } = useAction();
  const chosen = kinds.find((one) => one.kind === kind);
  const fields = fieldsOf(chosen);
  const textOf = (field: SettingField) => typed[field.name] ?? field.usual;

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const settings = Object.fromEntries(
      fields.filter((field) => textOf(field) !== "").map((field) => [field.name, settingOf(field, textOf(field))]),
    );
    const path = workspaceRoute(workspace, "/devices/sources");
    void act({ method: "POST", path, body: { name: name.trim(), kind, settings } }, async () => {
      onClose();
      await onAdded();
    });
  };
  return (
    <form className="card-body devices-card" onSubmit={submit}>
      <div className="field">
        <label htmlFor={`${id}-kind`}>Protocol</label>
        <Select id={`${id}-kind`} value={kind} onChange={(event) => setKind(event.target.value)}>
          {kinds.map((one) => (
            <option key={one.kind} value={one.kind}>
              {one.name}
            </option>
          ))}
        </Select>
      </div>
      {chosen && <p className="dense muted">{chosen.description}</p>}
      <Field
        label="Name"
        name="source-name"
        value={name}
        onChange={setName}
        maxLength={DEVICES_LIMITS.maxIdLength}
        hint="The id of the device: letters, digits, dots and dashes."
      />
      {fields.map((field) => (
        <Field
          key={field.name}
          label={field.title}
          name={`source-${field.name}`}
          value={textOf(field)}
          onChange={(text) => setTyped((before) => ({ ...before, [field.name]: text }))}
          hint={field.description}
        />
      ))}
      <FaultNote>{fault}</FaultNote>
      <div className="row">
        <Button type="submit" size="small" busy={busy} disabled={name.trim() === ""}>
          Connect
        </Button>
        <Button size="small" look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

type SettingField = { name: string; title: string; description: string; usual: string; isNumber: boolean };

/** The settings of a kind, as its schema has them. */
function fieldsOf(kind: SourceKind | undefined): SettingField[] {
  const properties = (kind?.settings.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.entries(properties).map(([name, { title, description, type, default: usual }]) => ({
    ...{ name, title: String(title ?? name), description: String(description ?? "") },
    usual: usual === undefined ? "" : String(usual),
    isNumber: type === "integer" || type === "number",
  }));
}

/** What is not a number is sent as it is, and refused with the field. */
const settingOf = ({ isNumber }: SettingField, text: string): string | number =>
  isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
