import type { DeviceKey } from "@backplane/contract/devices";
import { useState } from "react";
import { useAction } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNote } from "../../../parts/note.tsx";
import { lastUse } from "../../../parts/times.ts";
import { useNow } from "../../../parts/use-now.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";

type Props = {
  workspace: WorkspaceName;
  keys: readonly DeviceKey[];
  mayControl: boolean;
  onChanged: () => Promise<void>;
};

/** Revoking closes the connections of a key at once. */
export function KeyList({ workspace, keys, mayControl, onChanged }: Props) {
  const now = useNow(30_000);
  return (
    <section className="card" aria-labelledby="device-keys">
      <div className="card-head">
        <h2 id="device-keys">Keys</h2>
        <span className="small muted">{keys.length}</span>
      </div>
      {keys.length === 0 ? (
        <p className="card-body dense muted">No device has a key yet.</p>
      ) : (
        <ul className="device-keys">
          {keys.map((key) => (
            <li key={key.id}>
              <span className={`dot ${key.isConnected ? "ok" : "off"}`} aria-hidden="true" />
              <span className="grow">
                <b className="cut">{key.name}</b>
                <span className="devices-sub">
                  {key.gateway ? "gateway" : (key.device ?? "the first device that uses it")},{" "}
                  {key.isConnected
                    ? "connected"
                    : key.lastSeenAt === null
                      ? "never used"
                      : `last seen ${lastUse(new Date(key.lastSeenAt), now)}`}
                </span>
              </span>
              {mayControl && <Revoke {...{ workspace, deviceKey: key, onChanged }} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type RevokeProps = Pick<Props, "workspace" | "onChanged"> & { deviceKey: DeviceKey };

function Revoke({ workspace, deviceKey, onChanged }: RevokeProps) {
  const { busy, fault, act } = useAction();
  const [isAsking, setAsking] = useState(false);
  const path = workspaceRoute(workspace, `/devices/keys/${encodeURIComponent(deviceKey.id)}`);
  if (fault !== undefined) return <FaultNote>{fault}</FaultNote>;
  if (!isAsking) {
    return (
      <Button size="small" look="quiet" label={`Revoke ${deviceKey.name}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
    );
  }
  return (
    <span className="row">
      <Button size="small" look="danger" busy={busy} onClick={() => void act({ method: "DELETE", path }, onChanged)}>
        Disconnect it
      </Button>
      <Button size="small" look="quiet" onClick={() => setAsking(false)}>
        Cancel
      </Button>
    </span>
  );
}
