/** What is in an icon of Lucide: see scripts/packing/line-icons.ts. */
declare module "lucide:*" {
  const shape: import("react").ReactNode;
  export default shape;
}
