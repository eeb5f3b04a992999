export { openPastes } from "./pastes.ts";
export { pastesFolder } from "./storage/folder.ts";
export { HeldElsewhere } from "./storage/holder.ts";
export { readPageKey } from "./storage/page-key.ts";
export { readServerFile, removeServerFile, writeServerFile } from "./storage/server-file.ts";
