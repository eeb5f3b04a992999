import { editorPage } from "../looks/editor.ts";
import { planted } from "../looks/page.ts";
import type { ScreenshotSpec } from "../spec.ts";

const AWS_ID = planted("AKIA", "Q7ZLM4XW", "T2RN5VHB");
const AWS_SECRET = planted("wJ9rKtEm/K7MDf", "NG2bPxRqiCY4ZvUe8", "LhTnAo5sWd");
const DATABASE_PASSWORD = "h4rbour-Lantern";
const MENU = ["File", "Edit", "Selection", "View", "Go", "Run", "Terminal", "Help"];

export function tuningEditors(): ScreenshotSpec[] {
  const kind = "editor" as const;
  return [
    {
      id: "tune-editor-pid",
      kind,
      theme: "dark",
      scale: 1,
      width: 1360,
      height: 800,
      html: editorPage({
        theme: "dark",
        skin: "windows",
        windowTitle: "pid_controller.c - line-follower - Visual Studio Code",
        menu: MENU,
        treeTitle: "EXPLORER: LINE-FOLLOWER",
        tree: [
          "> .vscode",
          "> build",
          "v src",
          "  main.c",
          "  *pid_controller.c",
          "  pid_controller.h",
          "  sensors.c",
          "  motors.c",
          "Makefile",
          "README.md",
        ],
        tabs: ["pid_controller.c", "main.c", "motors.c"],
        crumbs: "src › pid_controller.c › pid_update",
        code: `#include "pid_controller.h"

static float clamp(float value, float low, float high) {
    if (value < low) return low;
    return value > high ? high : value;
}

void pid_reset(pid_controller_t *pid) {
    pid->integral = 0.0f;
    pid->previous_error = 0.0f;
}

float pid_update(pid_controller_t *pid, float setpoint, float measured, float dt) {
    float error = setpoint - measured;
    pid->integral = clamp(pid->integral + error * dt, -pid->windup, pid->windup);
    float derivative = (error - pid->previous_error) / dt;
    pid->previous_error = error;
    // Anti-windup: the integral never asks for more than the motors can give.
    return clamp(pid->kp * error + pid->ki * pid->integral + pid->kd * derivative,
                 -pid->limit, pid->limit);
}`,
        status: ["main*  0 errors 1 warning", "Ln 14, Col 9   Spaces: 4   UTF-8   LF   C"],
      }),
      expected: ["pid", "controller", "update", "line", "follower", "motor", "integral"],
      secrets: [],
    },
    {
      id: "tune-editor-env",
      kind,
      theme: "dark",
      scale: 2,
      width: 2240,
      height: 1240,
      html: editorPage({
        theme: "dark",
        skin: "mac",
        windowTitle: `AWS_SECRET_ACCESS_KEY=${AWS_SECRET.slice(0, 20)} — .env`,
        menu: MENU,
        treeTitle: "EXPLORER: TELEMETRY-UPLOADER",
        tree: [
          "> node_modules",
          "v src",
          "  upload.ts",
          "  bucket.ts",
          "*.env",
          ".gitignore",
          "package.json",
          "docker-compose.yml",
        ],
        tabs: [".env", "upload.ts", "docker-compose.yml"],
        comment: "#",
        code: `# Telemetry uploader: settings of this machine, never committed
AWS_ACCESS_KEY_ID=${AWS_ID}
AWS_SECRET_ACCESS_KEY=${AWS_SECRET}
AWS_REGION=eu-central-1
S3_BUCKET=rover-telemetry

# Database of the uploader
DATABASE_URL=postgres://uploader:${DATABASE_PASSWORD}@db.internal:5432/telemetry
UPLOAD_EVERY_SECONDS=30
LOG_LEVEL=info`,
        panel: {
          tabs: ["PROBLEMS", "OUTPUT", "TERMINAL"],
          lines: ["$ npm run upload", "telemetry uploader: 14 files waiting, bucket rover-telemetry"],
        },
        status: ["main", "Ln 3, Col 1   Properties"],
      }),
      expected: ["env", "telemetry", "uploader", "setting", "bucket", "rover", "aws", "database"],
      secrets: [AWS_ID, AWS_SECRET, "Q7ZLM4XW", "wJ9rKtEm", DATABASE_PASSWORD, "h4rbour", "harbour", "lantern"],
    },
    {
      id: "tune-editor-navigation",
      kind,
      theme: "light",
      scale: 1,
      width: 1280,
      height: 760,
      html: editorPage({
        theme: "light",
        skin: "gnome",
        windowTitle: "rover_ws – occupancy_grid.py",
        menu: ["File", "Edit", "View", "Navigate", "Code", "Refactor", "Run", "Tools", "VCS", "Window", "Help"],
        treeTitle: "Project",
        tree: [
          "v rover_ws",
          "  v rover_navigation",
          "    __init__.py",
          "    *occupancy_grid.py",
          "    path_planner.py",
          "    lidar_scan.py",
          "  > launch",
          "  > test",
          "  setup.py",
        ],
        tabs: ["occupancy_grid.py", "path_planner.py"],
        comment: "#",
        font: "narrow",
        code: `import numpy as np
from rover_navigation.lidar_scan import LidarScan


class OccupancyGrid:
    """Log-odds map of what the lidar has seen."""

    def __init__(self, width, height, resolution=0.05):
        self.cells = np.zeros((height, width))
        self.resolution = resolution

    def add_scan(self, scan: LidarScan, pose):
        for angle, distance in scan.beams():
            end = pose.project(angle, distance)
            for cell in self.ray(pose.position, end):
                self.cells[cell] -= 0.4
            self.cells[self.index(end)] += 0.9

    def is_free(self, x, y):
        return self.cells[self.index((x, y))] < -1.0  # two beams agree`,
        status: ["Python 3.11 (rover_ws)", "12:31   LF   UTF-8   4 spaces"],
      }),
      expected: ["occupancy", "grid", "rover", "lidar", "navigation", "scan"],
      secrets: [],
    },
    {
      id: "tune-editor-sql",
      kind,
      theme: "light",
      scale: 2,
      width: 1920,
      height: 1200,
      html: editorPage({
        theme: "light",
        skin: "mac",
        windowTitle: "stock-report.sql — warehouse",
        menu: ["File", "Edit", "Query", "View", "Window", "Help"],
        treeTitle: "DATABASE NAVIGATOR",
        tree: [
          "v warehouse",
          "  v public",
          "    v Tables",
          "      components",
          "      suppliers",
          "      stock_moves",
          "    > Views",
          "    > Functions",
        ],
        tabs: ["*stock-report.sql", "suppliers", "Query 4"],
        comment: "--",
        code: `-- Component stock below its reorder level, by supplier
SELECT s.name AS supplier,
       c.part_number,
       c.description,
       SUM(m.quantity) AS on_hand,
       c.reorder_level
FROM components c
JOIN suppliers s ON s.id = c.supplier_id
JOIN stock_moves m ON m.component_id = c.id
WHERE c.is_active
GROUP BY s.name, c.part_number, c.description, c.reorder_level
HAVING SUM(m.quantity) < c.reorder_level
ORDER BY s.name;`,
        panel: {
          tabs: ["RESULT", "MESSAGES"],
          lines: [
            "supplier        part_number       on_hand  reorder_level",
            "Nordparts       RC0402JR-0710KL       120           5000",
            "Nordparts       GRM155R71C104K        900          10000",
            "Kelvin Supply   STM32G431CBU6          14             50",
          ],
        },
        status: ["Connected: warehouse@localhost", "3 rows fetched in 12 ms"],
      }),
      expected: ["stock", "report", "sql", "component", "reorder", "supplier", "warehouse"],
      secrets: [],
    },
  ];
}
