import { dashboardPage } from "../looks/dashboard.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const GRAFANA_TOKEN = planted("glsa_", "Hn4vTq8ZrW2yLb6", "Xk0mPd9Cj_5f1a7e3c");

export function tuningDashboards(): ScreenshotSpec[] {
  const kind = "dashboard" as const;
  return [
    {
      id: "tune-dashboard-greenhouse",
      kind,
      theme: "dark",
      scale: 1,
      width: 1440,
      height: 900,
      html: dashboardPage({
        theme: "dark",
        product: "Graphwall",
        nav: ["Dashboards", "Explore", "Alerting", "Connections", "Administration"],
        hasSide: true,
        crumbs: "Home › Dashboards › Sensors",
        title: "Greenhouse temperature and humidity",
        controls: ["Last 6 hours", "Refresh 30s", "Share"],
        tiles: [
          { label: "Air temperature", value: "24.6 °C", hint: "north bench", tone: "good" },
          { label: "Relative humidity", value: "71 %", hint: "target 65 %", tone: "warn" },
          { label: "Soil moisture", value: "38 %", hint: "6 probes" },
          { label: "CO₂", value: "812 ppm" },
        ],
        charts: [
          {
            title: "Temperature by zone",
            names: ["north", "south", "door"],
            unit: "°C",
            seed: 3,
            times: ["08:00", "10:00", "12:00"],
          },
          {
            title: "Humidity by zone",
            names: ["north", "south"],
            unit: "%",
            seed: 7,
            times: ["08:00", "10:00", "12:00"],
          },
        ],
      }),
      expected: ["greenhouse", "temperature", "humidity", "sensor", "soil", "zone", "dashboard"],
      secrets: [],
    },
    {
      id: "tune-dashboard-fleet",
      kind,
      theme: "light",
      scale: 2,
      width: 2880,
      height: 1800,
      html: dashboardPage({
        theme: "light",
        product: "Warehouse One",
        nav: ["Overview", "Robots", "Missions", "Maps", "Maintenance", "Settings"],
        title: "Robot fleet status",
        controls: ["Hall B", "Today", "Export"],
        user: "Shift lead",
        tiles: [
          { label: "Robots online", value: "42 / 45", tone: "good" },
          { label: "Missions today", value: "1,284" },
          { label: "Charging", value: "9" },
          { label: "Stuck", value: "2", tone: "bad", hint: "AMR-17, AMR-31" },
          { label: "Mean battery", value: "63 %" },
        ],
        charts: [
          {
            title: "Missions per hour",
            names: ["completed", "aborted"],
            unit: "",
            seed: 12,
            times: ["06:00", "08:00", "10:00", "12:00"],
          },
          {
            title: "Battery level by robot type",
            names: ["AMR", "forklift", "tugger"],
            unit: "%",
            seed: 5,
            times: ["06:00", "08:00", "10:00", "12:00"],
          },
        ],
        table: {
          title: "Needs attention",
          head: ["Robot", "State", "Battery", "Mission", "Since"],
          rows: [
            ["AMR-17", "Stuck at aisle 12", "48 %", "Pick 88213", "11:42"],
            ["AMR-31", "Lidar fault", "77 %", "Pick 88240", "11:57"],
            ["FLT-04", "Charging", "12 %", "none", "11:20"],
          ],
        },
      }),
      expected: ["robot", "fleet", "status", "mission", "warehouse", "battery"],
      secrets: [],
    },
    {
      id: "tune-dashboard-token-heading",
      kind,
      theme: "dark",
      scale: 1,
      width: 1366,
      height: 768,
      html: dashboardPage({
        theme: "dark",
        font: "wide",
        product: "Graphwall",
        nav: ["Administration", "Users", "Teams", "Plugins", "Service accounts"],
        hasSide: true,
        crumbs: "Administration › Service accounts › Telemetry writer",
        title: GRAFANA_TOKEN,
        controls: ["Copy"],
        banner: "Service account token created. It is not shown again.",
        tiles: [
          { label: "Account", value: "Telemetry writer" },
          { label: "Role", value: "Editor" },
          { label: "Tokens", value: "3" },
        ],
        charts: [
          {
            title: "Requests by token",
            names: ["telemetry", "backup"],
            unit: "",
            seed: 4,
            times: ["Mon", "Tue", "Wed", "Thu"],
          },
        ],
      }),
      expected: ["service", "account", "token", "telemetry", "writer", "administration"],
      secrets: [GRAFANA_TOKEN, "Hn4vTq8Z", "5f1a7e3c"],
    },
    {
      id: "tune-dashboard-solar",
      kind,
      theme: "light",
      scale: 1,
      width: 1180,
      height: 820,
      html: dashboardPage({
        theme: "light",
        font: "wide",
        product: "Sunhouse",
        nav: ["Live", "History", "Devices", "Tariffs"],
        title: "Solar power today",
        controls: ["Day", "4 March 2025"],
        tiles: [
          { label: "Inverter output", value: "4.82 kW", tone: "good" },
          { label: "House load", value: "1.37 kW" },
          { label: "Battery charge", value: "86 %" },
          { label: "Grid export", value: "3.1 kW" },
        ],
        charts: [
          {
            title: "Power flow",
            names: ["solar", "load", "grid"],
            unit: "kW",
            seed: 2,
            times: ["06:00", "09:00", "12:00", "15:00"],
          },
          {
            title: "Inverter temperature",
            names: ["heat sink"],
            unit: "°C",
            seed: 9,
            times: ["06:00", "09:00", "12:00", "15:00"],
          },
        ],
      }),
      expected: ["solar", "power", "inverter", "battery", "grid", "load"],
      secrets: [],
    },
  ];
}
