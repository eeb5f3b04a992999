import { panelModule } from "@backplane/sdk/panel";
import { metadataFrom } from "../../pkg/metadata-questions.ts";

export type NewPanel = {
  identifier: string;
  /** The last part of the identifier, in lower case. */
  name: string;
  title: string;
  author: string;
  contact: string;
};

const PANEL = "plugins/panel";

/** The files of a new panel: it shows the newest temperature, and says it to agents. */
export const templateFiles = (panel: NewPanel): Record<string, string> => ({
  "metadata.json": json(metadataOf(panel)),
  [`${PANEL}/panel.json`]: json(panelJsonOf(panel)),
  [`${PANEL}/index.js`]: INDEX,
  [`${PANEL}/style.css`]: STYLE,
  [`${PANEL}/backplane-panel.js`]: panelModule(),
});

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

const metadataOf = ({ identifier, title, author, contact }: NewPanel) =>
  metadataFrom(
    {
      ...{ identifier, name: title, author, contact, type: "plugin", license: "MIT", tool: "9.0" },
      description: `${title}: a panel for Backplane workspaces`,
      descriptionFull:
        "Shows the newest value of a temperature sensor, large. Add it to a workspace from the catalog of panels.",
    },
    "tool",
    [],
  );

const panelJsonOf = ({ name, title }: NewPanel) => ({
  sdk: "1",
  name,
  title,
  description: "The newest temperature, large",
  category: "Visualization",
  entry: "index.js",
  style: "style.css",
  wants: { read: ["temperature"], control: [], files: [] },
  tools: [
    {
      name: "latest",
      description: "The newest temperature that the panel shows, in °C",
      input: { type: "object", properties: {} },
    },
  ],
});

const INDEX = `import { connectPanel } from "./backplane-panel.js";

const panel = await connectPanel();
const value = document.body.appendChild(document.createElement("output"));
const words = document.body.appendChild(document.createElement("p"));
let stop = () => {};
let shown;
let latest = null;

/** The first field of the first capability that this panel may read. */
function findField() {
  for (const device of panel.devices.list()) {
    for (const capability of device.capabilities) {
      const field = Object.keys(capability.fields)[0];
      if (field !== undefined) return { device, capability, field };
    }
  }
  return undefined;
}

function follow() {
  const found = findField();
  const key = found && \`\${found.device.id}/\${found.capability.id}/\${found.field}\`;
  if (key === shown) return;
  shown = key;
  stop();
  latest = null;
  value.textContent = "–";
  if (!found) {
    words.textContent = "No temperature sensor yet. Start one with: backplane simulate temperature";
    return;
  }
  const { device, capability, field } = found;
  const unit = capability.fields[field].unit ?? "";
  words.textContent = device.name;
  const want = { device: device.id, capability: capability.id, fields: [field], historyMs: 10_000 };
  stop = panel.devices.subscribe(want, ({ fields }) => {
    latest = fields[field].findLast((each) => each !== null) ?? latest;
    value.textContent = latest === null ? "–" : \`\${Number(latest).toFixed(1)} \${unit}\`;
  });
}

function paint({ isDark, colours }) {
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
  for (const [name, colour] of Object.entries(colours)) document.body.style.setProperty(\`--\${name}\`, colour);
}

panel.tool("latest", () => latest);
panel.onTheme(paint);
panel.devices.onList(follow);
paint(panel.theme());
follow();
`;

const STYLE = `body {
  display: grid;
  place-content: center;
  justify-items: center;
  height: 100vh;
  margin: 0;
  background: var(--surface);
  color: var(--text);
  font-family: system-ui, sans-serif;
}

output {
  font-size: 20vmin;
}

p {
  margin: 0;
  color: var(--muted);
}
`;
