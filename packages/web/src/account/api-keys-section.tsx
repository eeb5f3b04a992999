import { API_KEY_LIMITS, type ApiKey, type NewApiKey, type Scope } from "@backplane/contract/accounts";
import { type SubmitEvent, useRef, useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Button, FormButtons } from "../parts/button.tsx";
import { FaultLine, Field } from "../parts/field.tsx";
import { FaultNote } from "../parts/note.tsx";
import { happened, lastUse } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { useOpener } from "../parts/use-opener.ts";
import { ConfirmButton, RowName, RowTable, ShownOnce } from "./rows.tsx";
import { EmptyList, focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const API_KEYS: SectionInfo = { id: "api-keys", title: "API keys" };

const EVERY_MINUTE_MS = 60_000;

/** Keys for programs that run unattended. */
export function ApiKeysSection() {
  const keys = useResource<{ api_keys: ApiKey[] }>("/auth/api-keys");
  const now = useNow(EVERY_MINUTE_MS);
  const form = useOpener();
  const [made, setMade] = useState<NewApiKey>();
  const [announcement, setAnnouncement] = useState<string>();

  return (
    <Section
      info={API_KEYS}
      announcement={announcement}
      action={
        <Button ref={form.opener} size="small" icon="plus" onClick={form.open}>
          New key
        </Button>
      }
    >
      {form.isOpen && (
        <NewKeyForm
          onCancel={form.close}
          onMade={async (key) => {
            setMade(key);
            form.close();
            await keys.reload();
          }}
        />
      )}
      {made && (
        <ShownOnce icon="key" secret={made.key} onHide={() => setMade(undefined)}>
          <strong>
            Key “<bdi>{made.name}</bdi>” created.
          </strong>{" "}
          Copy it now; it is not shown again.
        </ShownOnce>
      )}
      <Loaded resource={keys} what="API keys">
        {({ api_keys: list }) =>
          list.length === 0 ? (
            <EmptyList title="No API keys.">
              Programs that run on their own, such as a build, sign in with one.
            </EmptyList>
          ) : (
            <RowTable columns={["Key", "Created", "Last used"]} last="Revoke">
              {list.map((apiKey) => (
                <KeyRow
                  key={apiKey.id}
                  apiKey={apiKey}
                  now={now}
                  onRevoked={async () => {
                    if (made?.id === apiKey.id) setMade(undefined);
                    await keys.reload();
                    setAnnouncement(`${apiKey.name} revoked`);
                    focusSection(API_KEYS);
                  }}
                />
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Section>
  );
}

function KeyRow({ apiKey, now, onRevoked }: { apiKey: ApiKey; now: Date; onRevoked: () => Promise<void> }) {
  const { id, name, hint, scopes, created_at: createdAt, last_used_at: usedAt } = apiKey;
  const { busy, fault, act } = useAction();
  const created = happened(new Date(createdAt), now);
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
          narrow={`created ${created} · last used ${used}`}
          fault={fault}
        >
          <bdi>{name}</bdi>
        </RowName>
      </td>
      <td className="hide nowrap">{created}</td>
      <td className={usedAt === null ? "hide nowrap muted" : "hide nowrap"}>{used}</td>
      <td className="act">
        <ConfirmButton
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

const scopeWords: Record<Scope, string> = {
  read: "Read packages, workspaces and your account",
  publish: "Publish packages",
  panels: "Open and drive panels",
  "devices:read": "See devices and what they measure",
  "devices:control": "Control devices",
};

const SCOPES = Object.keys(scopeWords) as Scope[];

type Props = { onMade: (key: NewApiKey) => void; onCancel: () => void };

function NewKeyForm({ onMade, onCancel }: Props) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const [missing, setMissing] = useState<{ name?: string; scopes?: string }>({});
  const nameField = useRef<HTMLInputElement>(null);
  const { busy, fault, act } = useAction();

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = {
      ...(name.trim() === "" ? { name: "Name it after what uses it, such as ci-publisher." } : {}),
      ...(scopes.length === 0 ? { scopes: "Choose at least one thing the key may do." } : {}),
    };
    setMissing(found);
    if (found.name) nameField.current?.focus();
    if (Object.keys(found).length > 0) return;
    void act<NewApiKey>({ method: "POST", path: "/auth/api-keys", body: { name: name.trim(), scopes } }, onMade);
  };

  const toggle = (scope: Scope, on: boolean) =>
    setScopes((before) => SCOPES.filter((one) => (one === scope ? on : before.includes(one))));

  return (
    <form className="part-form" onSubmit={submit} noValidate>
      <Field
        ref={nameField}
        label="Name"
        name="key-name"
        value={name}
        onChange={setName}
        hint="What uses it, so that you know later which key to revoke."
        fault={missing.name}
        maxLength={API_KEY_LIMITS.maxNameLength}
        autoFocus
      />
      <fieldset className="choices">
        <legend>The key may</legend>
        {SCOPES.map((scope) => (
          <label className="check dense" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            <span>
              {scopeWords[scope]} <code className="muted">{scope}</code>
            </span>
          </label>
        ))}
        {missing.scopes !== undefined && <FaultLine>{missing.scopes}</FaultLine>}
      </fieldset>
      <FaultNote>{fault}</FaultNote>
      <FormButtons submit="Create key" busy={busy} onCancel={onCancel} />
    </form>
  );
}
