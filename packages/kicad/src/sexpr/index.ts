export { FileFault, faultAt } from "./fault.ts";
export {
  type Atom,
  atomAt,
  child,
  children,
  flag,
  isList,
  type List,
  type Node,
  nameOf,
  numberIn,
  numbersIn,
  sameTree,
  textAt,
  textOf,
} from "./nodes.ts";
export { MAX_CHARACTERS, MAX_DEPTH, readTree } from "./read.ts";
export { applySplices, invertSplices, rebaseSplices, type Splice } from "./splices.ts";
export { type Layout, layoutOf, type NewNode, quote, quoted, writeNode, writeNumber } from "./write.ts";
