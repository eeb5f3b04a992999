import type { ApiKey, NewApiKey } from "@backplane/contract/accounts";
import { useRef, useState } from "react";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { happened, lastUse } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { AskTwice } from "./ask-twice.tsx";
import { Loaded, Nothing } from "./loaded.tsx";
import { NewKeyForm } from "./new-key-form.tsx";
import { API_KEYS } from "./parts-of-account.ts";
import { RowName } from "./row-name.tsx";
import { focusPart, Section } from "./section.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { useAction } from "./use-action.ts";

const EVERY_MINUTE_MS = 60_000;

/** Keys for programs that nobody can ask. */
export function ApiKeysSection() {
  const keys = useResource<{ api_keys: ApiKey[] }>("/auth/api-keys");
  const now = useNow(EVERY_MINUTE_MS);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey>();
  const [said, setSaid] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);

  const close = () => {
    setMaking(false);
    opener.current?.focus();
  };

  return (
    <Section
      part={API_KEYS}
      said={said}
      action={
        <Button ref={opener} size="small" icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      {making && (
        <NewKeyForm
          onCancel={close}
          onMade={async (key) => {
            setMade(key);
            close();
            await keys.reload();
          }}
        />
      )}
      {made && (
        <ShownOnce icon="key" secret={made.key} onHide={() => setMade(undefined)}>
          <strong>
            Key “<bdi>{made.name}</bdi>” made.
          </strong>{" "}
          Copy it now; it is not shown again.
        </ShownOnce>
      )}
      <Loaded resource={keys} what="API keys">
        {({ api_keys: list }) =>
          list.length === 0 ? (
            <Nothing title="No API keys.">A program that runs by itself, such as a build, signs in with one.</Nothing>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th>Key</th>
                  <th className="hide">Made</th>
                  <th className="hide">Last used</th>
                  <th>
                    <span className="sr">Revoke</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((apiKey) => (
                  <KeyRow
                    key={apiKey.id}
                    apiKey={apiKey}
                    now={now}
                    onRevoked={async () => {
                      if (made?.id === apiKey.id) setMade(undefined);
                      await keys.reload();
                      setSaid(`${apiKey.name} revoked`);
                      focusPart(API_KEYS);
                    }}
                  />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  );
}

function KeyRow({ apiKey, now, onRevoked }: { apiKey: ApiKey; now: Date; onRevoked: () => Promise<void> }) {
  const { id, name, hint, scopes, created_at: createdAt, last_used_at: usedAt } = apiKey;
  const { busy, fault, act } = useAction();
  const made = happened(new Date(createdAt), now);
  const used = usedAt === null ? "never" : lastUse(new Date(usedAt), now);
  return (
    <tr>
      <td>
        <RowName
          icon="key"
          line={
            <>
              <code>{hint}</code> · {scopes.join(", ")}
            </>
          }
          narrow={`made ${made} · last used ${used}`}
          fault={fault}
        >
          <bdi>{name}</bdi>
        </RowName>
      </td>
      <td className="hide nowrap">{made}</td>
      <td className={usedAt === null ? "hide nowrap muted" : "hide nowrap"}>{used}</td>
      <td className="act">
        <AskTwice
          label="Revoke"
          fullLabel={`Revoke ${name}`}
          confirm="Revoke key"
          busy={busy}
          onConfirm={() => act({ method: "DELETE", path: `/auth/api-keys/${encodeURIComponent(id)}` }, onRevoked)}
        />
      </td>
    </tr>
  );
}
