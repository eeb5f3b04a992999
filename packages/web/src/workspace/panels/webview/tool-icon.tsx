const shapes = {
  back: "M13 8H3M7 4L3 8l4 4",
  forward: "M3 8h10M9 4l4 4-4 4",
  reload: "M13.25 8A5.25 5.25 0 1 1 11.6 4.2L13.25 5.75M13.25 2.5v3.25H10",
  stop: "M4 4l8 8M12 4l-8 8",
} as const;

export function ToolIcon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
