import { startApp } from "../start-app.tsx";
import { readOpening } from "./opening.ts";
import { WorkspacePage } from "./workspace-page.tsx";

const opening = readOpening();

startApp({ workspacePage: <WorkspacePage opening={opening} />, user: opening?.user });
