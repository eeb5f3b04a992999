export { servePlannedPage } from "./planned-page.ts";
