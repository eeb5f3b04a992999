import type { FormEvent, Ref } from "react";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { useAddress } from "./use-address.ts";

type Props = { onOpen: (url: string) => Promise<string | undefined>; ref: Ref<HTMLInputElement> };

/** Nothing was opened yet. */
export function NoAddress({ onOpen, ref }: Props) {
  const address = useAddress("", onOpen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void address.submit();
  };
  return (
    <div className="panel-message webview-over">
      <Icon name="globe" />
      <h3>No address yet</h3>
      <form className="webview-first" onSubmit={submit}>
        <Field
          ref={ref}
          label="Address of a page"
          name="address"
          value={address.value}
          onChange={address.type}
          fault={address.hint}
          hint="For example parts.example.com/md340, localhost:3000 or 192.168.1.20"
        />
        <Button type="submit" look="primary" busy={address.isAsking}>
          Open the page
        </Button>
      </form>
      <p>Everybody who has this workspace open sees the page.</p>
    </div>
  );
}
