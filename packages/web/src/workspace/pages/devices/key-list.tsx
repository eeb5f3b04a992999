import type { DeviceKey } from "@backplane/contract/devices";
import { lastUse } from "../../../parts/times.ts";
import { useNow } from "../../../parts/use-now.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";
import { DisconnectButton } from "./disconnect-button.tsx";

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
              {mayControl && (
                <DisconnectButton
                  label={`Revoke ${key.name}`}
                  words="Revoke"
                  path={workspaceRoute(workspace, `/devices/keys/${encodeURIComponent(key.id)}`)}
                  onDone={onChanged}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
