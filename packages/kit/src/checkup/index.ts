export { checkUp, settingFindings, type UnderCheck } from "./checkup.ts";
export { readDisks } from "./disks.ts";
