import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const platform = "http://localhost:8790";

/**
 * Pages import limits and types from the contract. The schemas beside them are never used here, so the value of each
 * constant is marked as free of side effects: what no page uses is dropped, and TypeBox with it.
 */
function dropUnusedSchemas(): Plugin {
  return {
    name: "drop-unused-schemas",
    enforce: "post",
    transform: {
      filter: { id: /\/contract\/src\/[^/]+\.ts$/ },
      handler(code) {
        const values = this.parse(code).body.flatMap((node) => {
          const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
          const constants = declared?.type === "VariableDeclaration" ? declared.declarations : [];
          return constants.flatMap(({ init }) => (init && init.type !== "Literal" ? init : []));
        });
        return values.reduceRight(
          (text, { start, end }) =>
            `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
          code,
        );
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), dropUnusedSchemas()],
  build: {
    // Nothing is inlined into the page or the styles: its content security policy allows own files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The largest are the 3D viewer and the editor, which are loaded when their panel is first shown.
    chunkSizeWarningLimit: 700,
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /\/node_modules\/typebox\//, sideEffects: false }] } },
    // The first versions with light-dark(), which would else be rewritten into twice the rules.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
  server: {
    // Under /auth are calls as well as pages of this app.
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
