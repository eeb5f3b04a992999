import type { Plugin } from "rolldown";

/**
 * Pages and published packages import limits and types from the contract, but do not use the schemas beside them. The
 * value of each constant is marked as free of side effects: what nobody uses is dropped, and TypeBox with it.
 */
export function dropUnusedSchemas(): Plugin {
  return {
    name: "drop-unused-schemas",
    transform: {
      filter: { id: /\/contract\/src\/.+\.ts$/ },
      handler(code) {
        const values = this.parse(code, { lang: "ts" }).body.flatMap((node) => {
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
