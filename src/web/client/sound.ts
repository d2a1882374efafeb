import { keep, kept } from '#web/client/kept.ts';

const SOUND = '/sounds/pesan.wav';
/** Nobody else may sound for this long: one person, one sound, however many tabs. */
const QUIET_MS = 1_500;

let audio: HTMLAudioElement | undefined;

/**
 * Gets the sound ready at the first touch or key: before one, browsers let nothing be heard.
 *
 * @returns how to stop waiting for it
 */
export function readySound(): () => void {
  const gestures = ['pointerdown', 'keydown'] as const;
  const ready = () => {
    forget();
    if (audio) return;
    audio = new Audio(SOUND);
    audio.preload = 'auto';
    audio.volume = 0.6;
    audio.load();
  };
  const forget = () => {
    for (const gesture of gestures) removeEventListener(gesture, ready);
  };
  for (const gesture of gestures) addEventListener(gesture, ready, { passive: true });
  return forget;
}

/**
 * Sounds for a message, in the one tab that is first to claim it. Silent where nobody has touched the
 * page yet.
 */
export async function soundFor(messageId: string): Promise<void> {
  const player = audio;
  if (!player) return;
  // Only where the page is secure; elsewhere a note in the storage must do.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) {
    if (kept('browser', 'sounded') === messageId) return;
    keep('browser', 'sounded', messageId);
    return play(player);
  }
  await locks.request('bunyi', { ifAvailable: true }, async (mine) => {
    if (!mine) return;
    await play(player);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  });
}

async function play(player: HTMLAudioElement): Promise<void> {
  player.currentTime = 0;
  await player.play().catch(() => undefined);
}
