// Preloaded (`node --import`) into dependency-cruiser, whose parser's visitor (@swc/core/Visitor.js) throws on `using`
// and `await using`. Remove this when it supports them.
import visitorModule from "@swc/core/Visitor.js";

const { prototype } = visitorModule.Visitor;

for (const method of ["visitStatement", "visitPattern"]) {
  const original = prototype[method];
  prototype[method] = function visit(node) {
    if (node.type !== "UsingDeclaration") return original.call(this, node);
    this.visitVariableDeclarators(node.decls);
    return node;
  };
}
