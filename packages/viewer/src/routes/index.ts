export { createAccess } from "./in-process-access.ts";
export { serveViewer } from "./viewer-routes.ts";
