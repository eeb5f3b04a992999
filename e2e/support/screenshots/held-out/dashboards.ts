import { dashboardPage } from "../looks/dashboard.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const CLAIM_TOKEN = planted("xoxb-", "3381920574-", "Wq7LmZt4RbVn9Kd2");
const EMAIL = "oskar.lindqvist@nordarm.example";

export function heldOutDashboards(): ScreenshotSpec[] {
  const kind = "dashboard" as const;
  return [
    {
      id: "held-dashboard-reflow",
      kind,
      theme: "light",
      scale: 1,
      width: 1280,
      height: 800,
      html: dashboardPage({
        theme: "light",
        product: "LineView",
        nav: ["Oven", "Pick and place", "Inspection", "Stock", "Reports"],
        hasSide: true,
        crumbs: "Line 2 / Oven",
        title: "Reflow oven profile",
        controls: ["SAC305", "Recipe 14", "Print"],
        tiles: [
          { label: "Peak temperature", value: "246 °C", tone: "good" },
          { label: "Time above liquidus", value: "63 s", tone: "good" },
          { label: "Ramp", value: "1.8 °C/s" },
          { label: "Conveyor", value: "72 cm/min" },
          { label: "Boards", value: "318" },
        ],
        charts: [
          {
            title: "Zone temperatures",
            names: ["preheat", "soak", "reflow", "cooling"],
            unit: "°C",
            seed: 6,
            times: ["0 s", "60 s", "120 s", "180 s", "240 s"],
          },
        ],
      }),
      expected: ["reflow", "oven", "profile", "temperature", "zone", "peak"],
      secrets: [],
    },
    {
      id: "held-dashboard-cluster",
      kind,
      theme: "dark",
      scale: 2,
      width: 2720,
      height: 1640,
      html: dashboardPage({
        theme: "dark",
        font: "wide",
        product: "Beacon",
        nav: ["Overview", "Nodes", "Workloads", "Logs", "Alerts"],
        title: "Cluster CPU and memory",
        controls: ["production", "Last 24 h", "Auto"],
        user: "on call",
        tiles: [
          { label: "Nodes ready", value: "11 / 12", tone: "warn" },
          { label: "CPU", value: "74 %" },
          { label: "Memory", value: "81 %", tone: "warn" },
          { label: "Restarts", value: "37", tone: "bad", hint: "image-pipeline" },
        ],
        charts: [
          {
            title: "CPU by node",
            names: ["node-a", "node-b", "node-c"],
            unit: "%",
            seed: 8,
            times: ["00:00", "06:00", "12:00", "18:00"],
          },
          {
            title: "Memory by node",
            names: ["node-a", "node-b", "node-c"],
            unit: "%",
            seed: 11,
            times: ["00:00", "06:00", "12:00", "18:00"],
          },
        ],
        table: {
          title: "Pods that restart",
          head: ["Pod", "Namespace", "Restarts", "Reason", "Age"],
          rows: [
            ["image-pipeline-6d9f", "vision", "21", "OOMKilled", "3d"],
            ["mqtt-bridge-77c4", "devices", "9", "Error", "12d"],
            ["report-cron-2881", "back-office", "7", "Completed", "40d"],
          ],
        },
      }),
      expected: ["cluster", "cpu", "memory", "node", "production", "restart"],
      secrets: [],
    },
    {
      id: "held-dashboard-account",
      kind,
      theme: "light",
      scale: 1,
      width: 1500,
      height: 860,
      html: dashboardPage({
        theme: "light",
        font: "wide",
        product: "NordArm Cloud",
        nav: ["Integrations", "Devices", "Alarms", "Billing"],
        hasSide: true,
        crumbs: `Signed in as ${EMAIL}`,
        title: `Bot token ${CLAIM_TOKEN}`,
        controls: ["Rotate", "Revoke"],
        banner: "Chat integration connected. Alarm messages go to the channel night-shift.",
        tiles: [
          { label: "Alarm messages sent", value: "128" },
          { label: "Delivery failures", value: "2", tone: "warn" },
          { label: "Channel", value: "night-shift" },
        ],
        charts: [
          {
            title: "Alarm messages per day",
            names: ["sent", "failed"],
            unit: "",
            seed: 1,
            times: ["Mon", "Tue", "Wed", "Thu", "Fri"],
          },
        ],
        user: EMAIL,
      }),
      expected: ["chat", "integration", "alarm", "message", "bot", "token", "channel", "connected"],
      secrets: [CLAIM_TOKEN, "3381920574", "Wq7LmZt4", EMAIL, "oskar", "lindqvist"],
    },
    {
      id: "held-dashboard-battery",
      kind,
      theme: "dark",
      scale: 1,
      width: 1120,
      height: 720,
      html: dashboardPage({
        theme: "dark",
        product: "PackScope",
        nav: ["Pack", "Cells", "Balancing", "Faults", "Export"],
        title: "Battery pack cell voltages",
        controls: ["Pack 3", "Live"],
        tiles: [
          { label: "Pack voltage", value: "48.7 V" },
          { label: "Highest cell", value: "3.92 V" },
          { label: "Lowest cell", value: "3.61 V", tone: "bad", hint: "cell 9" },
          { label: "Imbalance", value: "310 mV", tone: "bad" },
        ],
        charts: [
          {
            title: "Cell voltage",
            names: ["cell 1", "cell 5", "cell 9"],
            unit: "V",
            seed: 10,
            times: ["-30 m", "-20 m", "-10 m"],
          },
          { title: "Pack current", names: ["current"], unit: "A", seed: 13, times: ["-30 m", "-20 m", "-10 m"] },
        ],
      }),
      expected: ["battery", "pack", "cell", "voltage", "imbalance", "current"],
      secrets: [],
    },
  ];
}
