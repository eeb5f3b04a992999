import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import type { PasskeySupport } from "./passkeys.ts";

type Props = {
  support: PasskeySupport;
  usePasskey: () => void;
  busy: boolean;
  /** The configured OpenID Connect provider. */
  provider: string | undefined;
  returnTo: string;
};

/** A passkey, or the sign-in of the company. */
export function OtherWays({ support, usePasskey, busy, provider, returnTo }: Props) {
  return (
    <>
      {(support.possible || provider !== undefined) && <div className="or">or</div>}
      <div className="two">
        {support.possible && (
          <Button size="large" icon="passkey" busy={busy} onClick={usePasskey}>
            Use a passkey
          </Button>
        )}
        {provider !== undefined && (
          <a className="btn large" href={`/auth/openid/start?${new URLSearchParams({ return_to: returnTo })}`}>
            <Icon name="globe" />
            <span className="cut">{provider}</span>
          </a>
        )}
      </div>
      {!support.possible && <p className="small muted">{support.why}</p>}
    </>
  );
}
