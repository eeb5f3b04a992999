import { dialogPage } from "../looks/dialog.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const CLOUD_KEY = planted("sk-proj-", "Zk83hLq0TtVw", "29xNaRbYc71eMf");
const WIFI_PASSWORD = "Tr0mbone!Kettle77";

/** Some are shown in front of a dashboard. */
export function tuningDialogs(dashboards: ScreenshotSpec[]): ScreenshotSpec[] {
  const kind = "dialog" as const;
  return [
    {
      id: "tune-dialog-upload-failed",
      kind,
      theme: "light",
      scale: 1,
      width: 480,
      height: 250,
      html: dialogPage({
        theme: "light",
        skin: "windows",
        title: "Arduino IDE",
        icon: "error",
        heading: "Upload failed",
        paragraphs: [
          "The bootloader of the board on COM7 does not answer.",
          "Press the reset button twice and try again, or choose another serial port in Tools.",
        ],
        buttons: ["Try again", "Choose port…", "Cancel"],
      }),
      expected: ["upload", "fail", "bootloader", "board", "arduino", "serial", "port"],
      secrets: [],
    },
    {
      id: "tune-dialog-delete-footprint",
      kind,
      theme: "dark",
      scale: 2,
      width: 960,
      height: 440,
      html: dialogPage({
        theme: "dark",
        skin: "mac",
        title: "Footprint Editor",
        icon: "question",
        heading: "Delete footprint “QFN-32_5x5mm” from the library?",
        paragraphs: [
          "Three boards of this project use it. They keep their own copy, but updates no longer reach them.",
        ],
        buttons: ["Delete", "Cancel"],
      }),
      expected: ["delete", "footprint", "library", "qfn", "editor"],
      secrets: [],
    },
    {
      id: "tune-dialog-printer-settings",
      kind,
      theme: "light",
      scale: 1,
      width: 700,
      height: 440,
      html: dialogPage({
        theme: "light",
        skin: "gnome",
        title: "Print Settings",
        tabs: ["Layers", "Infill", "Support", "Speed", "Cooling"],
        fields: [
          { label: "Layer height", value: "0.20 mm" },
          { label: "First layer height", value: "0.28 mm" },
          { label: "Nozzle", value: "0.4 mm brass", as: "choice" },
          { label: "Filament", value: "PETG grey", as: "choice" },
          { label: "Nozzle temperature", value: "240 °C" },
          { label: "Bed temperature", value: "80 °C" },
          { label: "Avoid crossing perimeters", value: "on", as: "tick" },
          { label: "Spiral vase", value: "off", as: "tick" },
        ],
        buttons: ["Slice now", "Save profile…", "Close"],
      }),
      expected: ["print", "setting", "layer", "nozzle", "filament", "slice"],
      secrets: [],
    },
    {
      id: "tune-dialog-api-key",
      kind,
      theme: "light",
      scale: 2,
      width: 1080,
      height: 660,
      html: dialogPage({
        theme: "light",
        skin: "mac",
        title: `New key ${CLOUD_KEY.slice(0, 22)}…`,
        heading: "Save your key",
        paragraphs: ["This assistant key is shown once. Keep it in a safe place; for a lost one you create another."],
        fields: [
          { label: "API key", value: CLOUD_KEY, as: "large" },
          { label: "Project", value: "Assistant for schematics" },
          { label: "Permissions", value: "Read only", as: "choice" },
        ],
        buttons: ["Copy", "Done"],
      }),
      expected: ["save", "key", "api", "assistant", "schematic", "permission", "new"],
      secrets: [CLOUD_KEY, "Zk83hLq0", "29xNaRbY"],
    },
    {
      id: "tune-dialog-wifi",
      kind,
      theme: "dark",
      scale: 1,
      width: 1280,
      height: 800,
      html: dialogPage({
        theme: "dark",
        skin: "gnome",
        title: "Wi-Fi provisioning",
        heading: "Connect the sensor to your network",
        paragraphs: ["The sensor restarts and joins this network. The status LED blinks green."],
        fields: [
          { label: "Network", value: "workshop-2g", as: "choice" },
          { label: "Security", value: "WPA2 Personal", as: "choice" },
          { label: "Password", value: WIFI_PASSWORD, as: "large" },
          { label: "Show password", value: "on", as: "tick" },
        ],
        buttons: ["Connect", "Back"],
        behind: dashboards[0]?.html ?? "",
      }),
      expected: ["wifi", "provision", "connect", "sensor", "network", "workshop"],
      secrets: [WIFI_PASSWORD, "tr0mbone", "trombone", "kettle77", "kettle"],
    },
    {
      id: "tune-dialog-unsaved",
      kind,
      theme: "light",
      scale: 1,
      width: 420,
      height: 190,
      html: dialogPage({
        theme: "light",
        skin: "gnome",
        title: "Unsaved changes",
        icon: "warning",
        heading: "Save changes to motor-driver before closing?",
        paragraphs: ["The last 12 minutes are lost otherwise."],
        buttons: ["Save", "Discard", "Cancel"],
      }),
      expected: ["unsaved", "save", "change", "motor", "driver", "clos"],
      secrets: [],
    },
  ];
}
