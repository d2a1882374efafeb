import { useEffect, useState } from 'react';
import { painted } from '#web/browser/scheduling/painted.ts';

const AT_ONCE = 3;

const waiting = new Set<() => void>();
let isRunning = false;

async function run(): Promise<void> {
  isRunning = true;
  while (waiting.size > 0) {
    await painted();
    for (const render of [...waiting].slice(0, AT_ONCE)) {
      waiting.delete(render);
      render();
    }
  }
  isRunning = false;
}

/** False until it is the caller's turn: deferred parts render a few at a time, after the visible ones. */
export function useDeferredRender(): boolean {
  const [isRendered, setRendered] = useState(false);
  useEffect(() => {
    const render = () => setRendered(true);
    waiting.add(render);
    if (!isRunning) void run();
    return () => {
      waiting.delete(render);
    };
  }, []);
  return isRendered;
}
