declare global {
  // oxlint-disable-next-line no-var -- a global of the page, written by its first script.
  var threadBench: { tasks: number[]; cameAt: number; drawnAt: number };
}

/**
 * Findings of scrolling: the longest task in ms, the unwanted movement of a message in px, and the number of messages
 * that arrived.
 */
export type Scrolled = { task: number; moved: number; lines: number };

/** In the page: records long tasks, the arrival of messages, and the first paint after it. */
export function listenToThread(): void {
  globalThis.threadBench = { tasks: [], cameAt: 0, drawnAt: 0 };
  const noted = globalThis.threadBench;
  new PerformanceObserver((list) => {
    noted.tasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: 'longtask' });
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const asked = init?.body instanceof URLSearchParams ? init.body.get('act') : undefined;
    if (asked === 'conversation_messages') noteWhenRead(answer);
    return answer;
  };
  const noteWhenRead = (answer: Response) => {
    const read = answer.text.bind(answer);
    answer.text = async () => {
      const body = await read();
      if (noted.drawnAt === 0) noted.cameAt = performance.now();
      return body;
    };
  };
  const seen = new MutationObserver(() => {
    if (!document.querySelector('[role="region"] article')) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => (noted.drawnAt = performance.now())));
  });
  seen.observe(document, { childList: true, subtree: true });
}

/**
 * In the page: scrolls the messages by this many pixels with every frame, and checks that the middle one moves by as
 * many.
 */
export async function scrollThread({
  px,
  frames,
}: {
  px: number;
  frames: number;
}): Promise<Scrolled> {
  const noted = globalThis.threadBench;
  noted.tasks.length = 0;
  const scroller = document.querySelector<HTMLElement>('[aria-label="Pesan dalam percakapan"]');
  if (!scroller) throw new Error('no messages');
  // Layout is final only after the frame's callbacks, so lines are measured then.
  const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  const { top, height } = scroller.getBoundingClientRect();
  const inMiddle = () =>
    [...scroller.querySelectorAll('article')].find(
      (line) => line.getBoundingClientRect().bottom > top + height / 2,
    );
  const names = new Set<string>();
  let moved = 0;
  scroller.dispatchEvent(new WheelEvent('wheel'));
  for (let step = 0; step < frames; step++) {
    const line = inMiddle();
    const was = line?.getBoundingClientRect().top ?? 0;
    const before = scroller.scrollTop;
    scroller.scrollTop = before + px;
    const by = scroller.scrollTop - before;
    await frame();
    if (line?.isConnected) {
      moved = Math.max(moved, Math.abs(line.getBoundingClientRect().top - (was - by)));
      names.add(line.textContent ?? '');
    }
  }
  await new Promise((settled) => setTimeout(settled, 300));
  return { task: Math.max(0, ...noted.tasks), moved, lines: names.size };
}
