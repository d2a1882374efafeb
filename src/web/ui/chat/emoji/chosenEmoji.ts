import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { createStore } from '#web/browser/store.ts';
import { tones, withRecent, type Tone } from '#web/ui/chat/emoji/emoji.ts';

const RECENT = 'emoji recent';
const TONE = 'emoji tone';

export const recentEmoji = createStore<readonly string[]>(() => {
  const stored = readJson(storageGet('browser', RECENT));
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
});

export function noteEmoji(chosen: string): void {
  recentEmoji.set(withRecent(recentEmoji.get(), chosen));
  storageSet('browser', RECENT, JSON.stringify(recentEmoji.get()));
}

export const emojiTone = createStore<Tone>(
  () => tones.find((tone) => tone === storageGet('browser', TONE)) ?? '',
);

export function setEmojiTone(tone: Tone): void {
  emojiTone.set(tone);
  storageSet('browser', TONE, tone === '' ? undefined : tone);
}
