import type { User } from "@backplane/contract/accounts";
import { useId } from "react";

type Props = { user: User; owner: string; onChoose: (owner: string) => void };

/** Whose package a new one becomes. Not asked where there is one answer only. */
export function OwnerSelect({ user, owner, onChoose }: Props) {
  const id = useId();
  if (user.organisations.length === 0) return null;
  return (
    <div className="field">
      <label htmlFor={id}>Owner</label>
      <select
        id={id}
        className="select"
        value={owner}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value={user.name}>{user.name}, you</option>
        {user.organisations.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <p className="hint" id={`${id}-hint`}>
        Of a new package. One that exists keeps its owner.
      </p>
    </div>
  );
}
