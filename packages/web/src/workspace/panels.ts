import type { MountPanel } from "./panel.ts";

/** How each kind of panel is loaded. What is in the catalog but not here is not built yet, and `planned` says so. */
export const PANELS: Readonly<Record<string, () => Promise<{ mount: MountPanel }>>> = {
  webview: () => import("./panels/webview/mount.tsx"),
  sandbox: () => import("./panels/sandbox/mount.tsx"),
  "system-log": () => import("./panels/system-log/system-log.tsx"),
  "code-editor": () => import("./panels/code-editor/mount.tsx"),
  "script-runner": () => import("./panels/script-runner/mount.tsx"),
  "3d-viewer": () => import("./panels/viewer-3d/mount.tsx"),
};

export const planned = () => import("./panels/planned/mount.tsx");
