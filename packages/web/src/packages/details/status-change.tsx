import { type DetailedVersion, STATUSES, type Status, type StatusChange } from "@backplane/contract/registry";
import type { KeyboardEvent, Ref } from "react";
import { useAction } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { FaultLine } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";
import { versionPath } from "../paths.ts";
import { versionKey } from "../words.ts";

type SelectProps = {
  version: DetailedVersion;
  wanted: Status | undefined;
  onWant: (wanted: Status | undefined) => void;
  ref: Ref<HTMLSelectElement>;
};

/** The status of a version; a change has to be confirmed. */
export function StatusSelect({ version: { version, status }, wanted, onWant, ref }: SelectProps) {
  return (
    <Select
      ref={ref}
      aria-label={`Status of ${version}`}
      value={wanted ?? status}
      onChange={(event) => {
        const chosen = event.target.value as Status;
        onWant(chosen === status ? undefined : chosen);
      }}
    >
      {STATUSES.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </Select>
  );
}

type ConfirmProps = {
  identifier: string;
  version: DetailedVersion;
  wanted: Status;
  columns: number;
  onKeep: () => void;
  onChanged: () => Promise<void>;
};

/** The focus stays in the select: keyboard users step through its values one by one. */
export function ConfirmStatus({ identifier, version, wanted, columns, onKeep, onChanged }: ConfirmProps) {
  const { busy, fault, act } = useAction();
  const body: StatusChange = { status: wanted };
  const path = versionPath(identifier, versionKey(version));
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") onKeep();
  };
  return (
    <tr className="confirm">
      <td colSpan={columns} onKeyDown={leave}>
        <div className="confirm-line">
          <span role="status">{statusQuestion(version.version, wanted)}</span>
          <Button
            size="small"
            {...(wanted === "deprecated" ? { look: "danger" } : {})}
            busy={busy}
            onClick={() => act({ method: "PATCH", path, body }, onChanged)}
          >
            Make it {wanted}
          </Button>
          <Button size="small" onClick={onKeep}>
            Keep {version.status}
          </Button>
        </div>
        {fault !== undefined && <FaultLine>{fault}</FaultLine>}
      </td>
    </tr>
  );
}

const effects: Record<Status, string> = {
  stable: "Design tools prefer it at their next refresh.",
  testing: "Design tools offer it only where no stable version works.",
  development: "Design tools offer it only where no stable version works.",
  deprecated: "Installed copies stay; design tools prefer any stable version.",
};

/** Asks before a change, with its effect. */
const statusQuestion = (version: string, wanted: Status): string => `Make ${version} ${wanted}? ${effects[wanted]}`;
