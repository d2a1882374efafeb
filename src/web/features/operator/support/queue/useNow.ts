import { useEffect, useState } from 'react';

const STEP_MS = 20_000;

/** The current time, updated often enough for times shown in minutes. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
