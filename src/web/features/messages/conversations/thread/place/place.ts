import { Id, idFloor, publicId } from '#contract/base/ids.ts';
import { instantIn } from '#contract/base/time.ts';
import { isCivilDate } from '#web/ui/date/dates.ts';

/** The position a thread opens at: a message, or the first of a day. */
export type Place = {
  /** The id that it begins with: that of the message, or the smallest of the day. */
  from: string;
  /** The day, `YYYY-MM-DD`, if it is one. */
  day?: string;
};

/** The place in an address: the id of a message, or a day in the person's zone. */
export function placeOf(at: string | undefined, zone: string): Place | undefined {
  if (at === undefined) return undefined;
  if (isCivilDate(at)) {
    const begins = instantIn(at, '00:00', zone).getTime();
    return { from: publicId('message', idFloor(begins)), day: at };
  }
  const id = Id('message').safeParse(at);
  return id.success ? { from: id.data } : undefined;
}
