const shapes = {
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  dots: <path d="M3.5 8h.05M8 8h.05M12.5 8h.05" strokeWidth="2" />,
  down: <path d="M4 6l4 4 4-4" />,
};

/** The marks of the frame itself; whoever stands alone carries an aria-label. */
export function Glyph({ name }: { name: keyof typeof shapes }) {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
