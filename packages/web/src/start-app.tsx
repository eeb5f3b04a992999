import "@backplane/kit/tokens.css";
import type { User } from "@backplane/contract/accounts";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { takeFromAddress } from "./session/address-secrets.ts";
import { askWho } from "./session/session.tsx";

type Start = {
  workspacePage: ReactNode;
  /** Who is signed in, if the document says so. */
  user?: User | undefined;
};

export function startApp({ workspacePage, user }: Start): void {
  const element = document.getElementById("app");
  if (!element) throw new Error("The document has no #app");

  const { address, secrets } = takeFromAddress(window.location.href, window.sessionStorage);
  window.history.replaceState(window.history.state, "", address);

  // It takes a while, so it begins before the first drawing.
  const asked = user ? { who: { is: "in", user } as const, options: undefined } : askWho();

  createRoot(element).render(
    <StrictMode>
      <App {...{ asked, secrets, workspacePage }} />
    </StrictMode>,
  );
}
