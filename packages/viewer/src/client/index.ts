// What a command needs that asks a viewer which runs: a small part of the viewer, so that the command starts quickly.
export type { Paste, PasteList, PasteWithText, SearchHit, Widget } from "@backplane/contract/viewer";
export { nameFromTitle } from "../naming/names/name-from-title.ts";
export type { ViewerAccess } from "../services.ts";
export { findViewer } from "./http-access.ts";
