// The sensor monitor of Backplane's own catalog, as a package: the same code, over @backplane/sdk/panel.
import "@backplane/kit/tokens.css";
import "./page.css";
import { connectPanel } from "@backplane/sdk/panel";
import { mount } from "../../../packages/web/src/workspace/panels/sensor-monitor/sensor-monitor.tsx";
import panelJson from "../package/plugins/panel/panel.json" with { type: "json" };
import { contextOf } from "./panel-context.ts";

const panel = await connectPanel();

const showTheme = ({ isDark }: ReturnType<typeof panel.theme>): void => {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
};
showTheme(panel.theme());
panel.onTheme(showTheme);

const main = document.body.appendChild(document.createElement("main"));
await mount(main, contextOf(panel, { name: panelJson.title, shows: panelJson.wants.read }));
