import { PANELS_LIMITS } from "@backplane/contract/panels";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Dialog } from "./dialog.tsx";

type Props = { name: string; onRename: (name: string) => void; onClose: () => void };

export function RenameDialog({ name, onRename, onClose }: Props) {
  const [value, setValue] = useState(name);
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.select(), []);

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = value.trim();
    if (wanted === "") {
      setFault("Type a name, such as Yaw step response.");
      return field.current?.focus();
    }
    if (wanted !== name) onRename(wanted);
    onClose();
  };

  return (
    <Dialog label={`Rename ${name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className="dialog-body">
          <Field
            ref={field}
            label="Name of the tab"
            name="tab-name"
            value={value}
            onChange={setValue}
            hint="Programs find the panel by it as well."
            fault={fault}
            maxLength={PANELS_LIMITS.maxNameLength}
            autoFocus
          />
        </div>
        <div className="dialog-foot">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary">
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
