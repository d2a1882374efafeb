import type { InputFor, OutputOf } from '#contract/base/act.ts';
import type {
  Broadcast,
  BroadcastAudience,
  broadcastAudiences,
  createBroadcast,
} from '#contract/operator/broadcasts.ts';
import type { BroadcastTone } from '#contract/operator/broadcasts.ts';
import { beginningOf } from '#web/features/operator/prices/beginnings.ts';

/** What is typed of a notice: times as `datetime-local` has them, in WIB. */
export type Typed = {
  title: string;
  text: string;
  tone: string;
  audience: string;
  plan: string;
  from: string;
  until: string;
  by_push: boolean;
  by_message: boolean;
};

const WIB_MS = 7 * 3_600_000;

/** An instant as `datetime-local` writes it, in WIB. */
const typedAt = (at: Date): string =>
  new Date(at.getTime() + WIB_MS).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

/** What stands in the form at first. */
export const typedFrom = (broadcast: Broadcast | undefined): Typed => ({
  title: broadcast?.title ?? '',
  text: broadcast?.text ?? '',
  tone: broadcast?.tone ?? 'info',
  audience: broadcast?.audience ?? 'all',
  plan: broadcast?.plan ?? '',
  from: broadcast ? typedAt(broadcast.from) : '',
  until: broadcast ? typedAt(broadcast.until) : '',
  by_push: broadcast?.by_push ?? false,
  by_message: broadcast?.by_message ?? false,
});

/** What is sent for what was typed. */
export function inputOf(typed: Typed): InputFor<typeof createBroadcast> {
  const from = beginningOf(typed.from);
  return {
    title: typed.title,
    text: typed.text,
    tone: typed.tone as BroadcastTone,
    audience: typed.audience as BroadcastAudience,
    ...(typed.audience === 'plan' && { plan: typed.plan }),
    ...(from !== undefined && { from }),
    until: beginningOf(typed.until) ?? '',
    by_push: typed.by_push ? 'yes' : 'no',
    by_message: typed.by_message ? 'yes' : 'no',
  };
}

/** How many read it. */
export function peopleOf(
  { audience, plan }: Pick<Typed, 'audience' | 'plan'>,
  counted: OutputOf<typeof broadcastAudiences> | undefined,
): number {
  if (audience === 'plan') return counted?.plans.find(({ code }) => code === plan)?.people ?? 0;
  return (audience === 'linked' ? counted?.linked : counted?.all) ?? 0;
}
