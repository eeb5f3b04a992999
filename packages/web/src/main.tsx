import "@backplane/kit/tokens.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { takeFromAddress } from "./session/address-secrets.ts";

const element = document.getElementById("app");
if (!element) throw new Error("index.html has no #app");

const { address, secrets } = takeFromAddress(window.location.href, window.sessionStorage);
window.history.replaceState(window.history.state, "", address);

createRoot(element).render(
  <StrictMode>
    <App secrets={secrets} />
  </StrictMode>,
);
