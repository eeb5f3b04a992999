import type { RegistryKeys } from "@backplane/contract/registry";
import { useState } from "react";
import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { shortDate } from "../parts/times.ts";
import { useNow } from "../parts/use-now.ts";
import { ConfirmButton, RowName, RowTable } from "./rows.tsx";
import { focusSection, Loaded, Section, type SectionInfo } from "./section.tsx";

export const SIGNING_KEY: SectionInfo = { id: "signing-key", title: "Signing key" };

type Key = RegistryKeys["keys"][number];

const KEYS_PATH = "/registry/keys";
const EVERY_MINUTE_MS = 60_000;
const WORDS: Record<Key["state"], string> = { current: "signs", next: "announced", retired: "replaced" };

/** For the owner: the key that signs the list of packages, and how it is replaced. */
export function SigningKeySection() {
  const keys = useResource<RegistryKeys>(KEYS_PATH);
  const now = useNow(EVERY_MINUTE_MS);
  const [announcement, setAnnouncement] = useState<string>();
  const { busy, fault, act } = useAction();
  const next = keys.value?.keys.find(({ state }) => state === "next");
  const isReady = next?.ready_at !== undefined && new Date(next.ready_at) <= now;

  const change = (promote: boolean, what: string) =>
    act({ method: "POST", path: KEYS_PATH, body: { promote } }, async () => {
      await keys.reload();
      setAnnouncement(what);
      focusSection(SIGNING_KEY);
    });

  return (
    <Section
      info={SIGNING_KEY}
      fault={fault}
      announcement={announcement}
      action={
        keys.value !== undefined &&
        (next === undefined ? (
          <ConfirmButton
            label="Announce the next key"
            confirm="Announce it"
            busy={busy}
            onConfirm={() => change(false, "Next key announced")}
          />
        ) : (
          isReady && (
            <ConfirmButton
              label="Replace the key"
              confirm="Replace it now"
              look="danger"
              busy={busy}
              onConfirm={() => change(true, "Key replaced")}
            />
          )
        ))
      }
    >
      <Loaded resource={keys} what="Signing keys">
        {({ keys: list }) => (
          <RowTable columns={["Key", "Since"]} last="State" showLast>
            {list.map((key) => (
              <KeyRow key={key.id} signingKey={key} isReady={isReady} />
            ))}
          </RowTable>
        )}
      </Loaded>
    </Section>
  );
}

function KeyRow({ signingKey, isReady }: { signingKey: Key; isReady: boolean }) {
  const { id, state, created_at: createdAt, ready_at: readyAt } = signingKey;
  const since = shortDate(new Date(createdAt));
  const line =
    readyAt === undefined || isReady
      ? undefined
      : `can replace the current key from ${shortDate(new Date(readyAt))} on`;
  return (
    <tr>
      <td>
        <RowName icon="key" line={line} narrow={`since ${since}`}>
          <code>{id}</code>
        </RowName>
      </td>
      <td className="hide nowrap">{since}</td>
      <td className="answer">{WORDS[state]}</td>
    </tr>
  );
}
