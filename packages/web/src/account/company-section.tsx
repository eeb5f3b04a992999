import { useAction } from "../calls/use-action.ts";
import { useResource } from "../calls/use-resource.ts";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { ConfirmButton, RowName } from "./rows.tsx";
import { Loaded, Section, type SectionInfo } from "./section.tsx";

export const COMPANY: SectionInfo = { id: "company", title: "Company sign-in" };

type Props = {
  provider: string;
  /** What went wrong on the way to the provider and back. */
  before: string | undefined;
};

/** Signing in through the company's OpenID Connect provider. */
export function CompanySection({ provider, before }: Props) {
  const link = useResource<{ linked: boolean }>("/auth/openid/link");
  const { busy, fault, act } = useAction();

  const connect = () =>
    act<{ url: string }>({ method: "POST", path: "/auth/openid/link" }, ({ url }) => window.location.assign(url));
  const disconnect = () => act({ method: "DELETE", path: "/auth/openid/link" }, link.reload);

  return (
    <Section info={COMPANY}>
      {before !== undefined && (
        <div className="part-note">
          <Note tone="warn">{before}</Note>
        </div>
      )}
      <Loaded resource={link} what="Connections">
        {({ linked }) => (
          <div className="organisation-head">
            <RowName
              icon="globe"
              line={linked ? "You can sign in there instead of using your password." : "Connect it to sign in there."}
              fault={fault}
            >
              {provider}
              {linked && <span className="badge ok">connected</span>}
            </RowName>
            <div className="act">
              {linked ? (
                <ConfirmButton label="Disconnect" confirm="Disconnect it" busy={busy} onConfirm={disconnect} />
              ) : (
                <Button size="small" busy={busy} onClick={connect}>
                  Connect
                </Button>
              )}
            </div>
          </div>
        )}
      </Loaded>
    </Section>
  );
}
