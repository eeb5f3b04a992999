import "@backplane/kit/tokens.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const element = document.getElementById("app");
if (!element) throw new Error("index.html has no #app");

createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
