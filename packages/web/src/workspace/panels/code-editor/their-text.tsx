import { useEffect, useRef } from "react";
import { languageOf } from "./languages.ts";
import { createTextEditor } from "./text-editor.ts";

/** What somebody else has saved, to be read beside one's own. */
export function TheirText({ path, text }: { path: string; text: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const editor = createTextEditor({
      ...{ parent: host.current, text, language: languageOf(path), isReadOnly: true },
      ...{ label: `${path}, as saved by somebody else`, description: "Can be read only." },
    });
    return () => editor.destroy();
  }, [path, text]);
  return (
    <div className="their-text">
      <p className="their-head">Theirs, as saved</p>
      <div ref={host} className="editor-host" />
    </div>
  );
}
