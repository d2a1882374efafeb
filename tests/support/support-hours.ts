import type { OpeningHours } from '#server/domains/support/hours.ts';

const weekday = { open: '08:00', close: '17:00' };

export const usualHours: OpeningHours = {
  days: [weekday, weekday, weekday, weekday, weekday, { open: '08:00', close: '12:00' }, null],
  days_off: [],
  note: '',
};
