import { useEffect, useState } from 'react';
import { painted } from '#web/browser/scheduling/painted.ts';

/** So many after each frame. */
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

/** False until it is one's turn: what many draw of their own accord comes a few at a time, after what is seen first. */
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
