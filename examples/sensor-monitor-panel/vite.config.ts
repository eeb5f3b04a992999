import { fileURLToPath } from "node:url";
import { dropUnusedSchemas } from "../../scripts/packing/drop-unused-schemas.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** `vite build --config … --outDir FOLDER` writes the folder of the package, for `backplane panel`. */
export default {
  root: here("."),
  publicDir: here("package"),
  plugins: [dropUnusedSchemas()],
  build: {
    emptyOutDir: true,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    rolldownOptions: {
      input: here("src/index.ts"),
      treeshake: { moduleSideEffects: [{ test: /\/node_modules\/typebox\//, sideEffects: false }] },
      output: {
        entryFileNames: "plugins/panel/index.js",
        chunkFileNames: "plugins/panel/[name].js",
        assetFileNames: "plugins/panel/style[extname]",
      },
    },
  },
};
