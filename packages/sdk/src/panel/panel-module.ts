import { connectPanel } from "./connect-panel.ts";

/** The library as a module for browsers: packages carry their own copy, so that they need nothing from anywhere. */
export const panelModule = (): string =>
  `// @backplane/sdk/panel: connects a panel to the workspace around it.\nexport const connectPanel = ${connectPanel.toString()};\n`;
