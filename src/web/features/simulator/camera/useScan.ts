import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SCAN_TEXT_MAX, simulatedScan } from '#contract/simulator.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { readPicture } from '#web/features/simulator/camera/pictures.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import type { Screens } from '#web/features/simulator/phone/screens.ts';

type State =
  | { at: 'idle' }
  | { at: 'looking' }
  | { at: 'done' }
  | { at: 'failed'; sentence: string };

const NOTHING_IN_SIGHT =
  'Tidak ada kode QR di tab lain. Buka halaman QR lebih dulu, atau pilih gambarnya.';
const STALE_QR =
  'Kode QR ini sudah diganti. Tampilkan tab pindainya sebentar, lalu pindai kode yang terbaru.';
const STALE_CODE = 'Kode penautan ini tidak dikenal atau sudah diganti. Tulis kode yang terbaru.';
const NO_CODE =
  'Tidak ada kode QR yang terbaca pada gambar ini. Pilih gambar lain yang lebih jelas.';
const NO_PICTURE = 'Berkas ini bukan gambar yang dapat dibaca.';

export const pictureAmong = (files: FileList | null | undefined): File | undefined =>
  [...(files ?? [])].find((file) => file.type.startsWith('image/'));

export type Scan = ReturnType<typeof useScan>;

export function useScan(phone: string, screens: Screens) {
  const client = useQueryClient();
  const [state, setState] = useState<State>({ at: 'idle' });
  const [picture, setPicture] = useState<string>();
  const scan = useAct(simulatedScan);
  /** One scan at a time, also before the state is on the screen. */
  const busy = useRef(false);

  const fail = (sentence: string) => setState({ at: 'failed', sentence });

  const read = async (text: string, stale: string) => {
    // Our codes are shorter, and a truncated one would be another code.
    if (text.length > SCAN_TEXT_MAX) return fail(stale);
    try {
      const after = await scan.perform({ phone, text });
      client.setQueryData(phoneQuery(phone).queryKey, after);
      screens.lookAway();
      setState({ at: 'done' });
    } catch (no) {
      fail(refusalCode(no) === 'qr_stale' ? stale : sentenceOf(no));
    }
  };

  const seeUrl = async (url: string) => {
    setPicture(url);
    const text = await readPicture(url).catch(() => null);
    if (text) await read(text, STALE_QR);
    else fail(text === null ? NO_PICTURE : NO_CODE);
  };

  const alone = async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setState({ at: 'looking' });
    try {
      await work();
    } finally {
      busy.current = false;
    }
  };

  const lookAround = () =>
    alone(async () => {
      setPicture(undefined);
      const png = await screens.look();
      if (png) await seeUrl(png);
      else fail(NOTHING_IN_SIGHT);
    });
  const see = (file: File) => alone(() => seeUrl(URL.createObjectURL(file)));

  useEffect(() => {
    return () => {
      if (picture?.startsWith('blob:')) URL.revokeObjectURL(picture);
    };
  }, [picture]);
  usePasted((file) => void see(file));

  return {
    state,
    picture,
    read: (text: string) => alone(() => read(text, STALE_QR)),
    pair: (code: string) => alone(() => read(code, STALE_CODE)),
    see,
    lookAround,
    fail,
  };
}

function usePasted(take: (file: File) => void): void {
  const newest = useRef(take);
  useEffect(() => {
    newest.current = take;
  });
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const file = pictureAmong(clipboardData?.files);
      if (file) newest.current(file);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
}
