import { useEffect, useState } from "react";

/** The time, again and again: for words such as "2 min ago" and clocks that run down. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());

  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);

  return now;
}
