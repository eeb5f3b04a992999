import type { Ack } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { useId, useState } from "react";
import { useWork } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { Select } from "../../../parts/select.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { changedOf, type Setting } from "./settings.ts";

type Props = {
  settings: readonly Setting[];
  why: string | undefined;
  onSave: (changed: JsonObject) => Promise<Ack>;
  onClose: () => void;
};

/** What the controller keeps. What is shown as set is what it says, not what was asked. */
export function SettingsDialog({ settings, why, onSave, onClose }: Props) {
  const [wanted, setWanted] = useState<JsonObject>({});
  const [fault, setFault] = useState<string>();
  const { busy, run } = useWork();
  const changed = changedOf(settings, wanted);
  const count = Object.keys(changed).length;
  const save = () =>
    void run(async () => {
      const { ok, detail, code } = await onSave(changed);
      setFault(ok ? undefined : (detail ?? `It was refused: ${code}.`));
      if (ok) onClose();
    });
  return (
    <Dialog label="Settings of the speed controller" onClose={onClose}>
      <div className="dialog-head">
        <h2>Settings of the speed controller</h2>
      </div>
      <div className="dialog-body">
        {settings.map((setting) => (
          <Row key={setting.id} {...{ setting, wanted }} onWant={(to) => setWanted({ ...wanted, [setting.id]: to })} />
        ))}
        <FaultNote>{fault}</FaultNote>
      </div>
      <div className="dialog-foot">
        <span className="hint">{why ?? (count === 0 ? "Nothing is changed." : `${count} changed.`)}</span>
        <span className="grow" />
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" busy={busy} disabled={why !== undefined || count === 0} onClick={save}>
          Set
        </Button>
      </div>
    </Dialog>
  );
}

type RowProps = { setting: Setting; wanted: JsonObject; onWant: (to: number | boolean | string) => void };

function Row({ setting, wanted, onWant }: RowProps) {
  const id = useId();
  const now = wanted[setting.id] ?? setting.now;
  return (
    <p className="esc-setting">
      <label htmlFor={id}>{setting.name}</label>
      {setting.type === "boolean" ? (
        <input {...{ id, type: "checkbox", checked: now === true }} onChange={({ target }) => onWant(target.checked)} />
      ) : setting.type === "choice" ? (
        <Select {...{ id, value: typeof now === "string" ? now : "" }} onChange={({ target }) => onWant(target.value)}>
          {now === undefined && <option value="">not known</option>}
          {setting.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      ) : (
        <input
          {...{ id, type: "number", min: setting.min, max: setting.max, step: "any" }}
          value={typeof now === "number" ? now : ""}
          placeholder="not known"
          onChange={({ target }) => target.value !== "" && onWant(target.valueAsNumber)}
        />
      )}
    </p>
  );
}
