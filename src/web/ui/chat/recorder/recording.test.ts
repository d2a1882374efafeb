import { afterEach, expect, test, vi } from 'vitest';
import { recordingFormat, recordingRefusal } from './recording.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['NotAllowedError', /Izinkan mikrofon untuk situs ini/],
  ['NotFoundError', /Sambungkan mikrofon/],
  ['NotReadableError', /Tutup aplikasi itu/],
  ['AbortError', /Kirim berkas suara sebagai lampiran/],
])('without a microphone it says what to do: %s', (name, words) => {
  vi.stubGlobal('isSecureContext', true);
  expect(recordingRefusal(new DOMException('no', name))).toMatch(words);
});

test('explains that an insecure page has no microphone, for any browser error', () => {
  vi.stubGlobal('isSecureContext', false);
  expect(recordingRefusal(new TypeError('undefined'))).toMatch(/https/);
});

test('records Ogg, else Opus that is converted to Ogg, else M4A', () => {
  const takes = (types: readonly string[]) =>
    vi.stubGlobal('MediaRecorder', { isTypeSupported: (type: string) => types.includes(type) });
  takes(['audio/mp4', 'audio/ogg;codecs=opus']);
  expect(recordingFormat()?.[1]).toBe('ogg');
  takes(['audio/webm;codecs=opus', 'audio/mp4']);
  expect(recordingFormat()?.[1]).toBe('webm');
  takes(['audio/mp4']);
  expect(recordingFormat()?.[1]).toBe('m4a');
  takes(['audio/webm;codecs=vorbis']);
  expect(recordingFormat()).toBeUndefined();
});
