export { pastesFolder } from "./folder.ts";
export { HeldElsewhere } from "./holder.ts";
export { readPageKey } from "./page-key.ts";
export { openPastes } from "./pastes.ts";
export { readServerFile, removeServerFile, writeServerFile } from "./server-file.ts";
