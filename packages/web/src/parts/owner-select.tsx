import type { User } from "@backplane/contract/accounts";
import { useId } from "react";
import { Select } from "./select.tsx";

type Props = { user: User; owner: string; hint?: string; onChoose: (owner: string) => void };

/** Yourself or one of your organisations. Not shown to a person without organisations. */
export function OwnerSelect({ user, owner, hint, onChoose }: Props) {
  const id = useId();
  if (user.organisations.length === 0) return null;
  return (
    <div className="field">
      <label htmlFor={id}>Owner</label>
      <Select
        id={id}
        value={owner}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value={user.name}>{user.name}, you</option>
        {user.organisations.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
