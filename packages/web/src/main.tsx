import "@backplane/kit/tokens.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, loadPageOf } from "./app.tsx";
import { takeFromAddress } from "./session/address-secrets.ts";
import { askWho } from "./session/session.tsx";

const element = document.getElementById("app");
if (!element) throw new Error("index.html has no #app");

const { address, secrets } = takeFromAddress(window.location.href, window.sessionStorage);
window.history.replaceState(window.history.state, "", address);

// Both take a while, so both begin before the first drawing.
const asked = askWho();
const pageLoaded = loadPageOf(window.location.pathname);

const root = createRoot(element);
void pageLoaded.then(() =>
  root.render(
    <StrictMode>
      <App asked={asked} secrets={secrets} />
    </StrictMode>,
  ),
);
