import ArrowLeft from "lucide:arrow-left";
import ArrowRight from "lucide:arrow-right";
import Box from "lucide:box";
import Check from "lucide:check";
import ChevronDown from "lucide:chevron-down";
import CircleUserRound from "lucide:circle-user-round";
import Clock from "lucide:clock";
import Contrast from "lucide:contrast";
import Copy from "lucide:copy";
import Cpu from "lucide:cpu";
import Download from "lucide:download";
import Ellipsis from "lucide:ellipsis";
import Globe from "lucide:globe";
import Info from "lucide:info";
import KeyRound from "lucide:key-round";
import LaptopMinimal from "lucide:laptop-minimal";
import Link from "lucide:link";
import LoaderCircle from "lucide:loader-circle";
import Lock from "lucide:lock";
import LogIn from "lucide:log-in";
import Maximize from "lucide:maximize";
import Minus from "lucide:minus";
import Monitor from "lucide:monitor";
import MonitorOff from "lucide:monitor-off";
import Moon from "lucide:moon";
import Octagon from "lucide:octagon";
import OctagonX from "lucide:octagon-x";
import Pause from "lucide:pause";
import Pencil from "lucide:pencil";
import Play from "lucide:play";
import Plug from "lucide:plug";
import Plus from "lucide:plus";
import Redo2 from "lucide:redo-2";
import Repeat from "lucide:repeat";
import RotateCw from "lucide:rotate-cw";
import Search from "lucide:search";
import Shapes from "lucide:shapes";
import SkipBack from "lucide:skip-back";
import SkipForward from "lucide:skip-forward";
import Sun from "lucide:sun";
import SwatchBook from "lucide:swatch-book";
import Trash from "lucide:trash";
import TriangleAlert from "lucide:triangle-alert";
import Undo2 from "lucide:undo-2";
import Upload from "lucide:upload";
import UserRoundKey from "lucide:user-round-key";
import UsersRound from "lucide:users-round";
import X from "lucide:x";
import type { ReactNode } from "react";

const shapes = {
  application: Plug,
  back: ArrowLeft,
  box: Box,
  browser: LaptopMinimal,
  check: Check,
  clock: Clock,
  close: X,
  copy: Copy,
  denied: OctagonX,
  down: ChevronDown,
  download: Download,
  expand: Maximize,
  forward: ArrowRight,
  globe: Globe,
  info: Info,
  key: KeyRound,
  link: Link,
  lock: Lock,
  loop: Repeat,
  minus: Minus,
  monitor: Monitor,
  "no-monitor": MonitorOff,
  more: Ellipsis,
  next: SkipForward,
  open: LogIn,
  passkey: UserRoundKey,
  pause: Pause,
  pencil: Pencil,
  people: UsersRound,
  person: CircleUserRound,
  play: Play,
  plus: Plus,
  previous: SkipBack,
  redo: Redo2,
  reload: RotateCw,
  search: Search,
  simulator: Cpu,
  spinner: LoaderCircle,
  stop: Octagon,
  trash: Trash,
  undo: Undo2,
  upload: Upload,
  warning: TriangleAlert,
  // types of packages
  plugin: Cpu,
  library: Shapes,
  colortheme: SwatchBook,
  // themes
  system: Contrast,
  light: Sun,
  dark: Moon,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

type IconProps = { name: IconName; isFilled?: boolean };

/** A line icon, as decoration beside a word. A button with only an icon needs an aria-label. */
export function Icon({ name, isFilled = false }: IconProps) {
  return (
    <svg
      className="lucide i"
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      style={isFilled ? { fill: "currentColor" } : undefined}
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  );
}
