import { byId, partOf, setText } from "./elements.js";

// `fault`: as describeFault says it, or undefined.
export function showFault(fault) {
  const region = byId("fault");
  const note = partOf(region, "note");
  note.hidden = fault === undefined;
  partOf(byId("ready"), "twice").hidden = fault !== undefined;
  partOf(byId("ready"), "limits").hidden = fault === undefined;
  setText(partOf(region, "what"), fault?.what ?? "");
  setText(partOf(region, "next"), fault?.next ?? "");
  const offer = (name, isOffered) => {
    region.querySelector(`[data-do="${name}"]`).hidden = !isOffered;
  };
  offer("retry", fault?.action === "retry");
  offer("discard", fault?.action === "retry");
  offer("reload", fault?.action === "reload");
  // What is kept goes only by a word that says so.
  offer("dismiss", fault !== undefined && fault.action !== "retry");
}
