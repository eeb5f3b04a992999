import { PASSKEY_LIMITS, type Passkey } from "@backplane/contract/accounts";
import { useState } from "react";
import { faultWords } from "../calls/fault-words.ts";
import { useAction, useWork } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { lastUse, longDate } from "../parts/times.ts";
import { addPasskey, passkeySupport } from "../sign-in/passkeys.ts";
import { ConfirmButton, Rename, RowName, useRename } from "./rows.tsx";
import { EmptyList, focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const PASSKEYS: SectionInfo = { id: "passkeys", title: "Passkeys" };

/** Keys of this person's devices, instead of the password. */
export function PasskeysSection() {
  const passkeys = useResource<{ passkeys: Passkey[] }>("/auth/passkeys");
  const [support] = useState(() => passkeySupport(window));
  const [fault, setFault] = useState<string>();
  const [announcement, setAnnouncement] = useState<string>();
  const { busy, run } = useWork();

  const add = () =>
    run(async () => {
      setFault(undefined);
      const outcome = await addPasskey();
      if (outcome.is === "known")
        setFault("This device already has a passkey for you. Use another device or security key.");
      if (outcome.is === "given-up") setFault("No passkey was added: the browser's dialog was closed or timed out.");
      if (outcome.is === "failed" && !outcome.answer.ok) setFault(faultWords(outcome.answer.fault));
      if (outcome.is !== "done") return;
      await passkeys.reload();
      setAnnouncement("Passkey added");
    });

  return (
    <Section
      info={PASSKEYS}
      fault={fault}
      announcement={announcement}
      action={
        support.possible && (
          <Button size="small" icon="plus" busy={busy} onClick={add}>
            Add a passkey
          </Button>
        )
      }
    >
      <Loaded resource={passkeys} what="Passkeys">
        {({ passkeys: list }) => (
          <>
            {list.length === 0 && (
              <EmptyList title="No passkeys.">
                {support.possible
                  ? "Sign in with this device's fingerprint, face or PIN instead of your password."
                  : support.why}
              </EmptyList>
            )}
            {list.length > 0 && (
              <table className="table">
                <thead className="sr">
                  <tr>
                    <th>Passkey</th>
                    <th>Last used</th>
                    <th>Remove</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((passkey) => (
                    <PasskeyRow
                      key={passkey.id}
                      passkey={passkey}
                      onRenamed={passkeys.reload}
                      onRemoved={async () => {
                        await passkeys.reload();
                        setAnnouncement(`${passkey.name} removed`);
                        focusSection(PASSKEYS);
                      }}
                    />
                  ))}
                </tbody>
              </table>
            )}
            {list.length > 0 && !support.possible && <p className="part-foot small muted">{support.why}</p>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

type RowProps = { passkey: Passkey; onRenamed: () => Promise<void>; onRemoved: () => Promise<void> };

function PasskeyRow({ passkey, onRenamed, onRemoved }: RowProps) {
  const { id, name, created_at: createdAt, last_used_at: usedAt } = passkey;
  const removing = useAction();
  const path = `/auth/passkeys/${encodeURIComponent(id)}`;
  const renaming = useRename(path, onRenamed);
  const used = usedAt === null ? "Never used" : `Last used ${lastUse(new Date(usedAt), new Date())}`;
  return (
    <tr>
      <td>
        <RowName
          icon="passkey"
          line={`Added ${longDate(new Date(createdAt))}`}
          narrow={used}
          fault={renaming.fault ?? removing.fault}
        >
          <Rename
            name={name}
            maxLength={PASSKEY_LIMITS.maxNameLength}
            busy={renaming.busy}
            onRename={renaming.rename}
          />
        </RowName>
      </td>
      <td className="hide">{used}</td>
      <td className="act">
        <ConfirmButton
          label="Remove"
          fullLabel={`Remove ${name}`}
          confirm="Remove passkey"
          busy={removing.busy}
          onConfirm={() => removing.act({ method: "DELETE", path }, onRemoved)}
        />
      </td>
    </tr>
  );
}
