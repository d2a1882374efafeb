import { beforeEach, expect, test, vi } from 'vitest';
import { createUploadAnnouncer, type UploadAnnouncer } from '#web/ui/upload/uploadAnnouncer.ts';
import type { Schedule } from '#web/api/uploads/uploadRetry.ts';

const later: Schedule = (afterMs, run) => {
  const id = setTimeout(run, afterMs);
  return () => clearTimeout(id);
};

let said: string[];
let total: number;
let attended: boolean;
let voice: UploadAnnouncer;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  total = 0;
  attended = true;
  voice = createUploadAnnouncer({
    say: (text) => said.push(text),
    words: () => ({
      added: 'Added',
      removed: 'Removed',
      countOne: 'file in list',
      countMany: 'files in list',
    }),
    total: () => total,
    attended: () => attended,
    later,
  });
  return () => vi.useRealTimers();
});

test('announces files added together once, 750 ms after the last, and clears the text after 1500', () => {
  total = 2;
  voice.added('a.png');
  vi.advanceTimersByTime(700);
  voice.added('b.png');
  vi.advanceTimersByTime(749);
  expect(said.filter(Boolean)).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(said.filter(Boolean)).toEqual(['Added a.png, b.png, 2 files in list']);
  vi.advanceTimersByTime(1_499);
  expect(said.at(-1)).not.toBe('');
  vi.advanceTimersByTime(1);
  expect(said.at(-1)).toBe('');
});

test('announces the list only while the person is in the widget, completions and errors always', () => {
  attended = false;
  voice.added('a.png');
  voice.removed('a.png');
  vi.advanceTimersByTime(5_000);
  expect(said).toEqual([]);
  voice.announce('a.png Upload complete');
  vi.advanceTimersByTime(5_000);
  expect(said).toEqual(['a.png Upload complete']);
});

test('loses none of several simultaneous errors', () => {
  voice.announce('File is of invalid type a.exe');
  voice.announce('File is of invalid type b.exe');
  vi.advanceTimersByTime(100);
  expect(said).toEqual(['File is of invalid type a.exe; File is of invalid type b.exe']);
});

test('announces an upload that is reverted and leaves the list at once', () => {
  voice.announce('a.png Upload cancelled');
  voice.removed('a.png');
  vi.advanceTimersByTime(100);
  expect(said).toEqual(['a.png Upload cancelled; Removed a.png, 0 files in list']);
});

test('announces a removal at once, and does not mute later announcements', () => {
  total = 1;
  voice.removed('a.png');
  expect(said).toEqual(['Removed a.png, 1 file in list']);
  voice.added('c.png');
  voice.quiet();
  const before = said.length;
  vi.advanceTimersByTime(5_000);
  expect(said.length).toBe(before);
});
