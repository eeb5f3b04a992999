import { lazy } from "react";
import { startApp } from "./start-app.tsx";

// Loaded here after a navigation inside the app; as the first page it has a document of its own, with workspace/main.tsx.
const WorkspacePage = lazy(() => import("./workspace/workspace-page.tsx").then((m) => ({ default: m.WorkspacePage })));

startApp({ workspacePage: <WorkspacePage /> });
