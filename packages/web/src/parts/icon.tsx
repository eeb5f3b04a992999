import {
  Box,
  Check,
  CircleUserRound,
  Clock,
  Contrast,
  Copy,
  Cpu,
  Download,
  Globe,
  Info,
  KeyRound,
  LaptopMinimal,
  Link,
  LoaderCircle,
  type LucideIcon,
  Moon,
  OctagonX,
  Pencil,
  Plug,
  Plus,
  Search,
  Shapes,
  Sun,
  SwatchBook,
  TriangleAlert,
  Upload,
  UserRoundKey,
  UsersRound,
} from "lucide-react";

const shapes = {
  application: Plug,
  box: Box,
  browser: LaptopMinimal,
  check: Check,
  clock: Clock,
  copy: Copy,
  denied: OctagonX,
  download: Download,
  globe: Globe,
  info: Info,
  key: KeyRound,
  link: Link,
  passkey: UserRoundKey,
  pencil: Pencil,
  people: UsersRound,
  person: CircleUserRound,
  plus: Plus,
  search: Search,
  spinner: LoaderCircle,
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
} satisfies Record<string, LucideIcon>;

export type IconName = keyof typeof shapes;

/** A line icon, as decoration beside a word. A button with only an icon needs an aria-label. */
export function Icon({ name }: { name: IconName }) {
  const Shape = shapes[name];
  return <Shape className="i" aria-hidden="true" />;
}
