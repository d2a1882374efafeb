import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/gallery.ts';

const fakeMicrophone = (page: Page, refusal?: string) =>
  page.evaluate((name) => {
    const told = window as unknown as { stoppedTracks: number };
    told.stoppedTracks = 0;
    const getUserMedia = async () => {
      if (name !== undefined) throw new DOMException('no', name);
      return { getTracks: () => [{ stop: () => (told.stoppedTracks += 1) }] };
    };
    Object.defineProperty(navigator, 'mediaDevices', {
      configurable: true,
      value: { getUserMedia },
    });
    class FakeRecorder extends EventTarget {
      static isTypeSupported = (type: string) => type === 'audio/mp4';
      state = 'inactive';
      start() {
        this.state = 'recording';
      }
      stop() {
        this.state = 'inactive';
        for (const piece of ['ab', 'c']) {
          this.dispatchEvent(
            Object.assign(new Event('dataavailable'), { data: new Blob([piece]) }),
          );
        }
        this.dispatchEvent(new Event('stop'));
      }
    }
    Object.defineProperty(window, 'MediaRecorder', { configurable: true, value: FakeRecorder });
  }, refusal);

const record = (page: Page) => page.getByRole('button', { name: 'Rekam pesan suara' });
const stoppedTracks = (page: Page) =>
  page.evaluate(() => (window as unknown as { stoppedTracks: number }).stoppedTracks);

test('a voice message is recorded, played and sent by keys alone, and the microphone is released', async ({
  show,
}) => {
  const page = await show('recorder', { width: 390 });
  await fakeMicrophone(page);
  await record(page).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('timer').filter({ hasText: '0:00 / 5:00' }).waitFor();
  const stop = page.getByRole('button', { name: 'Selesai merekam' });
  await waitFor(async () =>
    expect(await stop.evaluate((one) => one === document.activeElement)).toBe(true),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Rekaman Anda' }).waitFor();
  expect(await stoppedTracks(page)).toBe(1);
  await page.keyboard.press('Enter');
  await waitFor(async () =>
    expect(await page.getByLabel('Sent files').textContent()).toBe(
      'pesan-suara.m4a (audio/mp4, 3)',
    ),
  );
});

test('a discarded recording is not sent, and the microphone is released', async ({ show }) => {
  const page = await show('recorder', { width: 1440 });
  await fakeMicrophone(page);
  await record(page).click();
  await page.getByRole('button', { name: 'Batal' }).click();
  await record(page).waitFor();
  expect(await stoppedTracks(page)).toBe(1);
  expect(await page.getByLabel('Sent files').textContent()).toBe('');
});

test('without a microphone it shows an instruction and a retry', async ({ show }) => {
  const page = await show('recorder', { width: 1440 });
  await fakeMicrophone(page, 'NotAllowedError');
  await record(page).click();
  expect(await page.getByRole('alert').textContent()).toMatch(/Izinkan mikrofon untuk situs ini/);
  await fakeMicrophone(page);
  await page.getByRole('button', { name: 'Coba lagi' }).click();
  await page.getByRole('timer').waitFor();
});

test('a recording of Chromium is Ogg Opus of the recorded length, and plays', async ({ show }) => {
  const page = await show('recorder', { width: 1440 });
  await page.evaluate(() => {
    const getUserMedia = async () => {
      const context = new AudioContext();
      const end = context.createMediaStreamDestination();
      const tone = context.createOscillator();
      tone.connect(end);
      tone.start();
      return end.stream;
    };
    Object.defineProperty(navigator, 'mediaDevices', {
      configurable: true,
      value: { getUserMedia },
    });
    // The CSP blocks fetching blobs: the file is captured where its address is made.
    const createObjectURL = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (file: Blob) => {
      Reflect.set(globalThis, 'recorded', file);
      return createObjectURL(file);
    };
  });
  await record(page).click();
  await page.getByRole('timer').filter({ hasText: '0:02' }).waitFor();
  await page.getByRole('button', { name: 'Selesai merekam' }).click();
  const sound = page.locator('audio');
  await sound.waitFor({ state: 'attached' });
  const played = await page.evaluate(async () => {
    const bytes = await (Reflect.get(globalThis, 'recorded') as Blob).arrayBuffer();
    const head = new TextDecoder('latin1').decode(bytes.slice(0, 36));
    const decoded = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
    return { head, seconds: decoded.duration };
  });
  expect(played.head).toMatch(/^OggS.{24}OpusHead$/s);
  expect(played.seconds).toBeGreaterThan(1.5);
  await page.getByRole('button', { name: 'Kirim rekaman' }).click();
  await waitFor(async () =>
    expect(await page.getByLabel('Sent files').textContent()).toMatch(
      /^pesan-suara\.ogg \(audio\/ogg, \d{4,}\)$/,
    ),
  );
});
