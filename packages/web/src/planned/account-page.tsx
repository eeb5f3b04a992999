import { PlannedPage } from "./planned-page.tsx";

export function AccountPage() {
  return (
    <PlannedPage
      name="Account"
      purpose="Who you are here, and what acts in your name."
      plan={[
        { what: "Sign in", how: "With name and password, a passkey, or the identity provider of your organisation." },
        { what: "Programs", how: "A program asks for access and shows a code. You compare it, then approve or deny." },
        { what: "Sessions and keys", how: "Every session and API key with its last use. You can end each of them." },
      ]}
    />
  );
}
