import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { dropUnusedSchemas } from "../../scripts/packing/drop-unused-schemas.ts";
import { lineIcons } from "../../scripts/packing/line-icons.ts";
import { precompress } from "../../scripts/packing/precompress.ts";
import { thirdPartyNotices } from "../../scripts/packing/third-party-notices.ts";

const platform = "http://localhost:8790";

export default defineConfig({
  plugins: [lineIcons(), react(), dropUnusedSchemas(), thirdPartyNotices(), precompress()],
  build: {
    // Nothing is inlined: the content security policy allows only files of our own.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A link for each of 60 small files took more of a slow machine's time than the browser saves by knowing them earlier.
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === "js" ? needed.filter((path) => path.endsWith(".css")) : needed,
    },
    // The largest are the 3D viewer and the editor, which load when their panel is first shown.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // Workspaces have a document of their own, which names all files of their page.
      input: ["index.html", "workspace.html"],
      output: {
        codeSplitting: {
          // What the two documents need at once: a slow machine takes longer for thirty small files than for a few.
          groups: [
            { name: "app", tags: ["$initial"], test: /\/start-app\.tsx$/ },
            { name: "workspace-page", tags: ["$initial"], test: /\/workspace\/workspace-page\.tsx$/ },
          ],
        },
      },
      // Its loader also has code for Node, which no browser runs. A warning about that would be the first that a new user reads.
      onLog: (level, log, handle) => log.message.includes("/occt-import-js/") || handle(level, log),
      treeshake: { moduleSideEffects: [{ test: /\/node_modules\/typebox\//, sideEffects: false }] },
      // Compressing takes most of a build, which is no news to somebody who starts Backplane for the first time.
      checks: { bundlerTimings: false },
    },
    // The first versions with light-dark(); for older ones every such rule would be doubled.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
  server: {
    // /auth has both API calls and pages of this app.
    proxy: {
      "/api": platform,
      "/docs": platform,
      "/user": platform,
      "/registry": platform,
      "/schemas": platform,
      "^/auth/(?!(intent|sign-in|join)([?/]|$))": platform,
    },
  },
});
