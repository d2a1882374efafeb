import { saldoSummary } from '#contract/saldo-summary.ts';
import { keyIsAbout, replaceIn, type LivePatches, type Match } from '#web/live/patches.ts';

type Figures = { available: number; held: number };

/** Replaces the saldo's two figures wherever they occur together in cached data. */
export const withSaldo = <T>(data: T, { available, held }: Figures): T =>
  replaceIn(data, (bag) => {
    if (typeof bag['available'] !== 'number' || typeof bag['held'] !== 'number') return undefined;
    return bag['available'] === available && bag['held'] === held
      ? bag
      : { ...bag, available, held };
  }) as T;

const saldo = keyIsAbout('saldo', 'saldo_');
const topups = keyIsAbout('topups', 'topup_');
const allButSummary: Match = (key) => saldo(key) && key[0] !== saldoSummary.name;

export const saldoPatches: LivePatches = {
  follows: (key) => saldo(key) || topups(key),
  on: {
    'saldo.changed': (figures, cache) => {
      cache.update((data) => withSaldo(data, figures));
      // A response under way may have been read before the event.
      cache.refetch(cache.isFetching([saldoSummary.name]) ? saldo : allButSummary);
    },
    'topup.changed': (_event, { refetch }) => {
      refetch(saldo);
      refetch(topups);
    },
  },
};
